#include "harness/wire/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const char *text, char *out)
{
    size_t length = strlen(text);
    char *end = out;
    for (size_t i = 0; i < length; i += 3) {
        size_t count = length - i < 3 ? length - i : 3;
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (j < count ? (unsigned char)text[i + j] : 0U);
        for (size_t j = 0; j < 4; j++)
            *end++ = j <= count ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    *end = '\0';
    return out;
}

int base64_decode(const char *encoded, char *out, size_t room)
{
    uint32_t bits = 0;
    unsigned count = 0;
    size_t length = 0;
    for (; *encoded != '\0' && *encoded != '='; encoded++) {
        const char *digit = strchr(digits, *encoded);
        if (digit == NULL || length + 1 >= room)
            return -1;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[length++] = (char)(bits >> count & 255);
        }
    }
    if (length >= room)
        return -1;
    out[length] = '\0';
    return 0;
}
