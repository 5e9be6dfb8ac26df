edn_text.o: harness/import/edn_text.c harness/import/edn_text.h \
  harness/import/reader.h harness/import/problems.h harness/base/text.h \
  harness/import/value.h

harness/import/edn_text.h:

harness/import/reader.h:

harness/import/problems.h:

harness/base/text.h:

harness/import/value.h:
