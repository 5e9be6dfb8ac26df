// Whatever bytes there are as JSON: an answer, and nothing else.
#include "harness/import/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_import(IMPORT_JSON, bytes, length);
    return 0;
}
