// Whatever a client and a server say to each other: the same is found however it is cut.
#include "harness/wire/fuzz_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_parser("mysql", bytes, length, false);
    return 0;
}
