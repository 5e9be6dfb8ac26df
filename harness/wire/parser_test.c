// What a parser makes of hand-made conversations, in one piece and split at every byte, and of
// noise.
#include "harness/testing/test.h"
#include "harness/wire/test_parser.h"

#include "harness/base/random.h"

// Tells the whole conversation, each saying split at `at`, or by pieces of one byte if that is 0.
static void converse(const char *kind, const struct saying *sayings, size_t count, size_t at,
                     const char *expected)
{
    struct text events = {0};
    struct parser *parser = parser_new(kind);
    for (size_t i = 0; i < count; i++) {
        const struct saying *saying = &sayings[i];
        size_t split = at < saying->length ? at : saying->length;
        for (size_t byte = 0; at == 0 && byte < saying->length; byte++)
            tell(parser, saying->by_client, saying->bytes + byte, 1, &events);
        if (at > 0) {
            tell(parser, saying->by_client, saying->bytes, split, &events);
            tell(parser, saying->by_client, saying->bytes + split, saying->length - split, &events);
        }
    }
    if (strcmp(text_string(&events), expected) != 0)
        fail_msg("split at %zu: %s, and not %s", at, text_string(&events), expected);
    text_free(&events);
    parser_free(parser);
}

#define EXPECT(kind, expected, ...)                                                                \
    do {                                                                                           \
        static const struct saying sayings[] = {__VA_ARGS__};                                      \
        for (size_t at = 0; at < 120; at++)                                                        \
            converse(kind, sayings, sizeof sayings / sizeof *sayings, at, expected);               \
    } while (0)

TEST(redis_commands_are_named_one_by_one)
{
    EXPECT("redis", ">SET <SET >GET >EVALSHA <GET <EVALSHA >PING <PING ",
           ASKS("*3\r\n$3\r\nset\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n"), ANSWERS("+OK\r\n"),
           ASKS("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*2\r\n$7\r\nEVALSHA\r\n$0\r\n\r\n"),
           ANSWERS("$4\r\na\r\nb\r\n*3\r\n:1\r\n*2\r\n$-1\r\n$1\r\nx\r\n*0\r\n"),
           ASKS("PING now\r\n"), ANSWERS("-ERR no\r\n"));
}

// What a request says, by the reply that comes to it.
static void assert_said(const char *asked, const char *answered, unsigned words, int64_t ttl_ms,
                        enum reply_kind reply)
{
    bool found;
    struct parsed_request request = {0}, replied;
    struct parser *parser = parser_new("redis");
    for (size_t at = 0; at < strlen(asked); at++) // byte by byte
        parser_read_requests(parser, (const uint8_t *)asked + at, 1, &found, &request);
    assert_true(found);
    assert_int_equal(request.words, words);
    assert_int_equal(request.ttl_ms, ttl_ms);
    assert_int_not_equal(request.key, 0);
    parser_asked(parser, &request);
    parser_read_replies(parser, (const uint8_t *)answered, strlen(answered), &found, &replied);
    assert_true(found);
    assert_int_equal(replied.reply, reply);
    assert_int_equal(replied.key, request.key);
    parser_free(parser);
}

#define WORDS(count) "*" #count "\r\n"
#define KEY "$1\r\nk\r\n"
#define VALUE "$1\r\nv\r\n"

TEST(redis_requests_tell_their_conditions_and_their_end)
{
    assert_said(WORDS(6) "$3\r\nset\r\n" KEY VALUE "$2\r\nNX\r\n$2\r\npx\r\n$3\r\n400\r\n",
                "+OK\r\n", REQUEST_NX | REQUEST_EXPIRES, 400, REPLY_OK);
    assert_said(WORDS(6) "$3\r\nSET\r\n" KEY VALUE "$2\r\nEX\r\n$1\r\n4\r\n$2\r\nxx\r\n", "$-1\r\n",
                REQUEST_XX | REQUEST_EXPIRES, 4000, REPLY_NIL);
    assert_said(WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$4\r\nPXAT\r\n$2\r\n99\r\n", "+OK\r\n",
                REQUEST_UNTIL, 0, REPLY_OK);
    assert_said(WORDS(5) "$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n1\r\n" KEY VALUE, ":-1\r\n",
                REQUEST_COMPARES, 0, REPLY_NEGATIVE);
    assert_said(WORDS(2) "$3\r\nDEL\r\n" KEY, ":0\r\n", 0, 0, REPLY_ZERO);
    assert_said(WORDS(2) "$3\r\nDEL\r\n" KEY, ":1\r\n", 0, 0, REPLY_SOME);
    assert_said(WORDS(3) "$7\r\nPEXPIRE\r\n" KEY "$2\r\n70\r\n", "-ERR\r\n", REQUEST_EXPIRES, 70,
                REPLY_ERROR);
}

// A SET's, and a script's, are the same if their key and value are.
TEST(redis_keys_and_values_are_known_again)
{
    static const char *const asked[] = {
        WORDS(3) "$3\r\nSET\r\n" KEY VALUE,
        WORDS(5) "$7\r\nEVALSHA\r\n$2\r\nab\r\n$1\r\n1\r\n" KEY VALUE,
        WORDS(3) "$5\r\nSETNX\r\n" KEY VALUE, WORDS(3) "$3\r\nSET\r\n" KEY "$1\r\nw\r\n"};
    struct parsed_request requests[4];
    for (size_t i = 0; i < 4; i++) {
        bool found;
        struct parser *parser = parser_new("redis");
        parser_read_requests(parser, (const uint8_t *)asked[i], strlen(asked[i]), &found,
                             &requests[i]);
        assert_true(found);
        assert_int_equal(requests[i].key, requests[0].key);
        assert_true((requests[i].value == requests[0].value) == (i < 3));
        parser_free(parser);
    }
}

TEST(redis_messages_come_unasked)
{
    EXPECT("redis", ">SUBSCRIBE <SUBSCRIBE >PING <PING >UNSUBSCRIBE <UNSUBSCRIBE >GET <GET ",
           ASKS("*3\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n$1\r\nb\r\n"),
           ANSWERS("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
                   "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n"),
           ANSWERS("*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n"), ASKS("PING\r\n"),
           ANSWERS("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n"),
           ASKS("*1\r\n$11\r\nUNSUBSCRIBE\r\n"),
           ANSWERS("*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n"
                   "*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:0\r\n"),
           ASKS("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), ANSWERS("$-1\r\n"));
    // One that is refused has one reply, for however many channels.
    EXPECT("redis", ">SUBSCRIBE <SUBSCRIBE >GET <GET ",
           ASKS("*3\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n$1\r\nb\r\n"), ANSWERS("-NOPERM no\r\n"),
           ASKS("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), ANSWERS("$-1\r\n"));
    // RESP3 has a form of its own for them, and maps, and attributes in front.
    EXPECT("redis", ">HELLO <HELLO >GET <GET ", ASKS("*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"),
           ANSWERS("%1\r\n$5\r\nproto\r\n:3\r\n"), ASKS("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"),
           ANSWERS(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n|1\r\n+a\r\n,1.5\r\n_\r\n"));
}

static int64_t count_notices(const char *kind, const char *asks, size_t asks_length,
                             const char *answers, size_t answers_length)
{
    struct parser *parser = parser_new(kind);
    struct parsed_request request;
    bool found;
    for (size_t at = 0; at < asks_length;) {
        at += parser_read_requests(parser, (const uint8_t *)asks + at, asks_length - at, &found,
                                   &request);
        if (found)
            parser_asked(parser, &request);
    }
    for (size_t at = 0; at < answers_length;)
        at += parser_read_replies(parser, (const uint8_t *)answers + at, answers_length - at,
                                  &found, &request);
    int64_t notices = parser_notices(parser);
    assert_true(notices < 0 || parser_notices(parser) == 0);
    parser_free(parser);
    return notices;
}

#define NOTICES(kind, asks, answers)                                                               \
    count_notices(kind, asks, sizeof asks - 1, answers, sizeof answers - 1)

TEST(notifications_are_counted_or_said_to_be_unknown)
{
    assert_int_equal(NOTICES("redis", "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n",
                             "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
                             "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n"),
                     1);
    assert_int_equal(NOTICES("zookeeper", "\0\0\0\4abcd\0\0\0\10\0\0\0\1\0\0\0\3",
                             "\0\0\0\20connectedconnect\0\0\0\20\0\0\0\1zxidzxid\0\0\0\0"
                             "\0\0\0\20\377\377\377\377zxidzxid\0\0\0\0"),
                     1);
    assert_int_equal(NOTICES("memcached", "get k\r\n", "END\r\n"), 0);
    assert_int_equal(NOTICES("etcd", "", ""), -1); // a watch is an answer that goes on
    assert_int_equal(NOTICES("postgres", "", ""), -1);
}

TEST(mysql_statements_are_called_by_their_word)
{
    EXPECT("mysql",
           ">SELECT <SELECT >GET_LOCK <GET_LOCK >PREPARE <PREPARE >INSERT <INSERT >CLOSE >QUIT ",
           ANSWERS("\x05\0\0\0hello"), ASKS("\x06\0\0\1\x00\x02\0\0me"), ANSWERS("\1\0\0\2\0"),
           ASKS("\x12\0\0\0\3/* x */ (select 1"), ANSWERS("\1\0\0\1\1\2\0\0\2ab\1\0\0\3\xfe"),
           ASKS("\x18\0\0\0\3SELECT GET_LOCK('a', 1)"), ANSWERS("\1\0\0\1\1\2\0\0\2ab"),
           ASKS("\x0b\0\0\0\x16insert  x;"), ANSWERS("\x07\0\0\1\0\x09\1\0\0\0\0"),
           ASKS("\x07\0\0\0\x17\x09\1\0\0ab"), ANSWERS("\1\0\0\1\0"),
           ASKS("\5\0\0\0\x19\x09\1\0\0"), ASKS("\1\0\0\0\1"));
}

TEST(a_log_in_that_turns_to_tls_has_numbered_requests)
{
    static const struct saying sayings[] = {ANSWERS("\5\0\0\0hello"), ASKS("\4\0\0\1\x00\x0a\0\0"),
                                            ANSWERS("secret"),        ASKS("more"),
                                            ANSWERS("secret"),        ASKS("more"),
                                            ASKS("and more")};
    converse("mysql", sayings, sizeof sayings / sizeof *sayings, 100,
             ">request <request >request <request >request ");
}

TEST(memcached_text_is_understood)
{
    EXPECT("memcached", ">set <set >gets <gets >ms <ms >mg <mg >add >delete <delete >stats <stats ",
           ASKS("set key 0 10 9\r\nab\r\nEND\r\n\r\n"), ANSWERS("STORED\r\n"),
           ASKS("gets key other\r\n"),
           ANSWERS("VALUE key 0 5 77\r\nEND\r\n\r\nVALUE other 0 1 3\r\nx\r\nEND\r\n"),
           ASKS("ms key 4 T1\r\nEN\r\n\r\n"), ANSWERS("HD\r\n"), ASKS("mg key v\r\n"),
           ANSWERS("VA 4\r\nEN\r\n\r\n"), ASKS("add key 0 0 2 noreply\r\nab\r\ndelete key\r\n"),
           ANSWERS("NOT_FOUND\r\n"), ASKS("stats\r\n"), ANSWERS("STAT a 1\r\nSTAT b 2\r\nEND\r\n"));
}

TEST(memcached_binary_is_understood)
{
#define BODY(magic, code, length) magic code "\0\1\0\0\0\0\0\0\0" length "\0\0\0\0\0\0\0\0\0\0\0\0"
    EXPECT("memcached", ">add <add >get <get ", ASKS(BODY("\x80", "\2", "\3") "kxy"),
           ANSWERS(BODY("\x81", "\2", "\1") "k"), ASKS(BODY("\x80", "\0", "\1") "k"),
           ANSWERS(BODY("\x81", "\0", "\5") "k\x81\2\0\0"));
}

TEST(zookeeper_requests_are_called_by_their_type)
{
#define NUMBER(n) "\0\0\0" n
    EXPECT(
        "zookeeper",
        ">connect <connect >create >ping <create >getData <ping >getChildren2 <getData "
        "<getChildren2 >close <close ",
        ASKS(NUMBER("\5") "hello"), ANSWERS(NUMBER("\x12") "0123456789abcdefgh"),
        ASKS(NUMBER("\x0a") NUMBER("\1")
                 NUMBER("\1") "ab" NUMBER("\x08") "\xff\xff\xff\xfe" NUMBER("\x0b")),
        ANSWERS(NUMBER("\x10") NUMBER("\1") "zxidzxid" NUMBER("\0")),
        ASKS(NUMBER("\x08") NUMBER("\2") NUMBER("\4")),
        // An event that was watched for comes in between.
        ANSWERS(NUMBER("\x11") "\xff\xff\xff\xff"
                               "zxidzxid" NUMBER("\0") "x" NUMBER("\x10") "\xff\xff\xff\xfe"
                                                                          "zxidzxid" NUMBER("\0")),
        ASKS(NUMBER("\x08") NUMBER("\3") NUMBER("\x0c")),
        ANSWERS(NUMBER("\x10") NUMBER("\2") "zxidzxid" NUMBER("\0") NUMBER("\x10")
                    NUMBER("\3") "zxidzxid" NUMBER("\0")),
        ASKS(NUMBER("\x08") NUMBER("\4") "\xff\xff\xff\xf5"),
        ANSWERS(NUMBER("\x10") NUMBER("\4") "zxidzxid" NUMBER("\0")));
}

TEST(etcd_requests_are_called_by_their_path)
{
    EXPECT("etcd", ">grant <grant >delete <delete >leases <leases ",
           ASKS("POST /v3/lease/grant HTTP/1.1\r\nHost: a\r\ncontent-length: 3\r\n\r\n{ }"),
           ANSWERS("HTTP/1.1 200 OK\r\n\r\n{}"),
           ASKS("POST /v3/kv/deleterange HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"),
           ANSWERS("HTTP/1.1 200 OK\r\n\r\n{}"), ASKS("GET /v3/leases?x=/y HTTP/1.1\r\n\r\n"),
           ANSWERS("HTTP/1.1 200 OK\r\n\r\n{}"));
}

TEST(other_protocols_have_numbered_requests)
{
    static const struct saying sayings[] = {
        ASKS("a"),   ASKS("b"), ANSWERS("c"), ANSWERS("d"), ASKS("PRI * HTTP/2.0\r\n\r\n"),
        ANSWERS("e")};
    converse("postgres", sayings, 6, 100, ">request <request >request <request ");
    converse("etcd", sayings + 4, 2, 100, ">request <request "); // gRPC, from its first bytes on
}

// By its first byte, as there may be no end of a line for long.
TEST(a_connection_that_begins_with_tls_has_numbered_requests)
{
    static const char *const kinds[] = {"redis", "memcached", "etcd"};
    static const struct saying sayings[] = {ASKS("\x16\x03\x01\0\5hello"),
                                            ANSWERS("\x16\x03\x03\0\5hello"), ASKS("\x17\x03\x03")};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        converse(kinds[i], sayings, 3, 100, ">request <request >request ");
}

TEST(a_request_is_found_with_its_last_byte_and_not_before)
{
    size_t size = 1024 * 1024;
    struct text request = {0};
    char *value = memory_zeroed(1, size);
    bool found = false;
    struct parsed_request known;
    text_format(&request, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%zu\r\n", size);
    text_add_bytes(&request, value, size);
    text_add(&request, "\r\n");
    struct parser *parser = parser_new("redis");
    for (size_t at = 0; at < request.length; at++) {
        assert_false(found);
        const uint8_t *byte = (const uint8_t *)request.bytes + at;
        assert_int_equal(parser_read_requests(parser, byte, 1, &found, &known), 1);
    }
    assert_true(found);
    parser_free(parser);
    text_free(&request);
    free(value);
}

// A sound beginning, and then anything: whatever it is, all of it goes through.
TEST(noise_is_let_through_to_the_last_byte)
{
    static const char *const kinds[] = {"redis", "mysql", "memcached", "zookeeper", "etcd"};
    static const char *const begins[] = {"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "\1\0\0\1",
                                         "get key\r\n", "\0\0\0\5hello", "GET /a HTTP/1.1\r\n\r\n"};
    struct random random;
    random_start(&random, 7, 0);
    for (int round = 0; round < 2000; round++) {
        char bytes[300];
        struct text events = {0};
        size_t which = (size_t)round % 5;
        struct parser *parser = parser_new(kinds[which]);
        tell(parser, true, begins[which],
             which == 3 ? 9 : strlen(begins[which]) + (which == 1 ? 3 : 0), &events);
        for (int piece = 0; piece < 6; piece++) {
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (char)random_next(&random);
            if (round % 3 == 0)
                bytes[0] = "*$+%>|0\x80"[random_next(&random) % 8];
            tell(parser, piece % 2 == 0, bytes, 1 + (size_t)(random_next(&random) % 300), &events);
        }
        text_free(&events);
        parser_free(parser);
    }
}

TEST(what_is_no_longer_understood_is_numbered_from_there_on)
{
    struct text events = {0};
    struct parser *parser = parser_new("redis");
    tell(parser, true, "*1\r\n$4\r\nPING\r\n", 14, &events);
    assert_true(parser_understands(parser));
    tell(parser, false, "what?", 5, &events);
    tell(parser, false, " this\r\n", 7, &events);
    assert_false(parser_understands(parser));
    tell(parser, true, "*1\r\n$4\r\nPING\r\n", 14, &events);
    tell(parser, false, "+PONG\r\n", 7, &events);
    assert_string_equal(events.bytes, ">PING >request <request ");
    text_free(&events);
    parser_free(parser);
}
