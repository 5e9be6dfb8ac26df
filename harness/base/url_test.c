#include "harness/base/url.h"

#include "harness/testing/test.h"

TEST(a_whole_url_is_taken_apart)
{
    struct url url;
    struct error error;
    assert_int_equal(url_read("redis://me:p%40ss:w@host-1:6380,10.0.0.2/7", &url, &error), 0);
    assert_string_equal(url.scheme, "redis");
    assert_string_equal(url.user, "me");
    assert_string_equal(url.password, "p@ss:w");
    assert_int_equal(url.host_count, 2);
    assert_string_equal(url.hosts[0].host, "host-1");
    assert_int_equal(url.hosts[0].port, 6380);
    assert_string_equal(url.hosts[1].host, "10.0.0.2");
    assert_int_equal(url.hosts[1].port, 0);
    assert_string_equal(url.path, "7");
}

TEST(what_is_left_out_is_empty)
{
    struct url url;
    struct error error;
    assert_int_equal(url_read("etcd://localhost", &url, &error), 0);
    assert_string_equal(url.user, "");
    assert_string_equal(url.password, "");
    assert_string_equal(url.path, "");
    assert_int_equal(url.hosts[0].port, 0);
    assert_int_equal(url_read("redis://:secret@host", &url, &error), 0);
    assert_string_equal(url.user, "");
    assert_string_equal(url.password, "secret");
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
        {"redis://host:", "port"},
        {"redis://host:0", "port"},
        {"redis://host:65536", "port"},
        {"redis://host:12x", "port"},
        {"redis://me:secret%4@host", "password"},
        {"redis://me:secret%@host", "password"},
        {"redis://me:secret%zz@host", "password"},
        {"redis://m%e:secret@host", "user"},
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
    static const char *const formats[] = {"%s://host", "redis://%s@host", "redis://u:%s@host",
                                          "redis://%s", "redis://host/%s"};
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

TEST(a_password_is_found_anywhere_in_a_text)
{
    assert_true(
        url_has_password("servers: {mysql: {external: \"mysql://me:secret@host/test\"}}\n"));
    assert_true(url_has_password("http://a b\nredis://:secret@[::1]:6379"));
    assert_false(
        url_has_password("about: see https://example.org/a@b\nexternal: redis://host:6379"));
    assert_false(url_has_password(""));
}
