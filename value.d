value.o: harness/import/value.c harness/import/value.h \
  harness/base/text.h

harness/import/value.h:

harness/base/text.h:
