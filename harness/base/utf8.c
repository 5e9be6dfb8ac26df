#include "harness/base/utf8.h"

#include <stdbool.h>

size_t utf8_decode(const char *text, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = bytes[0];
    size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first >= 0xf8)
        return 0;
    *character = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[length] || is_surrogate || *character > 0x10ffff ? 0 : length;
}
