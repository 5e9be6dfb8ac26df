from_history.o: harness/model/from_history.c harness/model/from_history.h \
  harness/base/error.h harness/history/condition.h \
  harness/model/operations.h harness/history/event.h \
  harness/base/clock.h harness/base/growing.h harness/base/text.h \
  harness/history/scan.h

harness/model/from_history.h:

harness/base/error.h:

harness/history/condition.h:

harness/model/operations.h:

harness/history/event.h:

harness/base/clock.h:

harness/base/growing.h:

harness/base/text.h:

harness/history/scan.h:
