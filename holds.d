holds.o: harness/model/holds.c harness/model/holds.h \
  harness/model/model.h harness/base/error.h harness/model/operations.h \
  harness/history/event.h harness/base/clock.h harness/base/growing.h \
  harness/base/text.h harness/model/order.h

harness/model/holds.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/base/clock.h:

harness/base/growing.h:

harness/base/text.h:

harness/model/order.h:
