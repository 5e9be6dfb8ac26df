// What a parser finds must not depend on how the network has cut what was said, nor may anything be
// lost or read beyond its end: conversations, whole and damaged, cut at random places.
#include "harness/testing/test.h"
#include "harness/wire/test_parser.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"

#define MOST_SAYINGS 24
#define SAYING_ROOM 600
#define ROUNDS 3000
#define SPLITS 4

// A conversation of its own bytes, which can be damaged.
struct conversation {
    const char *kind;
    size_t count;
    struct {
        bool by_client;
        size_t length;
        char bytes[SAYING_ROOM];
    } sayings[MOST_SAYINGS];
};

// --- what is said --------------------------------------------------------------------------------

#define LEN(n) "\0\0\0" n
#define ZXID "\0\0\0\0\0\0\0\7"
#define BINARY(magic, code, body) magic code "\0\1\0\0\0\0\0\0\0" body "\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct saying redis[] = {
    ASKS("*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"),
    ANSWERS("%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n"),
    ASKS("*6\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n$2\r\nNX\r\n$2\r\nPX\r\n$3\r\n800\r\n"),
    ANSWERS("+OK\r\n"),
    ASKS("*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nEXEC\r\nPING\r\n"),
    ANSWERS("+OK\r\n+QUEUED\r\n*1\r\n$4\r\na\r\nb\r\n+PONG\r\n"),
    ASKS("*3\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n$1\r\nb\r\n"),
    ANSWERS(
        ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n"),
    ANSWERS(">3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n"),
    ASKS("*2\r\n$7\r\nEVALSHA\r\n$0\r\n\r\n*1\r\n$4\r\nQUIT\r\n"),
    ANSWERS("-NOSCRIPT No matching script.\r\n|1\r\n+ttl\r\n:5\r\n_\r\n"),
};
static const struct saying mysql[] = {
    ANSWERS("\x0c\0\0\0\x0a"
            "5.5.5-10.11"),
    ASKS("\x0e\0\0\1\x00\x02\0\0"
         "abcdefghij"),
    ANSWERS("\7\0\0\2\0\0\0\2\0\0\0"),
    ASKS("\x18\0\0\0\3SELECT GET_LOCK('a', 1)"),
    ANSWERS("\1\0\0\1\1\4\0\0\2ab\0\0\5\0\0\3\xfe\0\0\2\0\2\0\0\4\x01"
            "1\5\0\0\5\xfe\0\0\2\0"),
    ASKS("\x0b\0\0\0\x16insert  x;"),
    ANSWERS("\x0c\0\0\1\0\x09\1\0\0\0\0\0\0\0\0\0"),
    ASKS("\x0a\0\0\0\x17\x09\1\0\0\0\1\0\0\0"),
    ANSWERS("\7\0\0\1\0\1\0\2\0\0\0"),
    ASKS("\5\0\0\0\x19\x09\1\0\0\7\0\0\0\3commit"),
    ANSWERS("\7\0\0\1\0\0\0\2\0\0\0"),
    ASKS("\1\0\0\0\1"),
};
static const struct saying memcached[] = {
    ASKS("add key 0 10 9\r\nab\r\nEND\r\n\r\n"),
    ANSWERS("STORED\r\n"),
    ASKS("gets key other\r\nversion\r\n"),
    ANSWERS("VALUE key 0 5 77\r\nEND\r\n\r\nVALUE other 0 1 3\r\nx\r\nEND\r\nVERSION 1.6.18\r\n"),
    ASKS("ms key 4 T1\r\nEN\r\n\r\nmg key v\r\n"),
    ANSWERS("HD\r\nVA 4\r\nEN\r\n\r\n"),
    ASKS("cas key 0 0 2 77 noreply\r\nab\r\ndelete key\r\nstats\r\n"),
    ANSWERS("NOT_FOUND\r\nSTAT a 1\r\nSTAT b 2\r\nEND\r\n"),
};
static const struct saying binary[] = {
    ASKS(BINARY("\x80", "\2", "\3") "kxy" BINARY("\x80", "\0", "\1") "k"),
    ANSWERS(BINARY("\x81", "\2", "\1") "k" BINARY("\x81", "\0", "\5") "k\x81\2\0\0"),
    ASKS(BINARY("\x80", "\x04", "\1") "k"),
    ANSWERS(BINARY("\x81", "\x04", "\0")),
};
static const struct saying zookeeper[] = {
    ASKS(LEN("\x0c") "hello, there"),
    ANSWERS(LEN("\x12") "0123456789abcdefgh"),
    ASKS(LEN("\x0a") LEN("\1") LEN("\1") "ab" LEN("\x08") "\xff\xff\xff\xfe" LEN("\x0b")),
    ANSWERS(LEN("\x12") LEN("\1") ZXID LEN("\0") "/a"),
    ASKS(LEN("\x08") LEN("\2") LEN("\4")),
    ANSWERS(LEN("\x11") "\xff\xff\xff\xff" ZXID LEN("\0") "x" LEN(
        "\x10") "\xff\xff\xff\xfe" ZXID LEN("\0") LEN("\x10") LEN("\2") ZXID LEN("\0")),
    ASKS(LEN("\x08") LEN("\3") "\xff\xff\xff\xf5"),
    ANSWERS(LEN("\x10") LEN("\3") ZXID LEN("\0")),
};
static const struct saying etcd[] = {
    ASKS("POST /v3/lease/grant HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n"
         "Expect: 100-continue\r\n\r\n"),
    ANSWERS("HTTP/1.1 100 Continue\r\n\r\n"),
    ASKS("{\"TTL\": 1}"),
    ANSWERS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    ASKS("GET /v3/leases?x=/y HTTP/1.1\r\n\r\n"),
    ANSWERS("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    ASKS("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ANSWERS("\0\0\0\4\0\0\0\0\0"),
};

static void take(struct conversation *conversation, const char *kind, const struct saying *sayings,
                 size_t count)
{
    assert_in_range(count, 1, MOST_SAYINGS);
    conversation->kind = kind;
    conversation->count = count;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(sayings[i].length, 1, SAYING_ROOM);
        conversation->sayings[i].by_client = sayings[i].by_client;
        conversation->sayings[i].length = sayings[i].length;
        memcpy(conversation->sayings[i].bytes, sayings[i].bytes, sayings[i].length);
    }
}

// --- how it is told ------------------------------------------------------------------------------

// Tells a piece from memory of exactly its size, so that a sanitizer sees a read beyond its end.
static void tell_piece(struct parser *parser, bool by_client, const char *bytes, size_t length,
                       struct text *events)
{
    char *exact = malloc(length);
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    tell(parser, by_client, exact, length, events);
    free(exact);
}

// Tells it whole if `random` is NULL, else in pieces of up to `longest` bytes.
static void tell_all(const struct conversation *conversation, struct random *random, size_t longest,
                     struct text *events)
{
    struct parser *parser = parser_new(conversation->kind);
    for (size_t i = 0; i < conversation->count; i++) {
        size_t length = conversation->sayings[i].length;
        for (size_t at = 0; at < length;) {
            size_t piece = length - at;
            if (random != NULL && piece > 1) {
                size_t most = piece < longest ? piece : longest;
                piece = 1 + (size_t)random_below(random, most);
            }
            tell_piece(parser, conversation->sayings[i].by_client,
                       conversation->sayings[i].bytes + at, piece, events);
            at += piece;
        }
    }
    text_format(events, "%s", parser_understands(parser) ? "understood" : "numbered");
    parser_free(parser);
}

static void expect_the_same_however_split(const struct conversation *conversation,
                                          struct random *random, const char *what)
{
    struct text whole = {0};
    tell_all(conversation, NULL, 0, &whole);
    for (size_t longest = 1; longest < 1 << SPLITS; longest *= 2) {
        struct text split = {0};
        tell_all(conversation, random, longest, &split);
        if (strcmp(whole.bytes, split.bytes) != 0)
            fail_msg("%s, %s, in pieces of up to %zu: %s, and whole: %s", conversation->kind, what,
                     longest, split.bytes, whole.bytes);
        text_free(&split);
    }
    text_free(&whole);
}

// Flips a bit, or takes some bytes out.
static void damage(struct conversation *conversation, struct random *random)
{
    size_t which = (size_t)random_below(random, conversation->count);
    size_t length = conversation->sayings[which].length;
    char *bytes = conversation->sayings[which].bytes;
    size_t at = (size_t)random_below(random, length);
    size_t most = length - at < 4 ? length - at : 4;
    if (random_below(random, 4) > 0 || most == length) {
        bytes[at] = (char)(bytes[at] ^ (1 << random_below(random, 8)));
        return;
    }
    size_t out = 1 + (size_t)random_below(random, most);
    memmove(bytes + at, bytes + at + out, length - at - out);
    conversation->sayings[which].length -= out;
}

// --- tests ---------------------------------------------------------------------------------------

static void take_one(struct conversation *conversation, int which)
{
    static const struct {
        const char *kind;
        const struct saying *sayings;
        size_t count;
    } all[] = {
        {"redis", redis, sizeof redis / sizeof *redis},
        {"mysql", mysql, sizeof mysql / sizeof *mysql},
        {"memcached", memcached, sizeof memcached / sizeof *memcached},
        {"memcached", binary, sizeof binary / sizeof *binary},
        {"zookeeper", zookeeper, sizeof zookeeper / sizeof *zookeeper},
        {"etcd", etcd, sizeof etcd / sizeof *etcd},
    };
    take(conversation, all[which].kind, all[which].sayings, all[which].count);
}
#define ETCD 5
#define CONVERSATIONS 6

TEST(each_conversation_is_understood_as_it_was_meant)
{
    static const char *const expected[CONVERSATIONS] = {
        ">HELLO <HELLO >SET <SET >MULTI >GET >EXEC >PING <MULTI <GET <EXEC <PING >SUBSCRIBE "
        "<SUBSCRIBE >EVALSHA >QUIT <EVALSHA <QUIT understood",
        ">GET_LOCK <GET_LOCK >PREPARE <PREPARE >INSERT <INSERT >CLOSE >COMMIT <COMMIT >QUIT "
        "understood",
        ">add <add >gets >version <gets <version >ms >mg <ms <mg >cas >delete >stats <delete "
        "<stats understood",
        ">add >get <add <get >delete <delete understood",
        ">connect <connect >create >ping <create >getData <ping <getData >close <close understood",
        ">grant <grant >leases <leases >request <request numbered",
    };
    for (int i = 0; i < CONVERSATIONS; i++) {
        struct conversation conversation;
        struct text events = {0};
        take_one(&conversation, i);
        tell_all(&conversation, NULL, 0, &events);
        assert_string_equal(events.bytes, expected[i]);
        text_free(&events);
    }
}

TEST(what_is_found_does_not_depend_on_the_pieces)
{
    struct random random;
    random_start(&random, 3, 0);
    for (int i = 0; i < CONVERSATIONS; i++) {
        struct conversation conversation;
        take_one(&conversation, i);
        for (int round = 0; round < 50; round++)
            expect_the_same_however_split(&conversation, &random, "sound");
    }
}

// With LOCKPICK_ROUNDS in the environment, so many, and others each time.
//
// Of etcd, a reply has come with its first bytes, so that two at a time depend on the pieces: there
// all that counts is that nothing breaks.
TEST(not_even_if_it_is_damaged)
{
    const char *rounds = getenv("LOCKPICK_ROUNDS");
    long most = rounds != NULL ? strtol(rounds, NULL, 10) : ROUNDS;
    struct random random;
    random_start(&random, rounds != NULL ? (uint64_t)clock_monotonic_ns() : 5, 0);
    for (long round = 0; round < most; round++) {
        struct conversation conversation;
        struct text events = {0};
        int which = (int)(round % CONVERSATIONS);
        take_one(&conversation, which);
        for (uint64_t damages = 1 + random_below(&random, 3); damages > 0; damages--)
            damage(&conversation, &random);
        if (which == ETCD)
            tell_all(&conversation, &random, 8, &events);
        else
            expect_the_same_however_split(&conversation, &random, "damaged");
        text_free(&events);
    }
}
