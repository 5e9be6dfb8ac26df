// The parts of EDN that have no parts: strings, numbers, keywords, symbols, characters.
#ifndef LOCKPICK_IMPORT_EDN_TEXT_H
#define LOCKPICK_IMPORT_EDN_TEXT_H

#include "harness/import/reader.h"

bool edn_is_blank(char c);
bool edn_ends_word(char c);

// Each reads what begins here. NULL after telling a problem.
const struct value *edn_read_string(struct reader *reader);
const struct value *edn_read_word(struct reader *reader);

// "'x'", or "byte 0x07" for what cannot be shown. `room` of 12 suffices.
const char *edn_show_character(char c, char *text, size_t room);

#endif
