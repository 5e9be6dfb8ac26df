// Whatever a client and etcd say to each other over HTTP: nothing breaks.
#include "harness/wire/fuzz_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_parser("etcd", bytes, length, true);
    return 0;
}
