check_case.o: harness/cli/check_case.c harness/cli/check_case.h \
  harness/cli/check_options.h harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/model/model.h harness/base/error.h harness/history/condition.h \
  harness/import/source.h harness/base/rank.h harness/history/file.h \
  harness/model/from_history.h harness/report/model_picture.h

harness/cli/check_case.h:

harness/cli/check_options.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/model.h:

harness/base/error.h:

harness/history/condition.h:

harness/import/source.h:

harness/base/rank.h:

harness/history/file.h:

harness/model/from_history.h:

harness/report/model_picture.h:
