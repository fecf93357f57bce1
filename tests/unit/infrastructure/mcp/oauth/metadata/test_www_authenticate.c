
#include "infrastructure/mcp/oauth/metadata/www_authenticate.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct read {
    struct arena arena;
    struct challenge challenge;
};

static void add(struct read *read, const char *header)
{
    www_authenticate_read(&read->challenge, &read->arena, header, strlen(header));
}

static void finds_what_a_bearer_challenge_says(void **state)
{
    struct read read = { 0 };
    (void)state;
    add(&read, "Bearer realm=\"a, b\", error=\"invalid_token\", "
               "resource_metadata=\"https://h/.well-known/x\", scope=\"one two\"");
    assert_true(read.challenge.is_bearer);
    assert_string_equal(read.challenge.error, "invalid_token");
    assert_string_equal(read.challenge.resource_metadata, "https://h/.well-known/x");
    assert_string_equal(read.challenge.scope, "one two");
    arena_finish(&read.arena);
}

static void takes_names_in_any_case_and_blanks_anywhere(void **state)
{
    struct read read = { 0 };
    (void)state;
    add(&read, "  BEARER\tSCOPE = \"a\\\"b\" ,Error=bad");
    assert_string_equal(read.challenge.scope, "a\"b");
    assert_string_equal(read.challenge.error, "bad");
    arena_finish(&read.arena);
}

static void leaves_other_schemes_alone(void **state)
{
    struct read read = { 0 };
    (void)state;
    add(&read, "Basic realm=\"x\", scope=\"basic\", Bearer scope=\"mine\", Digest scope=\"other\"");
    assert_string_equal(read.challenge.scope, "mine");
    arena_finish(&read.arena);
    read = (struct read){ 0 };
    add(&read, "Negotiate abc==, Basic scope=\"x\"");
    assert_false(read.challenge.is_bearer);
    assert_null(read.challenge.scope);
    arena_finish(&read.arena);
}

static void joins_several_headers_and_the_first_word_counts(void **state)
{
    struct read read = { 0 };
    (void)state;
    add(&read, "Basic realm=\"x\"");
    add(&read, "Bearer scope=\"first\"");
    add(&read, "Bearer scope=\"second\", error=\"later\"");
    assert_string_equal(read.challenge.scope, "first");
    assert_string_equal(read.challenge.error, "later");
    arena_finish(&read.arena);
}

static void takes_no_value_that_has_no_end_or_is_too_long(void **state)
{
    static const char begin[] = "Bearer scope=\"";
    enum { BEGIN = sizeof begin - 1 };
    char header[BEGIN + CHALLENGE_MAX_VALUE_BYTES + 3] = "Bearer scope=\"";
    struct read read = { 0 };
    (void)state;
    add(&read, "Bearer scope=\"open");
    assert_null(read.challenge.scope);
    memset(header + BEGIN, 'x', CHALLENGE_MAX_VALUE_BYTES);
    header[BEGIN + CHALLENGE_MAX_VALUE_BYTES] = '"';
    add(&read, header);
    assert_int_equal(strlen(read.challenge.scope), CHALLENGE_MAX_VALUE_BYTES);
    read.challenge = (struct challenge){ 0 };
    memset(header + BEGIN, 'x', CHALLENGE_MAX_VALUE_BYTES + 1);
    header[BEGIN + CHALLENGE_MAX_VALUE_BYTES + 1] = '"';
    add(&read, header);
    assert_null(read.challenge.scope);
    arena_finish(&read.arena);
}

static void takes_no_more_memory_than_a_few_times_the_header(void **state)
{
    enum { TIMES = 10000 };
    static char header[sizeof "Bearer " + 5 * TIMES] = "Bearer ";
    struct read read = { 0 };
    (void)state;
    for (size_t i = 0; i < TIMES; i++)
        memcpy(header + strlen("Bearer ") + 5 * i, "a=\"\",", 5);
    add(&read, header);
    assert_true(read.challenge.is_bearer);
    assert_true(read.arena.bytes < 8 * sizeof header);
    arena_finish(&read.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_bearer_challenge_says),
        cmocka_unit_test(takes_names_in_any_case_and_blanks_anywhere),
        cmocka_unit_test(leaves_other_schemes_alone),
        cmocka_unit_test(joins_several_headers_and_the_first_word_counts),
        cmocka_unit_test(takes_no_value_that_has_no_end_or_is_too_long),
        cmocka_unit_test(takes_no_more_memory_than_a_few_times_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
