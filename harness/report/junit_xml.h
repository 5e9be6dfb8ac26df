// Text inside XML 1.0.
#ifndef LOCKPICK_REPORT_JUNIT_XML_H
#define LOCKPICK_REPORT_JUNIT_XML_H

#include "harness/base/text.h"

// Adds `string` (NULL is ""), whatever bytes it has, so that it can stand between two tags, and a
// parser gives it back as it was. Left out are the characters that XML 1.0 has no way to write
// (section 2.2, "Char"); a byte that is no UTF-8 becomes '?', as in result.json.
void xml_add(struct text *out, const char *string);

// Adds ` name="value"`, escaped.
void xml_add_attribute(struct text *out, const char *name, const char *value);

#endif
