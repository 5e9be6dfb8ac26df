scan_test.o: harness/import/scan_test.c harness/base/random.h \
  harness/import/scan.h harness/import/entry.h harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/import/value.h harness/import/reader.h

harness/base/random.h:

harness/import/scan.h:

harness/import/entry.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/import/value.h:

harness/import/reader.h:
