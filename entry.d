entry.o: harness/import/entry.c harness/import/entry.h \
  harness/import/import.h harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/import/value.h harness/base/clock.h

harness/import/entry.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/import/value.h:

harness/base/clock.h:
