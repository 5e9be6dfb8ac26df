export.o: harness/import/export.c harness/import/export.h \
  harness/import/import.h harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/import/entry.h harness/import/value.h

harness/import/export.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/import/entry.h:

harness/import/value.h:
