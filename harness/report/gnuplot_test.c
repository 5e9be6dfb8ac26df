#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/testing/test.h"

#include <sys/stat.h>

TEST_FOLDER("/tmp/lockpick-gnuplot-test-XXXXXX");

TEST_WITH(a_picture_that_is_never_finished_is_an_error_that_names_gnuplot, make_test_folder,
          remove_test_folder)
{
    static const char hangs[] = "#!/bin/sh\nexec sleep 1000\n";
    struct plot plot = {.kind = &latency_picture, .folder = folder};
    struct error error = {0};
    bool missing = false;
    AUTO_FREE char *program = path_join(folder, "gnuplot");
    AUTO_TEXT struct text path = {0};
    assert_int_equal(file_write(program, hangs, strlen(hangs), NULL), 0);
    assert_int_equal(chmod(program, 0755), 0);
    text_format(&path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path.bytes, 1);
    assert_int_equal(gnuplot_run(&(struct plot *){&plot}, 1, &missing, &error), -1);
    assert_false(missing);
    assert_non_null(strstr(error.text, "sending signal TERM to command"));
}
