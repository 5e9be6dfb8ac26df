export_test.o: harness/import/export_test.c harness/import/export.h \
  harness/import/import.h harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h

harness/import/export.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:
