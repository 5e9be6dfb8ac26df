// Whatever a driver says: an answer, or a message of one line that people can read.
#include "harness/wire/driver_line.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void expect_printable(const char *text, size_t room)
{
    if (strnlen(text, room) == room)
        abort();
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct driver_line line;
    struct error error;
    struct driver_quote quote;
    if (driver_line_read((const char *)bytes, length, &line, &error) == 0) {
        if (driver_word_name(line.word) == NULL || line.cycle_count > DRIVER_MOST_CYCLES)
            abort();
        if (memchr(line.why, '\0', sizeof line.why) == NULL ||
            memchr(line.lock, '\0', sizeof line.lock) == NULL)
            abort();
        for (size_t i = 0; i < line.cycle_count; i++) {
            if (line.cycles[i].acquired_ns < line.cycles[i].acquire_ns)
                abort();
        }
        free(line.cycles);
    } else {
        expect_printable(error.text, sizeof error.text);
    }
    expect_printable(driver_quote_in((const char *)bytes, length, &quote), sizeof quote.text);
    return 0;
}
