mutex_oracle_test.o: harness/model/mutex_oracle_test.c \
  harness/model/test_oracle.h harness/model/test_show.h \
  harness/model/test_compare.h harness/model/test_perturbed_operations.h \
  harness/model/test_random_operations.h harness/base/random.h \
  harness/model/test_search.h harness/base/text.h harness/model/model.h \
  harness/base/error.h harness/model/operations.h \
  harness/history/event.h

harness/model/test_oracle.h:

harness/model/test_show.h:

harness/model/test_compare.h:

harness/model/test_perturbed_operations.h:

harness/model/test_random_operations.h:

harness/base/random.h:

harness/model/test_search.h:

harness/base/text.h:

harness/model/model.h:

harness/base/error.h:

harness/model/operations.h:

harness/history/event.h:
