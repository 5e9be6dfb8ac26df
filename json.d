json.o: harness/import/json.c harness/import/reader.h \
  harness/import/problems.h harness/base/text.h harness/import/value.h

harness/import/reader.h:

harness/import/problems.h:

harness/base/text.h:

harness/import/value.h:
