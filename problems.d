problems.o: harness/import/problems.c harness/import/problems.h \
  harness/base/text.h

harness/import/problems.h:

harness/base/text.h:
