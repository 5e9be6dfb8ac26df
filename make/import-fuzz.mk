# Fuzzers of the readers of other tools' histories, run by `make fuzz`.
FUZZERS += harness/import/edn_fuzz.c harness/import/json_fuzz.c
