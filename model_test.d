model_test.o: harness/model/model_test.c harness/base/text.h \
  harness/model/model.h harness/base/error.h harness/model/operations.h \
  harness/history/event.h

harness/base/text.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:
