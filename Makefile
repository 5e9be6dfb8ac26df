# Targets: demo, test, all (default), asan, tsan, fuzz, lint, format, clean; make/*.mk has more.
# `make demo` and `make test` install what is missing, build, and run; see README.md.

CC ?= cc
BUILD ?= build
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -I. $(WARNINGS) $(CFLAGS) -pthread -MMD -MP \
	-DLOCKPICK_VERSION='"$(VERSION)"'
LIBRARIES := -lhiredis -lzookeeper_mt -lmysqlclient -lcurl -lpq -lnetfilter_queue -lyaml -ljansson \
	-lz -lm -pthread

# What servers are started with when their clocks are to go wrong: a library of its own.
PRELOAD_SOURCES := faults/clock_preload.c harness/base/clock_shift.c
PRELOAD := $(BUILD)/lockpick-clock.so
# Servers are not built with sanitizers, so it must not be either.
PRELOAD_CFLAGS = $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(ALL_CFLAGS)) \
	-fPIC -fvisibility=hidden

# harness/detection is a program of its own; *_fuzz.c are built by `make fuzz`.
SOURCES := $(shell find harness faults -name '*.c' ! -name '*_test.c' ! -name '*_fuzz.c' \
	! -name clock_preload.c ! -path 'harness/detection/*' | sort)
TESTS := $(shell find harness faults -name '*_test.c' | sort)
LIBRARY_SOURCES := $(filter-out harness/main.c,$(SOURCES))
OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o)
TEST_PROGRAMS := $(TESTS:%.c=$(BUILD)/%)
FORMATTED := $(shell find harness faults -name '*.[ch]')

.PHONY: all demo test tests asan tsan lint format setup setup-lint clean fuzz fuzzers
.SECONDARY:

all: $(BUILD)/lockpick $(PRELOAD)

$(BUILD)/lockpick: $(BUILD)/harness/main.o $(BUILD)/liblockpick.a
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/liblockpick.a: $(OBJECTS)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(PRELOAD): $(PRELOAD_SOURCES:%.c=$(BUILD)/preload/%.o)
	@echo "  LINK  $@"
	@$(CC) -shared -o $@ $^ -ldl -pthread

$(BUILD)/preload/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(PRELOAD_CFLAGS) -c -o $@ $<

$(BUILD)/%_test: $(BUILD)/%_test.o $(BUILD)/liblockpick.a | $(PRELOAD)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES) -lcmocka

tests: all $(TEST_PROGRAMS)

setup:
	@scripts/setup

setup-lint:
	@scripts/setup --with lint

# The build needs packages that setup installs, so each step is a make of its own.
demo: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@scripts/demo

test: setup
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@scripts/run-tests $(BUILD) $(TEST_PROGRAMS)

asan: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-asan CC=clang tests \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
	@scripts/run-tests build-asan $(TESTS:%.c=build-asan/%)

tsan: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-tsan CC=clang tests \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=thread"
	@scripts/run-tests build-tsan $(TESTS:%.c=build-tsan/%)

lint: setup-lint
	@clang-format --dry-run --Werror $(FORMATTED)
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-gcc CC=gcc tests
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-clang CC=clang tests
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
		--inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE -I. harness faults
	@scripts/check-sizes

format:
	@clang-format -i $(FORMATTED)

clean:
	rm -rf build build-asan build-tsan build-gcc build-clang build-fuzz

include $(wildcard make/*.mk)

# Each of FUZZERS (make/*-fuzz.mk) for FOR seconds; what is found is left in build-fuzz/found.
# A folder NAME_fuzz_seeds beside NAME_fuzz.c has inputs to begin with.
FOR ?= 60

$(BUILD)/%_fuzz: $(BUILD)/%_fuzz.o $(BUILD)/liblockpick.a
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBRARIES)

fuzzers: $(FUZZERS:%.c=$(BUILD)/%)

fuzz: setup-lint
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build-fuzz CC=clang fuzzers \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
	@scripts/fuzz build-fuzz $(FOR) $(FUZZERS:%.c=%)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
