# Targets: demo, test, all (default), install, uninstall, golden, asan, tsan, lint, format, drivers, clean; detection,
# finding-power, soundness, torture, fuzz, fuzz-check, bench, soak, bench-check, reference.
# `make demo` and `make test` install what is missing, build, and run; see README.md.

CC ?= cc
BUILD ?= build
VERSION := 0.1.0
# Of a checkout; "" where the sources came without one.
COMMIT := $(if $(wildcard .git),$(shell git rev-parse --short=12 HEAD 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -pthread -MMD -MP \
	-DLOCKPICK_VERSION='"$(VERSION)"'
LIBRARIES := -lhiredis -lzookeeper_mt -lmysqlclient -lcurl -lpq -lssl -lcrypto -lnetfilter_queue -lnftables -lyaml \
	-ljansson -lz -lresolv -lm -pthread

# What servers are started with when their clocks or disks are to go wrong, or on loopback ports
# strangers are to be kept out: a library of its own.
PRELOAD_SOURCES := faults/clock_preload.c harness/base/clock_shift.c harness/cluster/gate_preload.c \
	harness/cluster/disk_preload.c harness/cluster/memory_preload.c
CLOCK_PRELOAD := $(BUILD)/lockpick-clock.so
# What programs that lock are started with while they are explored.
PROGRAM_PRELOAD := $(BUILD)/lockpick-program.so
PROGRAM_PRELOAD_SOURCES := faults/clock_preload.c harness/base/clock_shift.c harness/wire/rest_preload.c
PRELOAD := $(CLOCK_PRELOAD) $(PROGRAM_PRELOAD)
# Servers are not built with sanitizers, so it must not be either.
PRELOAD_CFLAGS = $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(ALL_CFLAGS)) \
	-fPIC -fvisibility=hidden

# harness/detection and harness/extension are programs of their own; *_fuzz.c are built by `make fuzz`.
SOURCES := $(shell find harness faults -name '*.c' ! -name '*_test.c' ! -name '*_fuzz.c' \
	! -name '*_preload.c' ! -path 'harness/detection/*' ! -path 'harness/extension/*' ! -path 'harness/testing/*' | sort)
TESTS := $(shell find harness faults -name '*_test.c' | sort)
# End-to-end cases, which harness/cli/cases_test.c runs.
CASES := $(patsubst harness/cli/cases/%.cases,harness/cli/%,$(sort $(wildcard harness/cli/cases/*_test.cases)))
LIBRARY_SOURCES := $(filter-out harness/main.c,$(SOURCES))
TEMPLATES := $(shell find harness -name '*.gp' ! -path 'harness/extension/*' | sort) \
	$(wildcard harness/*/help_*.txt) harness/cli/try_scenarios.txt harness/report/page.css
OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o) $(TEMPLATES:%=$(BUILD)/%.o)
TEST_PROGRAMS := $(TESTS:%.c=$(BUILD)/%) $(CASES:%=$(BUILD)/%)
TEST_ROOMS := $(sort $(dir $(TEST_PROGRAMS)))
FUZZERS := $(shell find harness faults -name '*_fuzz.c' | sort)
FORMATTED := $(shell find harness faults -name '*.[ch]')

.PHONY: all demo test tests asan tsan lint format setup setup-lint drivers clean
.PHONY: detection finding-power soundness torture fuzz fuzzers fuzz-check bench-check
.SECONDARY:

all: $(BUILD)/lockpick $(PRELOAD)

$(BUILD)/lockpick: $(BUILD)/harness/main.o $(BUILD)/liblockpick.a
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/liblockpick.a: $(OBJECTS)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Made anew with each commit.
$(BUILD)/harness/cli/version.o: ALL_CFLAGS += -DLOCKPICK_COMMIT='"$(COMMIT)"'
$(BUILD)/harness/cli/version.o: $(wildcard .git/logs/HEAD)

# A template NAME.gp of a picture, a text NAME.txt and a style NAME.css are in the program as the string
# template_NAME.
define EMBED
	@mkdir -p $(@D)
	@echo "  EMBED $<"
	@{ echo 'extern const char template_$(basename $(notdir $<))[];'; \
		echo 'const char template_$(basename $(notdir $<))[] ='; \
		sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } | $(CC) $(CFLAGS) -x c -c -o $@ -
endef
$(BUILD)/%.gp.o: %.gp
	$(EMBED)
$(BUILD)/%.txt.o: %.txt
	$(EMBED)
$(BUILD)/%.css.o: %.css
	$(EMBED)

$(CLOCK_PRELOAD): $(PRELOAD_SOURCES:%.c=$(BUILD)/preload/%.o)
$(PROGRAM_PRELOAD): $(PROGRAM_PRELOAD_SOURCES:%.c=$(BUILD)/preload/%.o)
$(PRELOAD):
	@echo "  LINK  $@"
	@$(CC) -shared $(LDFLAGS) -o $@ $^ -ldl -pthread

# By which tests make calls fail.
FAIL_PRELOAD := $(BUILD)/lockpick-fail.so
$(FAIL_PRELOAD): $(BUILD)/preload/harness/cli/fail_preload.o
	@echo "  LINK  $@"
	@$(CC) -shared -o $@ $^ -ldl -pthread

$(BUILD)/harness/cli/tests: | $(FAIL_PRELOAD)

$(BUILD)/preload/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(PRELOAD_CFLAGS) -c -o $@ $<

# The tests of a room are one program, and each file's name a link to it, by which it knows what to
# run; see harness/testing/test.h.
.SECONDEXPANSION:
$(TEST_ROOMS:%=%tests): $$(foreach test,$(TESTS:%.c=$(BUILD)/%),$$(if \
		$$(filter $$(@D)/,$$(dir $$(test))),$$(test).o)) $(BUILD)/harness/testing/main.o $(BUILD)/liblockpick.a | $(PRELOAD)
	@echo "  LINK  $@"
	@rm -f $@
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES) -lcmocka

$(TEST_PROGRAMS): $$(@D)/tests
	@ln -sf tests $@

tests: all $(TEST_PROGRAMS)

# Below PREFIX, of DESTDIR if that is given: bin, lib/lockpick and share.
PREFIX ?= /usr/local
INSTALLER = BUILD="$(BUILD)" DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" scripts/package/install

.PHONY: install uninstall
install: all
	@$(INSTALLER)

uninstall:
	@$(INSTALLER) --remove

setup:
	@scripts/setup

setup-lint:
	@scripts/setup --with lint

# The libraries whose locks the drivers of scripts/drivers try; what of them is missing is skipped.
drivers:
	@scripts/setup --with drivers

# The build needs packages that setup installs, so each step is a make of its own.
demo: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@scripts/demo

test: setup
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@scripts/run-tests $(BUILD) $(TEST_PROGRAMS)

# What the program makes of stored histories, against what was accepted: results/golden/README.md.
# ACCEPT=1 takes what comes out now; JOBS_OF=: only these.
.PHONY: golden
golden: all $(BUILD)/lockpick-detection
	@LOCKPICK=$(BUILD)/lockpick scripts/golden $(if $(ACCEPT),--accept) $(JOBS_OF)

asan: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-asan CC=clang tests \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
	@scripts/run-tests build-asan $(TEST_PROGRAMS:$(BUILD)/%=build-asan/%)

tsan: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-tsan CC=clang tests \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=thread"
	@scripts/run-tests build-tsan $(TEST_PROGRAMS:$(BUILD)/%=build-tsan/%)

lint: setup-lint
	@clang-format --dry-run --Werror $(FORMATTED)
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-gcc CC=gcc tests
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-clang CC=clang tests fuzzers
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
		--inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE -I. harness faults
	@scripts/check-sizes
	@scripts/check-names

format:
	@clang-format -i $(FORMATTED)

clean:
	rm -rf build build-asan build-tsan build-gcc build-clang build-fuzz build-fuzz-quick

# --- does it find broken locks, and spare sound ones ----------------------------------------------

# make detection: shows that Lockpick finds broken locks; make soundness: that it does not blame
# sound ones. lockpick-detection is lockpick with the variants of harness/detection in its catalogue
# (their catalogue takes the place of the library's, which is therefore not linked).
DETECTION_SOURCES := $(filter-out %_test.c,$(wildcard harness/detection/*.c))
DETECTION_OBJECTS := $(DETECTION_SOURCES:%.c=$(BUILD)/%.o)

$(BUILD)/lockpick-detection: $(BUILD)/harness/main.o $(DETECTION_OBJECTS) $(BUILD)/liblockpick.a \
		| $(PRELOAD)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES)

# Its tests run it.
tests: $(BUILD)/lockpick-detection
$(BUILD)/harness/cli/tests: | $(BUILD)/lockpick-detection $(BUILD)/lockpick

# lockpick-extended is lockpick with one more of each kind of thing: a file of harness/extension, and
# one line of a catalogue. Its test shows that nothing else is needed.
EXTENSION := $(patsubst %,$(BUILD)/%.o,$(patsubst %.c,%,$(filter-out %_test.c,$(wildcard \
	harness/extension/*.c))) $(wildcard harness/extension/*.gp))
EXTENDED := $(BUILD)/extended
EXTENDED_ROOMS := faults harness/locks harness/check harness/cluster harness/report/pictures
ONE_LINE_MORE := sed -e 's/^.define FAULTS(.*/&\n    FAULT(amnesia) \\/' \
	-e 's/^.define LOCK_SCHEMES(.*/&\n    SCHEME(keyval_lock) \\/' \
	-e 's/^.define CHECKS(.*/&\n    CHECK(solitude) \\/' \
	-e 's/^.define SERVERS(.*/&\n    SERVER(keyval) \\/' \
	-e 's/^.define PICTURES(.*/&\n    DRAWN(tally) \\/'

$(EXTENDED)/%/catalogue.o: %/catalogue.c $$(wildcard $$*/catalogue.h)
	@mkdir -p $(@D)
	@for file in $*/catalogue.c $(wildcard $*/catalogue.h); do $(ONE_LINE_MORE) $$file > $(EXTENDED)/$$file || exit; done
	@echo "  CC    $(@:.o=.c)"
	@$(CC) -I$(EXTENDED) $(ALL_CFLAGS) -c -o $@ $(@:.o=.c)

$(BUILD)/lockpick-extended: $(BUILD)/harness/main.o $(EXTENSION) \
		$(EXTENDED_ROOMS:%=$(EXTENDED)/%/catalogue.o) $(BUILD)/liblockpick.a | $(PRELOAD)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/harness/extension/tests: | $(BUILD)/lockpick-extended

# REPEATS trials of each variant in each scenario.
REPEATS ?= 5
detection: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/lockpick-detection
	@BUILD=$(BUILD) scripts/detection $(REPEATS)

# What `lockpick explore` finds by a lock's name alone: by SCHEDULES in each round and, if said,
# within SECONDS_EACH, beside SEEDS random draws.
SCHEDULES ?= 1000
SEEDS ?= 20
SECONDS_EACH ?=
finding-power: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/lockpick $(BUILD)/lockpick-detection
	@BUILD=$(BUILD) scripts/finding-power $(SCHEDULES) $(SEEDS) $(SECONDS_EACH)
	@BUILD=$(BUILD) scripts/finding-classes $(SCHEDULES) $(SECONDS_EACH)

# TRIALS trials of sound schemes, with faults drawn from SEED (0: another one each time).
TRIALS ?= 2000
SEED ?= 0
soundness: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/lockpick-detection
	@BUILD=$(BUILD) scripts/soundness $(TRIALS) $(SEED)

# make torture: runs are attacked while they last, for FOR (90s, 10m, 2h; a minute if not said): their
# processes are killed and stopped, the machine sleeps, the terminal is lost. Nothing may be left or
# lost, and no sound lock blamed. SEED=: of what is drawn (0: another one each time); CASE=: one case
# of it again. What went wrong is kept in results/torture.
torture: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/harness/cli/torture_test
	@LOCKPICK=$(BUILD)/lockpick $(BUILD)/harness/cli/torture_test full $(or $(FOR),60) \
		$(or $(SEED),0) $(CASE)

# --- the comparison that is committed --------------------------------------------------------------

# make reference: every scheme under every fault, and what each costs, into results/reference; 17 to 22
# minutes, on a machine that has nothing else to do.
.PHONY: reference
reference: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@BUILD=$(BUILD) scripts/reference

# --- is `lockpick check` right, and quick ---------------------------------------------------------

# make fuzz: each of FUZZERS for FOR seconds, without sanitizers, and then what it kept with them; what
# is found is left in build-fuzz/found. A folder NAME_fuzz_seeds beside NAME_fuzz.c has inputs to
# begin with. Without sanitizers only words that are compared are traced, by libFuzzer's strcmp and
# the like: to trace numbers, too, takes as long as all the rest, and more.
FOR ?= 60

$(BUILD)/%_fuzz: $(BUILD)/%_fuzz.o $(BUILD)/liblockpick.a
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBRARIES)

fuzzers: $(FUZZERS:%.c=$(BUILD)/%)

fuzz: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-fuzz CC=clang fuzzers \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-fuzz-quick CC=clang fuzzers \
		CFLAGS="-O2 -g -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp"
	@scripts/fuzz build-fuzz build-fuzz-quick $(FOR) $(FUZZERS:%.c=%)

# make fuzz-check: its models against a search that tries every order, on random histories, for FOR
# (90s, 10m, 2h; a minute if not said). SEED=: the first (0: another one each time); MODEL=: one
# model instead of all in turn.
fuzz-check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(filter %_oracle_test,$(TESTS:%.c=$(BUILD)/%))
	@scripts/fuzz-check $(BUILD) $(or $(FOR),60) $(or $(SEED),0) $(MODEL)

# --- how quick and how small is the driver itself -------------------------------------------------

# make bench: what an event costs to record; locks a second through Lockpick over those of a bare
# loop that sends the same requests; commands a second over those of redis-benchmark; what other
# libraries' locks cost, over bare loops of theirs; and the memory of 5,000 buyers at once. Ten minutes, on a machine that has nothing else to do. It fails if
# an aim is certainly missed. REPEATS=: of each, another number than usual, 7 to 31.
BENCH := $(BUILD)/harness/bench
SPEED_BENCHES := $(BENCH)/speed_bench_test $(BENCH)/crowd_bench_test

# The default of REPEATS and FOR is other targets'.
given = $(if $(filter file,$(origin $(1))),,$($(1)))

.PHONY: bench soak
bench: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BENCH)/record_bench_test $(SPEED_BENCHES)
	@status=0; $(BENCH)/record_bench_test || status=1; for bench in $(SPEED_BENCHES); do echo; \
		LOCKPICK=$(BUILD)/lockpick $$bench full $(call given,REPEATS) || status=1; done; exit $$status

# make soak: whether the memory of the driver and of the clients stays as it is in a run of 90 s, or
# of FOR (10m, 1h); and how much it takes to read and judge its history in the end.
soak: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BENCH)/soak_bench_test
	@LOCKPICK=$(BUILD)/lockpick $(BENCH)/soak_bench_test full $(call given,FOR)

# make bench-check: how long it takes to decide histories of up to ten million operations, and how
# much memory; and to judge trials of up to a million. It takes some minutes and 2 GB in /tmp.
BENCHES := $(BENCH)/check_bench_test $(BENCH)/judge_bench_test
bench-check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BENCHES)
	@for bench in $(BENCHES); do $$bench full || exit 1; done

# Packages are built in $(BUILD)/debian.
-include $(shell find $(BUILD) -path $(BUILD)/debian -prune -o -name '*.d' -type f -print 2>/dev/null)
