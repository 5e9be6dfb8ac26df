check_case_print.o: harness/cli/check_case_print.c harness/base/rank.h \
  harness/base/table.h harness/base/text.h harness/cli/check_case.h \
  harness/cli/check_options.h harness/import/import.h \
  harness/import/problems.h harness/model/operations.h \
  harness/history/event.h harness/model/model.h harness/base/error.h \
  harness/history/condition.h harness/import/source.h

harness/base/rank.h:

harness/base/table.h:

harness/base/text.h:

harness/cli/check_case.h:

harness/cli/check_options.h:

harness/import/import.h:

harness/import/problems.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/model.h:

harness/base/error.h:

harness/history/condition.h:

harness/import/source.h:
