scan.o: harness/import/scan.c harness/import/scan.h \
  harness/import/entry.h harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/import/value.h harness/import/reader.h

harness/import/scan.h:

harness/import/entry.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/import/value.h:

harness/import/reader.h:
