import.o: harness/import/import.c harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/base/clock.h harness/base/growing.h harness/base/rank.h \
  harness/import/actors.h harness/import/entry.h harness/import/value.h \
  harness/import/labels.h harness/import/scan.h harness/import/reader.h

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/base/clock.h:

harness/base/growing.h:

harness/base/rank.h:

harness/import/actors.h:

harness/import/entry.h:

harness/import/value.h:

harness/import/labels.h:

harness/import/scan.h:

harness/import/reader.h:
