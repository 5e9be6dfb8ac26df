stored_path.o: harness/cli/stored_path.c harness/cli/stored_path.h \
  harness/base/file.h harness/base/error.h harness/base/text.h

harness/cli/stored_path.h:

harness/base/file.h:

harness/base/error.h:

harness/base/text.h:
