// The quick way through a history: operations as nearly all of them are written, one flat map
// without escapes, read where they stand, without an allocation.
#ifndef LOCKPICK_IMPORT_SCAN_H
#define LOCKPICK_IMPORT_SCAN_H

#include "harness/import/entry.h"
#include "harness/import/reader.h"

// Where the fields of one operation are kept: a value each, and two more for a pair.
struct scanned {
    struct value values[9];
    struct entry_fields fields;
};

// Reads the next operation, behind blanks. False, with the reader where it was, if it is anything
// unusual, or wrong, or not there: edn_next or json_next then says what it is. Whatever this takes
// they would take, and to the same fields.
bool scan_edn(struct reader *reader, struct scanned *scanned);
bool scan_json(struct reader *reader, struct scanned *scanned);

#endif
