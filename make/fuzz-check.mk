# make fuzz-check: the models of `lockpick check` against a search that tries every order, on random
# histories, for FOR (90s, 10m, 2h; a minute if not said). SEED=: the first (0: another one each
# time); MODEL=: one model instead of all in turn.
.PHONY: fuzz-check

fuzz-check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/harness/model/fuzz_check_test
	@$(BUILD)/harness/model/fuzz_check_test fuzz $(or $(FOR),60) $(or $(SEED),0) $(MODEL)
