#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/rules/reply_splitter.h"
#include <string.h>

#define METADATA "{\"prompt\": \"a {cat}\", \"steps\": 4}"
#define MAX_METADATA 1024

struct fixture {
    struct reply_splitter splitter;
    struct buf shown;
    enum reply_form form;
};

static void on_text(void *context, const char *text, size_t length)
{
    struct buf *shown = context;
    (void)!buf_append(shown, text, length);
}

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){ 0 };
    buf_init(&f->shown, 1 << 20);
    reply_splitter_init(&f->splitter, MAX_METADATA, on_text, &f->shown);
}

static void fixture_finish(struct fixture *f)
{
    reply_splitter_finish(&f->splitter);
    buf_finish(&f->shown);
}

static void split_whole(struct fixture *f, const char *reply)
{
    fixture_init(f);
    assert_true(reply_splitter_feed(&f->splitter, reply, strlen(reply)));
    f->form = reply_splitter_end(&f->splitter);
}

/* What each reply is: {reply, text shown, form, metadata}. */
static const struct row {
    const char *reply, *shown;
    enum reply_form form;
    const char *metadata;
} rows[] = {
    { "A cat!\n---\n" METADATA, "A cat!\n", REPLY_DELIMITED, METADATA },
    { "A cat!\r\n---\r\n" METADATA "\r\n", "A cat!\r\n", REPLY_DELIMITED, METADATA "\r\n" },
    { "A cat!\n  ---  \n\n  " METADATA, "A cat!\n", REPLY_DELIMITED, METADATA },
    { "A cat!\n---\n```json\n" METADATA "\n```", "A cat!\n", REPLY_DELIMITED,
      "```json\n" METADATA "\n```" },
    { "---\n" METADATA, "", REPLY_DELIMITED, METADATA },
    { "A cat!\n---", "A cat!\n", REPLY_DELIMITED, "" },
    { "A cat!\n---\n", "A cat!\n", REPLY_DELIMITED, "" },
    { "A cat! ---" METADATA, "A cat! ", REPLY_DELIMITED, METADATA },
    { "A cat! ---\n" METADATA, "A cat! ", REPLY_DELIMITED, METADATA },
    { "A cat!\n--- " METADATA "\n", "A cat!\n", REPLY_DELIMITED, METADATA "\n" },
    { "A cat!\n---{\"prompt\": \"a c", "A cat!\n", REPLY_DELIMITED, "{\"prompt\": \"a c" },
    { "one\n---\ntwo\n---\n" METADATA, "one\n---\ntwo\n", REPLY_DELIMITED, METADATA },
    { "one\n---\n---\n" METADATA, "one\n---\n", REPLY_DELIMITED, METADATA },
    { "| a | b |\n| --- | --- |\n| 1 | 2 |\n---\n" METADATA,
      "| a | b |\n| --- | --- |\n| 1 | 2 |\n", REPLY_DELIMITED, METADATA },
    { "---no really\n---\n" METADATA, "---no really\n", REPLY_DELIMITED, METADATA },
    { "a\n----\nb\n---\n" METADATA, "a\n----\nb\n", REPLY_DELIMITED, METADATA },
    { "a -------" METADATA, "a -------" METADATA, REPLY_TEXT_ONLY, "" },
    { "well-known -- a dash - and\n- a list\n", "well-known -- a dash - and\n- a list\n",
      REPLY_TEXT_ONLY, "" },
    { "only text", "only text", REPLY_TEXT_ONLY, "" },
    { "", "", REPLY_TEXT_ONLY, "" },
    { "cut off in its delimiter\n--", "cut off in its delimiter\n", REPLY_TEXT_ONLY, "" },
    { METADATA, "", REPLY_BARE_OBJECT, METADATA },
    { "A cat!\n" METADATA "\n", "A cat!\n", REPLY_BARE_OBJECT, METADATA "\n" },
    { "A cat!\n```json\n" METADATA "\n```\n", "A cat!\n", REPLY_BARE_OBJECT, METADATA "\n```\n" },
    { "A cat!\n" METADATA "\nDo you like it?", "A cat!\n" METADATA "\nDo you like it?",
      REPLY_TEXT_ONLY, "" },
    { "as " METADATA " says", "as " METADATA " says", REPLY_TEXT_ONLY, "" },
    { "a ---" METADATA " b", "a ---" METADATA " b", REPLY_TEXT_ONLY, "" },
    { "{name} is a cat\n---\n" METADATA, "{name} is a cat\n", REPLY_DELIMITED, METADATA },
    { "A cat!\n---\n{\"a\": \"\\\"}---\\\\\"}", "A cat!\n", REPLY_DELIMITED,
      "{\"a\": \"\\\"}---\\\\\"}" },
    { "```c\nint a;\n```\n---\n" METADATA, "```c\nint a;\n```\n", REPLY_DELIMITED, METADATA },
    { "une chatte élégante — « là »\n---\n" METADATA, "une chatte élégante — « là »\n",
      REPLY_DELIMITED, METADATA },
    { "a\n---\n`code` begins\n---\n" METADATA, "a\n---\n`code` begins\n", REPLY_DELIMITED,
      METADATA },
};

static void check(struct fixture *f, const struct row *row)
{
    assert_string_equal(buf_string(&f->shown), row->shown);
    assert_int_equal(f->form, row->form);
    assert_string_equal(reply_splitter_metadata(&f->splitter), row->metadata);
}

static void tells_text_from_metadata(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(fixture) f;
        split_whole(&f, rows[i].reply);
        check(&f, &rows[i]);
    }
}

static void gives_the_same_however_the_reply_is_cut_in_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        size_t length = strlen(rows[i].reply);
        for (size_t cut = 0; cut <= length; cut++) {
            AUTO(fixture) f;
            fixture_init(&f);
            assert_true(reply_splitter_feed(&f.splitter, rows[i].reply, cut));
            assert_true(reply_splitter_feed(&f.splitter, rows[i].reply + cut, length - cut));
            f.form = reply_splitter_end(&f.splitter);
            check(&f, &rows[i]);
        }
    }
}

static void gives_the_same_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(fixture) f;
        fixture_init(&f);
        for (const char *at = rows[i].reply; *at; at++)
            assert_true(reply_splitter_feed(&f.splitter, at, 1));
        f.form = reply_splitter_end(&f.splitter);
        check(&f, &rows[i]);
    }
}

static void shows_text_as_soon_as_it_cannot_be_a_delimiter(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_true(reply_splitter_feed(&f.splitter, "Hi", 2));
    assert_string_equal(buf_string(&f.shown), "Hi");
    assert_true(reply_splitter_feed(&f.splitter, "\n--", 3));
    assert_string_equal(buf_string(&f.shown), "Hi\n");
    assert_true(reply_splitter_feed(&f.splitter, " ", 1));
    assert_string_equal(buf_string(&f.shown), "Hi\n-- ");
}

static void refuses_metadata_beyond_its_bound(void **state)
{
    (void)state;
    static char bytes[MAX_METADATA];
    AUTO(fixture) f;
    fixture_init(&f);
    memset(bytes, ' ', sizeof bytes);
    bytes[0] = '{';
    assert_true(reply_splitter_feed(&f.splitter, "---\n", 4));
    assert_true(reply_splitter_feed(&f.splitter, bytes, sizeof bytes));
    assert_false(reply_splitter_feed(&f.splitter, " ", 1));
}

static void holds_an_object_back_up_to_its_bound(void **state)
{
    (void)state;
    static char bytes[REPLY_SPLITTER_MAX_HELD_BYTES];
    AUTO(fixture) f;
    fixture_init(&f);
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "{\"", 2);
    assert_true(reply_splitter_feed(&f.splitter, bytes, sizeof bytes));
    assert_int_equal(f.shown.length, 0);
    assert_true(reply_splitter_feed(&f.splitter, "x", 1));
    assert_int_equal(f.shown.length, sizeof bytes + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_text_from_metadata),
        cmocka_unit_test(gives_the_same_however_the_reply_is_cut_in_two),
        cmocka_unit_test(gives_the_same_byte_by_byte),
        cmocka_unit_test(shows_text_as_soon_as_it_cannot_be_a_delimiter),
        cmocka_unit_test(refuses_metadata_beyond_its_bound),
        cmocka_unit_test(holds_an_object_back_up_to_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
