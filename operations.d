operations.o: harness/model/operations.c harness/model/operations.h \
  harness/history/event.h harness/base/clock.h harness/base/growing.h \
  harness/base/text.h

harness/model/operations.h:

harness/history/event.h:

harness/base/clock.h:

harness/base/growing.h:

harness/base/text.h:
