mutex.o: harness/model/mutex.c harness/base/clock.h harness/base/rank.h \
  harness/base/text.h harness/model/catalogue.h harness/model/model.h \
  harness/base/error.h harness/model/operations.h \
  harness/history/event.h harness/model/refusals.h harness/model/holds.h

harness/base/clock.h:

harness/base/rank.h:

harness/base/text.h:

harness/model/catalogue.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/refusals.h:

harness/model/holds.h:
