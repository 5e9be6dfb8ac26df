check_options.o: harness/cli/check_options.c harness/cli/check_options.h \
  harness/import/import.h harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/model/model.h harness/base/error.h harness/base/growing.h \
  harness/cli/options.h harness/import/entry.h harness/import/value.h

harness/cli/check_options.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/model.h:

harness/base/error.h:

harness/base/growing.h:

harness/cli/options.h:

harness/import/entry.h:

harness/import/value.h:
