// Whatever bytes there are as EDN: an answer, and nothing else.
#include "harness/import/fuzz_import.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (!fuzz_import(IMPORT_EDN, bytes, length))
        abort();
    return 0;
}
