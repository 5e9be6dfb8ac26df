ownerless.o: harness/model/ownerless.c harness/base/rank.h \
  harness/base/text.h harness/model/catalogue.h harness/model/model.h \
  harness/base/error.h harness/model/operations.h \
  harness/history/event.h harness/model/holds.h

harness/base/rank.h:

harness/base/text.h:

harness/model/catalogue.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/holds.h:
