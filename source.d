source.o: harness/import/source.c harness/import/source.h \
  harness/base/error.h harness/base/text.h

harness/import/source.h:

harness/base/error.h:

harness/base/text.h:
