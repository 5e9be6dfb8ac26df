from_history_test.o: harness/model/from_history_test.c \
  harness/model/from_history.h harness/base/error.h \
  harness/history/condition.h harness/model/operations.h \
  harness/history/event.h harness/history/test_file.h \
  harness/base/clock.h harness/base/file.h harness/base/text.h \
  harness/history/reader.h harness/history/writer.h \
  harness/history/file.h harness/model/model.h

harness/model/from_history.h:

harness/base/error.h:

harness/history/condition.h:

harness/model/operations.h:

harness/history/event.h:

harness/history/test_file.h:

harness/base/clock.h:

harness/base/file.h:

harness/base/text.h:

harness/history/reader.h:

harness/history/writer.h:

harness/history/file.h:

harness/model/model.h:
