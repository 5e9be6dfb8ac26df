read_write.o: harness/model/read_write.c harness/model/catalogue.h \
  harness/model/model.h harness/base/error.h harness/model/operations.h \
  harness/history/event.h harness/model/refusals.h harness/model/holds.h

harness/model/catalogue.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/refusals.h:

harness/model/holds.h:
