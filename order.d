order.o: harness/model/order.c harness/model/order.h \
  harness/model/holds.h harness/model/model.h harness/base/error.h \
  harness/model/operations.h harness/history/event.h harness/base/text.h

harness/model/order.h:

harness/model/holds.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/base/text.h:
