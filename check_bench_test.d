check_bench_test.o: harness/bench/check_bench_test.c \
  harness/base/random.h harness/bench/measure.h \
  harness/history/test_file.h harness/base/clock.h harness/base/file.h \
  harness/base/error.h harness/base/text.h harness/history/reader.h \
  harness/history/condition.h harness/history/event.h \
  harness/history/writer.h harness/history/file.h \
  harness/import/import.h harness/import/problems.h \
  harness/model/operations.h harness/import/source.h \
  harness/model/from_history.h harness/model/model.h

harness/base/random.h:

harness/bench/measure.h:

harness/history/test_file.h:

harness/base/clock.h:

harness/base/file.h:

harness/base/error.h:

harness/base/text.h:

harness/history/reader.h:

harness/history/condition.h:

harness/history/event.h:

harness/history/writer.h:

harness/history/file.h:

harness/import/import.h:

harness/import/problems.h:

harness/model/operations.h:

harness/import/source.h:

harness/model/from_history.h:

harness/model/model.h:
