model.o: harness/model/model.c harness/model/model.h harness/base/error.h \
  harness/model/operations.h harness/history/event.h \
  harness/base/clock.h harness/base/text.h harness/model/catalogue.h

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/base/clock.h:

harness/base/text.h:

harness/model/catalogue.h:
