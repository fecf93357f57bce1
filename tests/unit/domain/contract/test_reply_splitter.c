
#include "domain/base/text.h"
#include "domain/contract/reply_splitter.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define OBJECT "{\"prompt\": \"a }{\\\"[ cat\", \"steps\": [4]}"
enum { METADATA_BYTES = 4096, RANDOM_CHUNKINGS = 200 };

struct expected {
    const char *reply, *shown;
    enum reply_form form;
    const char *metadata;
};

/* Every one of these is checked with every chunking below. */
static const struct expected corpus[] = {
    /* the delimiter on a line of its own */
    { "Hi!\n---\n" OBJECT, "Hi!", REPLY_DELIMITED, OBJECT },
    { "Hi!\n\n \n---\n\n" OBJECT "\n", "Hi!", REPLY_DELIMITED, OBJECT "\n" },
    { "Hi!\r\n---\r\n" OBJECT "\r\n", "Hi!", REPLY_DELIMITED, OBJECT "\r\n" },
    { "Hi!\r---\r" OBJECT, "Hi!", REPLY_DELIMITED, OBJECT },
    { "Hi!\n \t --- \t \n" OBJECT, "Hi!", REPLY_DELIMITED, OBJECT },
    { "Hi!\n---" OBJECT, "Hi!", REPLY_DELIMITED, OBJECT },
    { "Hi!\n--- " OBJECT, "Hi!", REPLY_DELIMITED, OBJECT },
    { "---\n" OBJECT, "", REPLY_DELIMITED, OBJECT },
    { "\n  ---\n" OBJECT, "", REPLY_DELIMITED, OBJECT },
    { "Hi!\n---\n```json\n" OBJECT "\n```", "Hi!", REPLY_DELIMITED, "```json\n" OBJECT "\n```" },
    { "Hi!\n---\n{broken\nHi again", "Hi!", REPLY_DELIMITED, "{broken\nHi again" },
    { "Hi!\n---\n{}\n---\n{}", "Hi!", REPLY_DELIMITED, "{}\n---\n{}" },
    { "Hi!\n---\n", "Hi!", REPLY_DELIMITED, "" },
    { "Hi!\n---", "Hi!", REPLY_DELIMITED, "" },
    { "---", "", REPLY_DELIMITED, "" },
    { "Hi!\n---\n``", "Hi!", REPLY_DELIMITED, "``" },
    /* lines of dashes that are text */
    { "one\n---\ntwo", "one\n---\ntwo", REPLY_TEXT_ONLY, "" },
    { "one\n---no really\ntwo", "one\n---no really\ntwo", REPLY_TEXT_ONLY, "" },
    { "one\n----\n" OBJECT, "one\n----", REPLY_BARE_OBJECT, OBJECT },
    { "one\n-------{}", "one\n-------{}", REPLY_TEXT_ONLY, "" },
    { "one\n--\n- a\n-- b", "one\n--\n- a\n-- b", REPLY_TEXT_ONLY, "" },
    { "one\n---\n`code`\n", "one\n---\n`code`\n", REPLY_TEXT_ONLY, "" },
    { "one\n---\n\n---\n" OBJECT, "one", REPLY_DELIMITED, OBJECT },
    { "one\n---\n---\n---" OBJECT, "one", REPLY_DELIMITED, OBJECT },
    { "one\n---\n---\ntwo\n---\n" OBJECT, "one\n---\n---\ntwo", REPLY_DELIMITED, OBJECT },
    { "one\n---\n- two\n---\n" OBJECT, "one\n---\n- two", REPLY_DELIMITED, OBJECT },
    { "one\n---\n----\n---\n" OBJECT, "one\n---\n----", REPLY_DELIMITED, OBJECT },
    { "one\n--- ---\n---\n" OBJECT, "one\n--- ---", REPLY_DELIMITED, OBJECT },
    { "a|b\n---|---\n1|2\n---\n" OBJECT, "a|b\n---|---\n1|2", REPLY_DELIMITED, OBJECT },
    { "| a |\n| --- |\n| 1 |\n\n---\n" OBJECT, "| a |\n| --- |\n| 1 |", REPLY_DELIMITED, OBJECT },
    /* within a line only an object that ends the reply makes it the delimiter */
    { "Hi---" OBJECT, "Hi", REPLY_DELIMITED, OBJECT },
    { "Hi ---" OBJECT " \n", "Hi ", REPLY_DELIMITED, OBJECT " \n" },
    { "Hi ---\n" OBJECT, "Hi ", REPLY_DELIMITED, OBJECT },
    { "Hi ---```json\n" OBJECT "\n```", "Hi ", REPLY_DELIMITED, "```json\n" OBJECT "\n```" },
    { "Hi---" OBJECT " there", "Hi---" OBJECT " there", REPLY_TEXT_ONLY, "" },
    { "Hi---{} there\n---\n" OBJECT, "Hi---{} there", REPLY_DELIMITED, OBJECT },
    { "Hi---{}\n---\n" OBJECT, "Hi---{}", REPLY_DELIMITED, OBJECT },
    { "Hi---{\"prompt\": \"a c", "Hi", REPLY_DELIMITED, "{\"prompt\": \"a c" },
    { "Hi---", "Hi---", REPLY_TEXT_ONLY, "" },
    { "a --- b -- c - d", "a --- b -- c - d", REPLY_TEXT_ONLY, "" },
    { "a----{}", "a----{}", REPLY_TEXT_ONLY, "" },
    /* an object without a delimiter */
    { OBJECT, "", REPLY_BARE_OBJECT, OBJECT },
    { "Hi!\n" OBJECT, "Hi!", REPLY_BARE_OBJECT, OBJECT },
    { "Hi!\n{ \"prompt\": \"a c", "Hi!", REPLY_BARE_OBJECT, "{ \"prompt\": \"a c" },
    { "Hi!\n{", "Hi!", REPLY_BARE_OBJECT, "{" },
    { "Hi!\n{prompt: \"a\"}", "Hi!", REPLY_BARE_OBJECT, "{prompt: \"a\"}" },
    { "Hi!\n```json\n" OBJECT "\n```\n", "Hi!", REPLY_BARE_OBJECT, "```json\n" OBJECT "\n```\n" },
    { "Hi!\n```\n" OBJECT, "Hi!", REPLY_BARE_OBJECT, "```\n" OBJECT },
    { "Hi!\n``` {}\n```", "Hi!", REPLY_BARE_OBJECT, "``` {}\n```" },
    { "Hi!\n```\n{}\n``", "Hi!", REPLY_BARE_OBJECT, "```\n{}\n``" },
    { "Hi!\n" OBJECT " ok?", "Hi!\n" OBJECT " ok?", REPLY_TEXT_ONLY, "" },
    { "Hi!\n" OBJECT "\nok?", "Hi!\n" OBJECT "\nok?", REPLY_TEXT_ONLY, "" },
    { "Hi!\n{}\n---\n" OBJECT, "Hi!\n{}", REPLY_DELIMITED, OBJECT },
    { "{}\n{}\n" OBJECT, "{}\n{}", REPLY_BARE_OBJECT, OBJECT },
    { "a " OBJECT, "a ", REPLY_BARE_OBJECT, OBJECT },
    { "a { \"x\": 1", "a ", REPLY_BARE_OBJECT, "{ \"x\": 1" },
    { "a " OBJECT " b", "a " OBJECT " b", REPLY_TEXT_ONLY, "" },
    { "a " OBJECT "\n---\n" OBJECT, "a " OBJECT, REPLY_DELIMITED, OBJECT },
    { "a {\"x\n---\n" OBJECT, "a {\"x", REPLY_DELIMITED, OBJECT },
    { "a {\"x\":\n1}", "a {\"x\":\n1}", REPLY_TEXT_ONLY, "" },
    { "a {\n\"x\":1}", "a ", REPLY_BARE_OBJECT, "{\n\"x\":1}" },
    { "a {b} {} { 1 } {{c}}", "a {b} {} { 1 } {{c}}", REPLY_TEXT_ONLY, "" },
    { "{smiles} hello", "{smiles} hello", REPLY_TEXT_ONLY, "" },
    { "{smiles at you", "{smiles at you", REPLY_TEXT_ONLY, "" },
    { "{{name}}\n{ 1 }\n{\n---\n" OBJECT, "{{name}}\n{ 1 }\n{", REPLY_DELIMITED, OBJECT },
    /* fences that are text */
    { "```c\nint a;\n```\n", "```c\nint a;\n```\n", REPLY_TEXT_ONLY, "" },
    { "```\n\n---\n" OBJECT, "```", REPLY_DELIMITED, OBJECT },
    { "```c``` is code\n`a`\n``", "```c``` is code\n`a`\n``", REPLY_TEXT_ONLY, "" },
    { "```\n{}\n```\nok", "```\n{}\n```\nok", REPLY_TEXT_ONLY, "" },
    { "```\n{}\n``x", "```\n{}\n``x", REPLY_TEXT_ONLY, "" },
    { "```json", "```json", REPLY_TEXT_ONLY, "" },
    /* text alone, and all of it */
    { "", "", REPLY_TEXT_ONLY, "" },
    { " \n\n", " \n\n", REPLY_TEXT_ONLY, "" },
    { "Hi!\n\n", "Hi!\n\n", REPLY_TEXT_ONLY, "" },
    { "na\xc3\xafve \xe2\x80\x94 \xf0\x9f\x90\x88\n---\n{}",
      "na\xc3\xafve \xe2\x80\x94 \xf0\x9f\x90\x88", REPLY_DELIMITED, "{}" },
    { "\xe2\x80\x94---{\"\xf0\x9f\x90\x88\":1}", "\xe2\x80\x94", REPLY_DELIMITED,
      "{\"\xf0\x9f\x90\x88\":1}" },
    { "cut off in its delimiter\n--", "cut off in its delimiter", REPLY_TEXT_ONLY, "" },
    { "a --", "a --", REPLY_TEXT_ONLY, "" },
    { "cut \xf0\x9f\x90", "cut \xf0\x9f\x90", REPLY_TEXT_ONLY, "" },
    { "\xff \xc3\n\xe2\x80\n---\n{}", "\xff \xc3\n\xe2\x80", REPLY_DELIMITED, "{}" },
};

struct seen {
    struct buf shown;
    bool cuts_characters;
};

static void record(void *context, const char *text, size_t length)
{
    struct seen *seen = context;
    assert_true(length > 0);
    assert_true(buf_append(&seen->shown, text, length));
    seen->cuts_characters = seen->cuts_characters || !text_is_utf8(text, length);
}

/* The size of the next chunk. */
typedef size_t chunk_fn(void *context, size_t at);

static void check(const struct expected *expected, chunk_fn *next_chunk, void *context)
{
    struct seen seen = { 0 };
    buf_init(&seen.shown, 1u << 20u);
    AUTO(reply_splitter) splitter;
    reply_splitter_init(&splitter, METADATA_BYTES, record, &seen);
    size_t length = strlen(expected->reply);
    for (size_t at = 0; at < length;) {
        size_t n = next_chunk(context, at);
        n = n < length - at ? n : length - at;
        assert_true(reply_splitter_feed(&splitter, expected->reply + at, n));
        at += n;
    }
    enum reply_form form = reply_splitter_end(&splitter);
    assert_string_equal(buf_string(&seen.shown), expected->shown);
    assert_string_equal(reply_splitter_metadata(&splitter), expected->metadata);
    assert_int_equal(form, expected->form);
    if (text_is_utf8(expected->reply, length))
        assert_false(seen.cuts_characters);
    buf_finish(&seen.shown);
}

static size_t until(void *context, size_t at)
{
    size_t split = *(size_t *)context;
    return at < split ? split - at : SIZE_MAX;
}

static size_t one_byte(void *context, size_t at)
{
    (void)context, (void)at;
    return 1;
}

static size_t random_chunk(void *context, size_t at)
{
    uint32_t *seed = context;
    (void)at;
    *seed = *seed * 1664525u + 1013904223u;
    return 1 + (*seed >> 24u) % 7;
}

static void splits_the_same_at_every_place_a_chunk_may_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(corpus); i++)
        for (size_t split = 0; split <= strlen(corpus[i].reply); split++)
            check(&corpus[i], until, &split);
}

static void splits_the_same_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(corpus); i++)
        check(&corpus[i], one_byte, NULL);
}

static void splits_the_same_in_random_chunks(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= RANDOM_CHUNKINGS; seed++)
        for (size_t i = 0; i < ARRAY_LENGTH(corpus); i++) {
            uint32_t chance = seed;
            check(&corpus[i], random_chunk, &chance);
        }
}

static void shows_text_before_the_reply_is_over(void **state)
{
    (void)state;
    struct seen seen = { 0 };
    buf_init(&seen.shown, 4096);
    AUTO(reply_splitter) splitter;
    reply_splitter_init(&splitter, METADATA_BYTES, record, &seen);
    assert_true(reply_splitter_feed(&splitter, "A cat", 5));
    assert_string_equal(buf_string(&seen.shown), "A cat");
    assert_true(reply_splitter_feed(&splitter, "!\n-", 3));
    assert_string_equal(buf_string(&seen.shown), "A cat!");
    assert_true(reply_splitter_feed(&splitter, " in", 3));
    assert_string_equal(buf_string(&seen.shown), "A cat!\n- in");
    buf_finish(&seen.shown);
}

/* A line of dashes and so many blanks, then an object: text when too much is held. */
static void assert_held(size_t blanks, const char *shown_end, const char *metadata)
{
    struct seen seen = { 0 };
    buf_init(&seen.shown, 1u << 20u);
    AUTO(reply_splitter) splitter;
    reply_splitter_init(&splitter, METADATA_BYTES, record, &seen);
    assert_true(reply_splitter_feed(&splitter, "---", 3));
    for (size_t i = 0; i < blanks; i++)
        assert_true(reply_splitter_feed(&splitter, " ", 1));
    assert_true(reply_splitter_feed(&splitter, "{}", 2));
    (void)reply_splitter_end(&splitter);
    assert_true(text_ends_with(buf_string(&seen.shown), shown_end));
    assert_string_equal(reply_splitter_metadata(&splitter), metadata);
    assert_true(splitter.held.capacity <= 2 * REPLY_SPLITTER_MAX_HELD_BYTES);
    buf_finish(&seen.shown);
}

static void holds_back_up_to_its_bound_and_no_more(void **state)
{
    (void)state;
    assert_held(REPLY_SPLITTER_MAX_HELD_BYTES - 4, "", "{}");
    assert_held(REPLY_SPLITTER_MAX_HELD_BYTES - 3, "{}", "");
}

static void an_object_longer_than_the_bound_is_text(void **state)
{
    (void)state;
    static char object[REPLY_SPLITTER_MAX_HELD_BYTES + 2];
    memset(object, 'x', sizeof object - 1);
    memcpy(object, "{\"", 2);
    struct expected longest = { object, "", REPLY_BARE_OBJECT, "" };
    size_t piece = 1000;
    struct seen seen = { 0 };
    buf_init(&seen.shown, 1u << 20u);
    for (size_t length = sizeof object - 2; length < sizeof object; length++) {
        AUTO(reply_splitter) splitter;
        reply_splitter_init(&splitter, sizeof object, record, &seen);
        for (size_t at = 0; at < length; at += piece)
            assert_true(reply_splitter_feed(&splitter, longest.reply + at,
                                            length - at < piece ? length - at : piece));
        bool fits = length <= REPLY_SPLITTER_MAX_HELD_BYTES;
        assert_int_equal(reply_splitter_end(&splitter), fits ? REPLY_BARE_OBJECT : REPLY_TEXT_ONLY);
        assert_int_equal(seen.shown.length, fits ? 0 : length);
    }
    buf_finish(&seen.shown);
}

static bool feed_metadata(size_t chunk, char *out, size_t size, size_t bytes)
{
    AUTO(reply_splitter) splitter;
    struct seen seen = { 0 };
    buf_init(&seen.shown, 64);
    reply_splitter_init(&splitter, 8, record, &seen);
    char reply[64];
    snprintf(reply, sizeof reply, "---\n{%.*s", (int)bytes - 1, "abcdefghijklmnop");
    bool fits = true;
    for (size_t at = 0; at < strlen(reply); at += chunk)
        fits &= reply_splitter_feed(&splitter, reply + at,
                                    strlen(reply) - at < chunk ? strlen(reply) - at : chunk);
    (void)reply_splitter_end(&splitter);
    snprintf(out, size, "%s", reply_splitter_metadata(&splitter));
    buf_finish(&seen.shown);
    return fits;
}

static void metadata_is_bounded_whatever_the_chunks(void **state)
{
    (void)state;
    char metadata[64];
    for (size_t chunk = 1; chunk < 20; chunk++) {
        assert_true(feed_metadata(chunk, metadata, sizeof metadata, 8));
        assert_string_equal(metadata, "{abcdefg");
        assert_false(feed_metadata(chunk, metadata, sizeof metadata, 9));
        assert_string_equal(metadata, "{abcdefg");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_the_same_at_every_place_a_chunk_may_end),
        cmocka_unit_test(splits_the_same_byte_by_byte),
        cmocka_unit_test(splits_the_same_in_random_chunks),
        cmocka_unit_test(shows_text_before_the_reply_is_over),
        cmocka_unit_test(holds_back_up_to_its_bound_and_no_more),
        cmocka_unit_test(an_object_longer_than_the_bound_is_text),
        cmocka_unit_test(metadata_is_bounded_whatever_the_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
