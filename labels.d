labels.o: harness/import/labels.c harness/import/labels.h \
  harness/base/growing.h harness/base/text.h

harness/import/labels.h:

harness/base/growing.h:

harness/base/text.h:
