#include "harness/history/file.h"

#include <string.h>

// By four bits: their remainder by the polynomial, bits reversed (0x82f63b78).
static const uint32_t remainders[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    uint32_t rest = ~checksum;
    for (size_t i = 0; i < length; i++) {
        rest ^= next[i];
        rest = remainders[rest & 0xf] ^ rest >> 4;
        rest = remainders[rest & 0xf] ^ rest >> 4;
    }
    return ~rest;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t add_by_instruction(uint32_t checksum,
                                                                     const unsigned char *bytes,
                                                                     size_t length)
{
    uint64_t rest = (uint32_t)~checksum;
    for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        rest = __builtin_ia32_crc32di(rest, word);
    }
    for (; length > 0; length--)
        rest = __builtin_ia32_crc32qi((uint32_t)rest, *bytes++);
    return ~(uint32_t)rest;
}

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length)
{
    if (__builtin_cpu_supports("sse4.2"))
        return add_by_instruction(checksum, bytes, length);
    return checksum_add_by_table(checksum, bytes, length);
}

#else

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length)
{
    return checksum_add_by_table(checksum, bytes, length);
}

#endif

uint32_t history_header_checksum(const struct history_header *header)
{
    return checksum_add(0, header, offsetof(struct history_header, checksum));
}

uint32_t history_end_checksum(const struct history_end *end)
{
    return checksum_add(0, end, offsetof(struct history_end, checksum));
}

uint32_t history_chunk_checksum(const struct history_header *header, uint32_t number,
                                uint32_t first, uint32_t sequence)
{
    const uint32_t place[] = {number, first, sequence};
    return checksum_add(header->checksum, place, sizeof place);
}
