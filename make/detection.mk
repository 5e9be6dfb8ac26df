# make detection: shows that Lockpick finds broken locks; make soundness: that it does not blame
# sound ones. lockpick-detection is lockpick with the variants of harness/detection in its catalogue
# (their catalogue takes the place of the library's, which is therefore not linked).
DETECTION_SOURCES := $(filter-out %_test.c,$(wildcard harness/detection/*.c))
DETECTION_OBJECTS := $(DETECTION_SOURCES:%.c=$(BUILD)/%.o)

.PHONY: detection soundness

$(BUILD)/lockpick-detection: $(BUILD)/harness/main.o $(DETECTION_OBJECTS) $(BUILD)/liblockpick.a \
		| $(PRELOAD)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES)

# The test of the variants runs it.
tests: $(BUILD)/lockpick-detection

DETECTION_TEST := $(BUILD)/harness/detection/detection_test
$(DETECTION_TEST): | $(BUILD)/lockpick-detection $(BUILD)/lockpick

# REPEATS trials of each variant in each scenario.
REPEATS ?= 5
detection: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/lockpick-detection
	@BUILD=$(BUILD) scripts/detection $(REPEATS)

# TRIALS trials of sound schemes, with faults drawn from SEED (0: another one each time).
TRIALS ?= 2000
SEED ?= 0
soundness: setup
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/lockpick-detection
	@BUILD=$(BUILD) scripts/soundness $(TRIALS) $(SEED)
