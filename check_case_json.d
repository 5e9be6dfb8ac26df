check_case_json.o: harness/cli/check_case_json.c harness/base/clock.h \
  harness/base/rank.h harness/cli/check_case.h \
  harness/cli/check_options.h harness/import/import.h \
  harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/model/model.h harness/base/error.h harness/history/condition.h \
  harness/import/source.h

harness/base/clock.h:

harness/base/rank.h:

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
