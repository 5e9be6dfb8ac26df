# The history file for `make fuzz`.
FUZZERS += harness/history/history_fuzz.c
