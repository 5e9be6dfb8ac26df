#include "harness/base/url.h"

#include "harness/base/file.h"
#include "harness/testing/test.h"

#include <unistd.h>

TEST(a_whole_url_is_taken_apart)
{
    struct url url;
    struct error error;
    assert_int_equal(url_read("redis://m%40e@host-1:6380,10.0.0.2/7", &url, &error), 0);
    assert_string_equal(url.scheme, "redis");
    assert_string_equal(url.user, "m@e");
    assert_int_equal(url.host_count, 2);
    assert_string_equal(url.hosts[0].host, "host-1");
    assert_int_equal(url.hosts[0].port, 6380);
    assert_string_equal(url.hosts[1].host, "10.0.0.2");
    assert_int_equal(url.hosts[1].port, 0);
    assert_string_equal(url.path, "7");
}

TEST(an_ipv6_address_stands_in_brackets)
{
    struct url url;
    struct error error;
    assert_int_equal(url_read("etcd://me@[::1]:2379,[fe80::7:a],host/", &url, &error), 0);
    assert_int_equal(url.host_count, 3);
    assert_string_equal(url.hosts[0].host, "::1");
    assert_int_equal(url.hosts[0].port, 2379);
    assert_string_equal(url.hosts[1].host, "fe80::7:a");
    assert_int_equal(url.hosts[1].port, 0);
    assert_string_equal(url.hosts[2].host, "host");
}

TEST(what_is_left_out_is_empty)
{
    struct url url;
    struct error error;
    assert_int_equal(url_read("etcd://localhost", &url, &error), 0);
    assert_string_equal(url.user, "");
    assert_string_equal(url.path, "");
    assert_int_equal(url.hosts[0].port, 0);
}

TEST(a_wrong_url_is_refused_without_its_password)
{
    static const struct {
        const char *url;
        const char *says;
    } cases[] = {
        {"", "://"},
        {"host:6379", "://"},
        {"://host", "://"},
        {"redis://", "host's name is missing"},
        {"redis://a,,b", "host's name is missing"},
        {"redis://:6379", "host's name is missing"},
        {"redis://::1:6379", "must stand in brackets: [::1]:PORT"},
        {"redis://::1", "must stand in brackets"},
        {"redis://[::1", "must stand in brackets"},
        {"redis://[::1]x", "may come after the ']'"},
        {"redis://[host]:1", "'host' is no IPv6 address"},
        {"redis://[]", "'' is no IPv6 address"},
        {"redis://[::1]:", "port"},
        {"redis://a:1,b:1,a:1", "'a:1' stands there twice"},
        {"redis://a,a", "twice"},
        {"redis://host:", "port"},
        {"redis://host:0", "port"},
        {"redis://host:65536", "port"},
        {"redis://host:12x", "port"},
        {"redis://me:secret@host", "env:NAME or file:PATH"},
        {"redis://:secret@host", "env:NAME or file:PATH"},
        {"redis://me:sec@ret@host", "env:NAME or file:PATH"},
        {"redis://me:1234/se/cret@host", "env:NAME or file:PATH"},
        {"redis://host/7?password=secret", "after a '?'"},
        {"redis://m%e@host", "user"},
        {"redis://a,b,c,d,e,f,g,h,i", "more than 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct url url;
        struct error error;
        if (url_read(cases[i].url, &url, &error) == 0 ||
            strstr(error.text, cases[i].says) == NULL || strstr(error.text, "secret") != NULL)
            fail_msg("'%s': %s", cases[i].url, error.text);
    }
}

TEST(what_is_too_long_is_refused_not_cut)
{
    struct url url;
    struct error error;
    char text[600];
    static const char *const formats[] = {"%s://host", "redis://%s@host", "redis://%s",
                                          "redis://host/%s"};
    char longest[300];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *at = strstr(formats[i], "%s");
        size_t before = (size_t)(at - formats[i]);
        memcpy(text, formats[i], before);
        strcpy(text + before, longest);
        strcat(text, at + 2);
        assert_int_equal(url_read(text, &url, &error), -1);
    }
}

TEST(a_password_is_read_from_where_it_is)
{
    static const struct {
        const char *where;
        const char *password; // NULL: refused, because
        const char *says;
    } cases[] = {
        {"env:LOCKPICK_TEST_PASSWORD", "secret", ""},
        {"file:/tmp/lockpick-url-test", "sec ret", ""},
        {"secret", NULL, "env:NAME or file:PATH"},
        {"env:", NULL, "env:NAME or file:PATH"},
        {"env:LOCKPICK_TEST_NOTHING", NULL, "export it"},
        {"env:LOCKPICK_TEST_EMPTY", NULL, "empty"},
        {"file:/nonexistent/password", NULL, "/nonexistent/password"},
    };
    struct error error;
    setenv("LOCKPICK_TEST_PASSWORD", "secret", 1);
    setenv("LOCKPICK_TEST_EMPTY", "", 1);
    assert_int_equal(file_write("/tmp/lockpick-url-test", "sec ret\nmore\n", 13, &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char password[8] = "";
        int result = password_read(cases[i].where, password, sizeof password, &error);
        if (result != (cases[i].password != NULL ? 0 : -1) ||
            (result == 0 ? strcmp(password, cases[i].password) != 0
                         : strstr(error.text, cases[i].says) == NULL))
            fail_msg("%s: '%s', %s", cases[i].where, password, error.text);
    }
    setenv("LOCKPICK_TEST_PASSWORD", "too long a secret", 1);
    char password[8];
    assert_int_equal(password_read("env:LOCKPICK_TEST_PASSWORD", password, 8, &error), -1);
    assert_null(strstr(error.text, "secret"));
    unlink("/tmp/lockpick-url-test");
}
