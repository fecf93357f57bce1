
#include "domain/base/json.h"
#include "domain/text/redact.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void names_say_when_a_value_is_secret(void **state)
{
    (void)state;
    static const char *const secret[] = { "password",       "api_key",       "X-Api-Key",
                                          "apiKey",         "Authorization", "accessToken",
                                          "token",          "Cookie",        "client_secret",
                                          "OPENAI_API_KEY", "private-key",   "APIKEY",
                                          "requestState",   "Mcp-Session-Id" };
    static const char *const harmless[] = { "max_tokens",
                                            "prompt_tokens",
                                            "nextPageToken",
                                            "key",
                                            "path",
                                            "progressToken",
                                            "",
                                            "tokenizer",
                                            "primary_key",
                                            "first_token_timeout",
                                            "session_id",
                                            "request",
                                            "state",
                                            "request_id" };
    for (size_t i = 0; i < ARRAY_LENGTH(secret); i++)
        assert_true(redact_is_secret_name(secret[i]));
    for (size_t i = 0; i < ARRAY_LENGTH(harmless); i++)
        assert_false(redact_is_secret_name(harmless[i]));
}

static void secrets_in_text_are_covered(void **state)
{
    (void)state;
    static const struct {
        const char *text, *clean;
    } cases[] = {
        { "password=hunter2 x", "password=[redacted] x" },
        { "a?token=abc&b=1", "a?token=[redacted]&b=1" },
        { "{\"api_key\": \"a\\\"b\", \"n\":1}", "{\"api_key\": \"[redacted]\", \"n\":1}" },
        { "secret: 'x y' z", "secret: '[redacted]' z" },
        { "Authorization: Bearer abc.def", "Authorization: Bearer [redacted]" },
        { "sent Bearer abcdefgh12 on", "sent Bearer [redacted] on" },
        { "Basic dXNlcjpwYXNz", "Basic [redacted]" },
        { "key sk-abcdefghijklmnop0 ok", "key [redacted] ok" },
        { "ghp_0123456789abcdefghij", "[redacted]" },
        { "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "[redacted]" },
        { "https://bob:pw@host/x@y", "https://bob:[redacted]@host/x@y" },
        { "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
          "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----" },
        { "-----BEGIN PRIVATE KEY-----\nabc", "-----BEGIN PRIVATE KEY-----[redacted]" },
        { "token=a token=b", "token=[redacted] token=[redacted]" },
    };
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const char *clean = redact_text(&arena, cases[i].text);
        assert_string_equal(clean, cases[i].clean);
        assert_ptr_equal(redact_text(&arena, clean), clean);
    }
}

static void text_without_secrets_is_returned_itself(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "the bearer of bad news",
        "max_tokens=2048",
        "http://localhost:11434/api",
        "http://host/a:b@c",
        "token",
        "password=",
        "task-sk-1234",
        "sk-short",
        "-----BEGIN CERTIFICATE-----",
        "a: b",
        "a_name_that_is_far_too_long_to_be_the_name_of_anything_at_all_in_this_world=1",
    };
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_ptr_equal(redact_text(&arena, texts[i]), texts[i]);
}

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static void members_with_secret_names_are_covered_whatever_they_hold(void **state)
{
    (void)state;
    json_auto_t *value =
        parse("{\"env\":{\"API_KEY\":\"x\",\"PIN\":1},\"token\":12,\"cookie\":[\"a\",{\"b\":\"c\"},"
              "null],\"text\":[\"password=x\"],\"secret\":\"\"}");
    json_auto_t *clean = redact_json(value);
    auto_str text = json_print(clean);
    assert_string_equal(text,
                        "{\"env\":{\"API_KEY\":\"[redacted]\",\"PIN\":1},\"token\":\"[redacted]\","
                        "\"cookie\":[\"[redacted]\",{\"b\":\"[redacted]\"},null],"
                        "\"text\":[\"password=[redacted]\"],\"secret\":\"\"}");
}

static void a_value_without_secrets_is_shared(void **state)
{
    (void)state;
    json_auto_t *value = parse("{\"a\":[1,{\"b\":\"c\"}],\"d\":null}");
    json_auto_t *clean = redact_json(value);
    assert_ptr_equal(clean, value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_when_a_value_is_secret),
        cmocka_unit_test(secrets_in_text_are_covered),
        cmocka_unit_test(text_without_secrets_is_returned_itself),
        cmocka_unit_test(members_with_secret_names_are_covered_whatever_they_hold),
        cmocka_unit_test(a_value_without_secrets_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
