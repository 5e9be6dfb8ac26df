# make bench-check: how long it takes to decide histories of up to ten million operations, and how
# much memory; and to judge trials of up to a million. It takes some minutes and 2 GB in /tmp.
BENCHES := $(BUILD)/harness/bench/check_bench_test $(BUILD)/harness/bench/judge_bench_test

.PHONY: bench-check
bench-check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BENCHES)
	@for bench in $(BENCHES); do $$bench full || exit 1; done
