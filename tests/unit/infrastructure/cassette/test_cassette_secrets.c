#include "domain/base/json.h"
#include "infrastructure/cassette/cassette_secrets.h"
#include "tests/support/cmocka.h"
#include <string.h>

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static void expect_redacted(const char *raw, enum cassette_words words, const char *clean)
{
    json_auto_t *value = parsed(raw), *made = cassette_redact(value, words);
    auto_str text = json_print(made);
    assert_string_equal(text, clean);
}

static void names_are_secret_in_data_and_not_in_schemas(void **state)
{
    (void)state;
    expect_redacted("{\"a\":[{\"token\":\"x\",\"n\":1}],\"password\":12}", CASSETTE_DATA,
                    "{\"a\":[{\"token\":\"[redacted]\",\"n\":1}],\"password\":\"[redacted]\"}");
    expect_redacted("{\"properties\":{\"token\":{\"type\":\"string\"}}}", CASSETTE_PROSE,
                    "{\"properties\":{\"token\":{\"type\":\"string\"}}}");
    expect_redacted("{\"text\":\"password=hunter2 is it\"}", CASSETTE_PROSE,
                    "{\"text\":\"password=[redacted] is it\"}");
}

static void images_are_left_as_they_are(void **state)
{
    static const char key[] = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9eyJhbGciOiJIUzI1NiIsInR5cCI6";
    AUTO(arena) arena = { 0 };
    (void)state;
    const char *image = arena_printf(&arena, "{\"mimeType\":\"image/png\",\"data\":\"%s\"}", key);
    expect_redacted(image, CASSETTE_DATA, image);
    expect_redacted(arena_printf(&arena, "{\"data\":\"%s\"}", key), CASSETTE_DATA,
                    "{\"data\":\"[redacted]\"}");
    expect_redacted("{\"mimeType\":\"text/plain\",\"data\":\"token=not base64 here\"}",
                    CASSETTE_DATA,
                    "{\"mimeType\":\"text/plain\",\"data\":\"token=[redacted] base64 here\"}");
}

static void learn(struct cassette_secrets *secrets, const char *raw)
{
    json_auto_t *value = parsed(raw), *clean = cassette_redact(value, CASSETTE_DATA);
    assert_true(cassette_secrets_learn(secrets, value, clean, "/result", 7));
}

static void what_was_taken_out_is_found_again(void **state)
{
    (void)state;
    AUTO(cassette_secrets) secrets = { 0 };
    learn(&secrets, "{\"list\":[{\"token\":\"first-one\"}],\"text\":\"a api_key=second-one b "
                    "password=third-one\",\"pwd\":1234567}");
    assert_int_equal(secrets.n, 4);
    json_auto_t *none = parsed("{\"a\":\"first one\"}");
    assert_null(cassette_secrets_find(&secrets, none));
    static const char *const held[] = { "{\"a\":[\"with first-one in it\"]}", "[\"second-one\"]",
                                        "\"third-one\"", "1234567" };
    for (size_t i = 0; i < ARRAY_LENGTH(held); i++) {
        json_auto_t *value = parsed(held[i]);
        const struct cassette_secret *found = cassette_secrets_find(&secrets, value);
        assert_non_null(found);
        assert_int_equal(found->line, 7);
    }
    json_auto_t *first = parsed(held[0]);
    assert_string_equal(cassette_secrets_find(&secrets, first)->path, "/result/list/0/token");
    json_auto_t *masked = cassette_secrets_mask(&secrets, first);
    auto_str text = json_print(masked);
    assert_string_equal(text, "{\"a\":[\"with [redacted] in it\"]}");
}

static void short_ones_and_the_mark_itself_are_not_looked_for(void **state)
{
    (void)state;
    AUTO(cassette_secrets) secrets = { 0 };
    learn(&secrets, "{\"token\":\"12345\",\"password\":\"[redacted]\"}");
    assert_int_equal(secrets.n, 0);
    learn(&secrets, "{\"token\":\"redacted\"}");
    json_auto_t *value = parsed("\"it is redacted\"");
    json_auto_t *masked = cassette_secrets_mask(&secrets, value);
    assert_string_equal(json_string_value(masked), "it is [redacted]");
}

static void there_is_a_bound_on_how_many_are_remembered(void **state)
{
    (void)state;
    AUTO(cassette_secrets) secrets = { 0 };
    AUTO(arena) arena = { 0 };
    json_auto_t *clean = parsed("\"[redacted]\"");
    for (int i = 0; i < CASSETTE_MAX_SECRETS; i++) {
        json_auto_t *raw = json_string(arena_printf(&arena, "secret-%d", i));
        assert_true(cassette_secrets_learn(&secrets, raw, clean, "", 1));
    }
    json_auto_t *more = json_string("one more");
    assert_false(cassette_secrets_learn(&secrets, more, clean, "", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_secret_in_data_and_not_in_schemas),
        cmocka_unit_test(images_are_left_as_they_are),
        cmocka_unit_test(what_was_taken_out_is_found_again),
        cmocka_unit_test(short_ones_and_the_mark_itself_are_not_looked_for),
        cmocka_unit_test(there_is_a_bound_on_how_many_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
