#include "domain/base/json.h"
#include "infrastructure/config/clients/secret_text.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

/* The text with "<…>" around its secrets, "<-…>" where it is the default of a reference. */
static void expect(const char *name, const char *text, const char *marked)
{
    AUTO(arena) arena = { 0 };
    struct secret_span *spans;
    size_t n = secret_spans(&arena, name, text, &spans), at = 0;
    const char *out = "";
    for (size_t i = 0; i < n; i++) {
        out = arena_printf(&arena, "%s%.*s<%s%.*s>", out, (int)(spans[i].start - at), text + at,
                           spans[i].is_default ? "-" : "", (int)spans[i].length,
                           text + spans[i].start);
        at = spans[i].start + spans[i].length;
    }
    assert_string_equal(arena_printf(&arena, "%s%s", out, text + at), marked);
}

static void finds_values_whose_names_say_so(void **state)
{
    (void)state;
    expect("GITHUB_TOKEN", "plain", "<plain>");
    expect("DB_PASS", "x", "<x>");
    expect("OPENAI_KEY", "abc123def", "<abc123def>");
    expect("Authorization", "Bearer abc", "Bearer <abc>");
    expect("x-api-key", "abc-1", "<abc-1>");
    expect("Cookie", "a=b; c=d", "<a=b; c=d>");
    expect(NULL, "--api-key=abc1", "--api-key=<abc1>");
    expect(NULL, "Authorization: Bearer abc1def", "Authorization: Bearer <abc1def>");
    expect(NULL, "Authorization:Bearer abc1def", "Authorization:Bearer <abc1def>");
    expect(NULL, "{\"apiKey\":\"ab c1\",\"x\":\"y\"}", "{\"apiKey\":\"<ab c1>\",\"x\":\"y\"}");
    expect(NULL, "exec srv --token abc1 --port 80", "exec srv --token <abc1> --port 80");
    expect(NULL, "Server=x;Password=p w;Port=1", "Server=x;Password=<p> w;Port=1");
    expect(NULL, "https://x.example/mcp?apiKey=ab1&mode=fast",
           "https://x.example/mcp?apiKey=<ab1>&mode=fast");
}

static void leaves_what_only_configures(void **state)
{
    (void)state;
    expect("SECRET_NAME", "prod/app", "prod/app");
    expect("MAX_TOKENS", "4096", "4096");
    expect("AUTH_TYPE", "bearer", "bearer");
    expect("SSH_KEY_PATH", "/home/joe/.ssh/id_ed25519", "/home/joe/.ssh/id_ed25519");
    expect("GOOGLE_APPLICATION_CREDENTIALS", "/home/joe/key.json", "/home/joe/key.json");
    expect("TOKEN", "${TOKEN}", "${TOKEN}");
    expect("KEYBOARD", "us-intl", "us-intl");
    expect("TEAM_ID", "9f1c2d3e-1111-2222-3333-444455556666",
           "9f1c2d3e-1111-2222-3333-444455556666");
    expect(NULL, "@modelcontextprotocol/server-filesystem@2025.11.25",
           "@modelcontextprotocol/server-filesystem@2025.11.25");
    expect(NULL, "--key-file=/a/b", "--key-file=/a/b");
    expect(NULL, "ghcr.io/x/y@sha256:0123456789abcdef0123456789abcdef",
           "ghcr.io/x/y@sha256:0123456789abcdef0123456789abcdef");
    expect(NULL, "https://mcp.example.com/v1/sse", "https://mcp.example.com/v1/sse");
    expect(NULL, "Authorization:${AUTH_HEADER}", "Authorization:${AUTH_HEADER}");
}

static void finds_credentials_by_their_place_and_shape(void **state)
{
    (void)state;
    expect(NULL, "postgres://joe:p@ss@db:5432/x", "postgres://joe:<p@ss>@db:5432/x");
    expect(NULL, "postgres://joe:p#1?x@db/x", "postgres://joe:<p#1?x>@db/x");
    expect(NULL, "postgres://joe:p/a@db/x", "postgres://joe:<p/a>@db/x");
    expect(NULL, "http://host:8080/a@b", "http://host:8080/a@b");
    expect("HOOK_URL", "https://hooks.example/services/T01/B02/a8Kd93kfLs02mQpzAAAA",
           "https://hooks.example/services/T01/B02/<a8Kd93kfLs02mQpzAAAA>");
    expect("PASSWORD", "a${:-$}{b}c", "<a${:-$}{b}c>");
    expect("k", "abcDEFabcDEF", "<abcDEFabcDEF>");
    expect(NULL, "https://abcdefabcdef1234@sentry.example/1",
           "https://<abcdefabcdef1234>@sentry.example/1");
    expect(NULL, "ghp_abcdefABCDEF123456", "<ghp_abcdefABCDEF123456>");
    expect(NULL, "curl -u joe:pw1 https://a", "curl -u joe:<pw1> https://a");
    expect(NULL, "curl -H 'X: Bearer abcd1234'", "curl -H 'X: Bearer <abcd1234>'");
    expect(NULL, "https://x.example/s/a8Kd93kfLs02mQpz/mcp",
           "https://x.example/s/<a8Kd93kfLs02mQpz>/mcp");
    expect(NULL, "9f1c2d3e-1111-2222-3333-444455556666", "<9f1c2d3e-1111-2222-3333-444455556666>");
    expect("LEVEL", "a8Kd93kfLs02mQpzAAAA", "<a8Kd93kfLs02mQpzAAAA>");
    expect("X", "${API_KEY:-sk-live-1}", "${API_KEY<-:-sk-live-1>}");
}

static const char *numbered(void *context, const char *name, const char *secret)
{
    (void)secret;
    return arena_printf(context, "<%s>", name ? name : "-");
}

static void replaces_the_secrets_of_a_definition(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_auto_t *definition = json_loads(
        "{\"command\": \"npx\", \"args\": [\"-y\", \"s@1\", \"--api-key\", \"abc123\", \"-e\", "
        "\"A_TOKEN=x1\","
        " \"--user\", \"joe:pw\", \"--password=a b\", \"-H\", \"X-Key: c d e f\"], \"env\": "
        "{\"DSN\": \"pg://a:b1@c/d\", \"LEVEL\": \"info\"},"
        " \"url\": \"https://a.example/?token=t1\", \"headers\": {\"X-Key\": \"k12345\"}, "
        "\"enabled\": true}",
        0, NULL);
    json_auto_t *replaced = secrets_replaced(&arena, definition, numbered, &arena);
    assert_string_equal(
        json_print_in(&arena, replaced),
        "{\"command\":\"npx\",\"args\":[\"-y\",\"s@1\",\"--api-key\",\"<api-key>\",\"-e\",\"A_"
        "TOKEN=<A_TOKEN>\","
        "\"--user\",\"joe:<password>\",\"--password=<password>\",\"-H\",\"X-Key: "
        "<X-Key>\"],\"env\":{\"DSN\":\"<DSN>\",\"LEVEL\":\"info\"},"
        "\"url\":\"https://a.example/"
        "?token=<token>\",\"headers\":{\"X-Key\":\"<X-Key>\"},\"enabled\":true}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_values_whose_names_say_so),
        cmocka_unit_test(leaves_what_only_configures),
        cmocka_unit_test(finds_credentials_by_their_place_and_shape),
        cmocka_unit_test(replaces_the_secrets_of_a_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
