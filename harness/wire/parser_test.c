// What a protocol parser makes of hand-made conversations: in one piece, split at every byte and at
// random places, damaged, and of noise. What is found must not depend on how the network has cut
// what was said, nor may anything be lost or read beyond its end.
#include "harness/testing/cases.h"
#include "harness/wire/test_told.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/text.h"

#define MOST_SAYINGS 16
#define SAYING_ROOM 200

// What one side says, with NULs in it.
struct saying {
    bool by_client;
    size_t length;
    char bytes[SAYING_ROOM];
};

#define ASKS(text)                                                                                 \
    {                                                                                              \
        true, sizeof(text) - 1, text                                                               \
    }
#define ANSWERS(text)                                                                              \
    {                                                                                              \
        false, sizeof(text) - 1, text                                                              \
    }

struct conversation {
    char kind[12];
    char *expected;    // ">NAME " for each request, "<NAME " for each reply; and how it ends
    bool is_by_pieces; // a reply has come with its first bytes, so that it depends on the pieces
    struct saying sayings[MOST_SAYINGS];
};

static struct conversation conversations[20];
static int conversation_count;

// What "\r", "\n", "\\" and "\xNN" stand for.
static void read_saying(const char *text, struct saying *saying)
{
    saying->by_client = text[0] == '>';
    for (text += 2; *text != '\0'; text++) {
        unsigned byte = (unsigned char)*text;
        if (*text == '\\' && *++text == 'x' && sscanf(++text, "%2x", &byte) == 1)
            text++;
        else if (byte == '\\')
            byte = *text == 'r' ? '\r' : *text == 'n' ? '\n' : '\\';
        assert_true(saying->length < SAYING_ROOM);
        saying->bytes[saying->length++] = (char)byte;
    }
}

static void read_conversation(const struct written_case *one)
{
    struct conversation *each = &conversations[conversation_count++];
    size_t count = 0;
    assert_int_equal(sscanf(one->name, "%11[a-z]", each->kind), 1);
    each->is_by_pieces = strstr(one->name, " by pieces:") != NULL;
    each->expected = memory_string(one->expected.bytes);
    each->expected[strlen(each->expected) - 1] = '\0';
    for (char *rest = one->body.bytes, *line;
         (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        read_saying(line, &each->sayings[count++]);
    assert_true(count < MOST_SAYINGS);
}

static int read_conversations(void **state)
{
    (void)state;
    each_case("harness/wire/cases/conversations.cases", 16, read_conversation);
    return 0;
}

static int free_conversations(void **state)
{
    (void)state;
    while (conversation_count > 0)
        free(conversations[--conversation_count].expected);
    return 0;
}

TEST_GROUP(read_conversations, free_conversations);

// --- telling -------------------------------------------------------------------------------------

// What is found, written down, and the last of it.
struct found {
    struct text *events; // NULL: it is not wanted
    struct parsed_request last;
};

static void hear(void *context, bool by_client, const struct parsed_request *request)
{
    struct found *found = context;
    if (found->events != NULL)
        text_format(found->events, "%c%s ", by_client ? '>' : '<', request->name);
    found->last = *request;
}

static struct parsed_request tell(struct parser *parser, bool by_client, const char *bytes,
                                  size_t length, struct text *events)
{
    struct found found = {.events = events};
    tell_exactly(parser, by_client, bytes, length, hear, &found);
    return found.last;
}

// Tells all in pieces of up to `longest` bytes at random places, or cut at that one place if
// `random` is NULL. Returns what was found, for the caller to free.
static char *tell_all(const struct conversation *conversation, struct random *random,
                      size_t longest)
{
    struct text events = {0};
    struct parser *parser = parser_new(conversation->kind);
    text_add(&events, "");
    for (const struct saying *said = conversation->sayings; said->length > 0; said++) {
        for (size_t at = 0, piece; at < said->length; at += piece) {
            size_t most = said->length - at < longest ? said->length - at : longest;
            piece = random != NULL ? 1 + (size_t)random_below(random, most)
                    : at == 0      ? most
                                   : said->length - at;
            tell(parser, said->by_client, said->bytes + at, piece, &events);
        }
    }
    text_add(&events, parser_understands(parser) ? "understood" : "numbered");
    parser_free(parser);
    return events.bytes;
}

static void expect(const char *kind, size_t cut, char *found, const char *expected)
{
    if (strcmp(found, expected) != 0)
        fail_msg("%s, cut by %zu: %s, and not %s", kind, cut, found, expected);
    free(found);
}

TEST(each_conversation_is_understood_as_it_was_meant_however_it_is_cut)
{
    struct random random;
    random_start(&random, 3, 0);
    for (int i = 0; i < conversation_count; i++) {
        const struct conversation *each = &conversations[i];
        expect(each->kind, SAYING_ROOM, tell_all(each, NULL, SAYING_ROOM), each->expected);
        for (size_t cut = 1; !each->is_by_pieces && cut < SAYING_ROOM; cut++)
            expect(each->kind, cut, tell_all(each, NULL, cut), each->expected);
        for (size_t longest = 1; !each->is_by_pieces && longest <= 8; longest *= 2) {
            for (int round = 0; round < 50; round++)
                expect(each->kind, longest, tell_all(each, &random, longest), each->expected);
        }
    }
}

// Flips a bit, or takes some bytes out.
static void damage(struct conversation *conversation, struct random *random)
{
    size_t count = 0;
    while (conversation->sayings[count].length > 0)
        count++;
    struct saying *saying = &conversation->sayings[random_below(random, count)];
    size_t at = (size_t)random_below(random, saying->length);
    size_t most = saying->length - at < 4 ? saying->length - at : 4;
    if (random_below(random, 4) > 0 || most == saying->length) {
        saying->bytes[at] = (char)(saying->bytes[at] ^ (1 << random_below(random, 8)));
        return;
    }
    size_t out = 1 + (size_t)random_below(random, most);
    memmove(saying->bytes + at, saying->bytes + at + out, saying->length - at - out);
    saying->length -= out;
}

// With LOCKPICK_ROUNDS in the environment, so many, and others each time. Of those that depend on
// the pieces, all that counts is that nothing breaks.
TEST(the_same_is_found_of_damaged_ones_however_they_are_cut)
{
    const char *rounds = getenv("LOCKPICK_ROUNDS");
    long most = rounds != NULL ? strtol(rounds, NULL, 10) : 3000;
    struct random random;
    random_start(&random, rounds != NULL ? (uint64_t)clock_monotonic_ns() : 5, 0);
    for (long round = 0; round < most; round++) {
        struct conversation damaged = conversations[round % conversation_count];
        for (uint64_t damages = 1 + random_below(&random, 3); damages > 0; damages--)
            damage(&damaged, &random);
        AUTO_FREE char *whole = tell_all(&damaged, NULL, SAYING_ROOM);
        for (size_t longest = 1; longest <= 8; longest *= 2) {
            char *cut = tell_all(&damaged, &random, longest);
            if (damaged.is_by_pieces)
                free(cut);
            else
                expect(damaged.kind, longest, cut, whole);
        }
    }
}

// A sound beginning, and then anything: whatever it is, all of it goes through.
TEST(noise_is_let_through_to_the_last_byte)
{
    struct random random;
    random_start(&random, 7, 0);
    for (int round = 0; round < 2000; round++) {
        char bytes[300];
        const struct conversation *begun = &conversations[round % conversation_count];
        struct parser *parser = parser_new(begun->kind);
        for (int i = 0; i < 2; i++)
            tell(parser, begun->sayings[i].by_client, begun->sayings[i].bytes,
                 begun->sayings[i].length, NULL);
        for (int piece = 0; piece < 6; piece++) {
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (char)random_next(&random);
            if (round % 3 == 0)
                bytes[0] = "*$+%>|0\x80"[random_next(&random) % 8];
            tell(parser, piece % 2 == 0, bytes, 1 + (size_t)(random_next(&random) % 300), NULL);
        }
        parser_free(parser);
    }
}

TEST(a_request_is_found_with_its_last_byte_and_not_before)
{
    size_t size = 1024 * 1024;
    AUTO_TEXT struct text request = {0};
    AUTO_FREE char *value = memory_zeroed(1, size);
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
}

// --- what is understood of Redis -----------------------------------------------------------------

#define WORDS(count) "*" #count "\r\n"
#define KEY "$1\r\nk\r\n"
#define VALUE "$1\r\nv\r\n"

TEST(redis_requests_tell_their_conditions_and_their_end)
{
    static const struct {
        const char *asked, *answered;
        unsigned words;
        int64_t ttl_ms;
        enum reply_kind reply;
    } cases[] = {
        {WORDS(6) "$3\r\nset\r\n" KEY VALUE "$2\r\nNX\r\n$2\r\npx\r\n$3\r\n400\r\n", "+OK\r\n",
         REQUEST_NX | REQUEST_EXPIRES, 400, REPLY_OK},
        {WORDS(6) "$3\r\nSET\r\n" KEY VALUE "$2\r\nEX\r\n$1\r\n4\r\n$2\r\nxx\r\n", "$-1\r\n",
         REQUEST_XX | REQUEST_EXPIRES, 4000, REPLY_NIL},
        {WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$4\r\nPXAT\r\n$2\r\n99\r\n", "+OK\r\n", REQUEST_UNTIL,
         0, REPLY_OK},
        {WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$2\r\nNX\r\n$3\r\nGET\r\n", "$-1\r\n", REQUEST_NX, 0,
         REPLY_OK},
        {WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$2\r\nnx\r\n$3\r\nget\r\n", "$1\r\no\r\n", REQUEST_NX,
         0, REPLY_NIL},
        {WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$3\r\nGET\r\n$2\r\nXX\r\n", "$1\r\no\r\n", REQUEST_XX,
         0, REPLY_OK},
        {WORDS(5) "$3\r\nSET\r\n" KEY VALUE "$3\r\nGET\r\n$2\r\nXX\r\n", "+QUEUED\r\n", REQUEST_XX,
         0, REPLY_QUEUED},
        {WORDS(4) "$3\r\nSET\r\n" KEY VALUE "$3\r\nGET\r\n", "$-1\r\n", 0, 0, REPLY_OK},
        {WORDS(2) "$3\r\nDEL\r\n" KEY, "+QUEUED\r\n", 0, 0, REPLY_QUEUED},
        {WORDS(5) "$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n1\r\n" KEY VALUE, ":-1\r\n", REQUEST_COMPARES, 0,
         REPLY_NEGATIVE},
        {WORDS(2) "$3\r\nDEL\r\n" KEY, ":0\r\n", 0, 0, REPLY_ZERO},
        {WORDS(2) "$3\r\nDEL\r\n" KEY, ":1\r\n", 0, 0, REPLY_SOME},
        {WORDS(3) "$7\r\nPEXPIRE\r\n" KEY "$2\r\n70\r\n", "-ERR\r\n", REQUEST_EXPIRES, 70,
         REPLY_ERROR},
        {WORDS(4) "$5\r\nSETEX\r\n" KEY "$1\r\n7\r\n" VALUE, "+OK\r\n", REQUEST_EXPIRES, 7000,
         REPLY_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parser *parser = parser_new("redis");
        struct parsed_request request =
            tell(parser, true, cases[i].asked, strlen(cases[i].asked), NULL);
        assert_int_equal(request.words, cases[i].words);
        assert_int_equal(request.ttl_ms, cases[i].ttl_ms);
        assert_int_not_equal(request.key, 0);
        struct parsed_request replied =
            tell(parser, false, cases[i].answered, strlen(cases[i].answered), NULL);
        assert_int_equal(replied.reply, cases[i].reply);
        assert_int_equal(replied.key, request.key);
        parser_free(parser);
    }
}

// A SET's, and a script's, are the same if their key and value are.
TEST(redis_keys_and_values_are_known_again)
{
    static const char *const asked[] = {
        WORDS(3) "$3\r\nSET\r\n" KEY VALUE,
        WORDS(5) "$7\r\nEVALSHA\r\n$2\r\nab\r\n$1\r\n1\r\n" KEY VALUE,
        WORDS(3) "$5\r\nSETNX\r\n" KEY VALUE, WORDS(3) "$3\r\nSET\r\n" KEY "$1\r\nw\r\n"};
    struct parsed_request requests[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        struct parser *parser = parser_new("redis");
        requests[i] = tell(parser, true, asked[i], strlen(asked[i]), NULL);
        assert_int_not_equal(requests[i].key, 0);
        assert_int_equal(requests[i].key, requests[0].key);
        assert_true((requests[i].value == requests[0].value) == (i < 3));
        parser_free(parser);
    }
}

TEST(notifications_are_counted_or_said_to_be_unknown)
{
    static const struct {
        const char *kind;
        int64_t notices;
        struct saying sayings[3];
    } cases[] = {
        {"redis",
         1,
         {ASKS("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n"),
          ANSWERS("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
                  "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n")}},
        {"zookeeper",
         1,
         {ASKS("\0\0\0\4abcd\0\0\0\10\0\0\0\1\0\0\0\3"),
          ANSWERS("\0\0\0\20connectedconnect\0\0\0\20\0\0\0\1zxidzxid\0\0\0\0"
                  "\0\0\0\20\377\377\377\377zxidzxid\0\0\0\0")}},
        {"memcached", 0, {ASKS("get k\r\n"), ANSWERS("END\r\n")}},
        {"etcd", -1, {{false, 0, ""}}}, // a watch is an answer that goes on
        {"postgres", -1, {{false, 0, ""}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parser *parser = parser_new(cases[i].kind);
        for (const struct saying *said = cases[i].sayings; said->length > 0; said++)
            tell(parser, said->by_client, said->bytes, said->length, NULL);
        assert_int_equal(parser_notices(parser), cases[i].notices);
        assert_true(cases[i].notices < 0 || parser_notices(parser) == 0);
        parser_free(parser);
    }
}
