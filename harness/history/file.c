#include "harness/history/file.h"

#include "harness/history/checksum.h"

#include <stddef.h>

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
