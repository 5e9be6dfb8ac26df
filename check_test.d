check_test.o: harness/cli/check_test.c harness/base/test_folder.h \
  harness/base/text.h harness/cli/test_command.h harness/base/file.h \
  harness/base/error.h

harness/base/test_folder.h:

harness/base/text.h:

harness/cli/test_command.h:

harness/base/file.h:

harness/base/error.h:
