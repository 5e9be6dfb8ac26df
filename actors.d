actors.o: harness/import/actors.c harness/import/actors.h \
  harness/import/entry.h harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/import/value.h harness/import/labels.h harness/base/growing.h

harness/import/actors.h:

harness/import/entry.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/import/value.h:

harness/import/labels.h:

harness/base/growing.h:
