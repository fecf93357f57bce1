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
    json_auto_t *replaced = secrets_replaced(&arena, definition, false, numbered, &arena);
    assert_string_equal(
        json_print_in(&arena, replaced),
        "{\"command\":\"npx\",\"args\":[\"-y\",\"s@1\",\"--api-key\",\"<api-key>\",\"-e\",\"A_"
        "TOKEN=<A_TOKEN>\","
        "\"--user\",\"joe:<password>\",\"--password=<password>\",\"-H\",\"X-Key: "
        "<X-Key>\"],\"env\":{\"DSN\":\"<DSN>\",\"LEVEL\":\"info\"},"
        "\"url\":\"https://a.example/"
        "?token=<token>\",\"headers\":{\"X-Key\":\"<X-Key>\"},\"enabled\":true}");
}

/* Arguments, a blank between them ('~' is a blank within one), and what is shown of them. */
static const char *const arguments_and_shown[][2] = {
    { "--token=abc", "--token=…" },
    { "--token abc", "--token …" },
    { "--token -abc9xyz", "--token …" },
    { "--auth --verbose", "--auth --verbose" },
    { "-p hunter", "-p …" },
    { "-p 8080:80", "-p 8080:80" },
    { "-phunter2", "-p…" },
    { "-port 80", "-port 80" },
    { "--key abc", "--key …" },
    { "--auth=joe", "--auth=…" },
    { "--credentials a", "--credentials …" },
    { "--dbpass a", "--dbpass …" },
    { "--sessionid a", "--sessionid …" },
    { "--password /hunter2", "--password …" },
    { "--key-file /a/b", "--key-file /a/b" },
    { "token hunter", "token …" },
    { "--tokens a,b", "--tokens a,b" },
    { "--tokens abc123,def", "--tokens …" },
    { "--secret=a,b", "--secret=…" },
    { "x:token=a,b", "x:token=…" },
    { "--user joe:pw", "--user joe:…" },
    { "--user=joe:pw", "--user=joe:…" },
    { "-ujoe:pw", "-ujoe:…" },
    { "--header Authorization:~Bearer~x", "--header Authorization:~Bearer~…" },
    { "--header=Authorization:~Bearer~x", "--header=Authorization:~Bearer~…" },
    { "--header=X-Mine:~hunter", "--header=X-Mine:~…" },
    { "-H X-Mine:~hunter", "-H X-Mine:~…" },
    { "-H Accept:~text/html", "-H Accept:~text/html" },
    { "-H X-Api-Key:a", "-H X-Api-Key:…" },
    { "-H Cookie:~a=b;~c=d", "-H Cookie:~…" },
    { "-e LEVEL=debug", "-e LEVEL=…" },
    { "--env=LEVEL=debug", "--env=LEVEL=…" },
    { "-e LEVEL", "-e LEVEL" },
    { "-eMY_TOKEN=abc", "-eMY_TOKEN=…" },
    { "MY_TOKEN=abc", "MY_TOKEN=…" },
    { "password~=~abc", "password~=~…" },
    { "sh -c curl~-H~'Authorization:~Own~abc~d'", "sh -c curl~-H~'Authorization:~…'" },
    { "sh -c srv~-token~abc~--x", "sh -c srv~-token~…~--x" },
    { "sh -c TOKEN=abc~exec~srv", "sh -c TOKEN=…~exec~srv" },
    { "{\"apiKey\":~\"a\"}", "{\"apiKey\":~\"…\"}" },
    { "{\"apiKey\"~:~\"a\",\"x\":1}", "{\"apiKey\"~:~\"…\",\"x\":1}" },
    { "{\"pin\":1234}", "{\"pin\":…}" },
    { "{\"tokens\":[\"a\",\"b\"],\"x\":1}", "{\"tokens\":…,\"x\":1}" },
    { "{\"credentials\":{\"a\":{\"b\":\"}\"}},\"x\":1}", "{\"credentials\":…,\"x\":1}" },
    { "{\\\"keys\\\":[\\\"a\\\"]}", "{\\\"keys\\\":…}" },
    { "[{\"name\":\"X-Token\",\"value\":\"a\"}]", "[{\"name\":\"X-Token\",\"value\":\"…\"}]" },
    { "[{\"name\":\"Level\",\"value\":\"a\"}]", "[{\"name\":\"Level\",\"value\":\"a\"}]" },
    { "--x={\"secret\":\"a\"}", "--x={\"secret\":\"…\"}" },
    { "https://joe:pw@h/x", "https://joe:…@h/x" },
    { "https://Hunter2@h/x", "https://…@h/x" },
    { "ssh://git@h/x", "ssh://git@h/x" },
    { "joe:pw@tcp(db:1)/x", "joe:…@tcp(db:1)/x" },
    { "--dsn=joe:pw@db/x", "--dsn=…" },
    { "npm:left-pad@latest", "npm:left-pad@latest" },
    { "git@github.com:a/b", "git@github.com:a/b" },
    { "https://h/?key=a&mode=fast", "https://h/?key=…&mode=fast" },
    { "https://h/?sig=a#access_token=b", "https://h/?sig=…" },
    { "https://h/#access_token=b", "https://h/#access_token=…" },
    { "https://h/token/abc1def/mcp", "https://h/token/…/mcp" },
    { "https://h/auth/mcp", "https://h/auth/mcp" },
    { "https://h/oauth/v1/mcp", "https://h/oauth/v1/mcp" },
    { "abcDefGhiJklMnoPqrStuVwx", "…" },
    { "xoxb"
      "-12345-abcdef",
      "…" },
    { "hvs"
      ".CAESabcdefgh",
      "…" },
    { "dapi"
      "0123456789abcdef01234567",
      "…" },
    { "glsa"
      "_abcDEF123_01ab",
      "…" },
    { "GOCSPX"
      "-abcdEFGH12",
      "…" },
    { "tskey"
      "-auth-k1CNTRL-abc",
      "…" },
    { "vcp"
      "_0aB1cD2eF3gH4iJ5kL",
      "vcp_…" },
    { "@scope/pkg@1.2.3", "@scope/pkg@1.2.3" },
    { "mcp-server-auth", "mcp-server-auth" },
    { "--max-tokens 4096", "--max-tokens 4096" },
    { "--transport stdio -y", "--transport stdio -y" },
    { "--keyboard us", "--keyboard us" },
    { "--author joe", "--author joe" },
};

static const char *hidden(void *context, const char *name, const char *secret)
{
    (void)context, (void)name, (void)secret;
    return "…";
}

static json_t *arguments_of(struct arena *arena, const char *row)
{
    json_t *list = json_array();
    for (size_t n; *row; row += n + (row[n] == ' ')) {
        n = strcspn(row, " ");
        char *argument = arena_strndup(arena, row, n);
        for (char *at = argument; (at = strchr(at, '~'));)
            *at = ' ';
        json_array_append_new(list, json_string(argument));
    }
    return list;
}

static void hides_in_arguments_what_their_names_and_places_make_secret(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arguments_and_shown / sizeof *arguments_and_shown; i++) {
        AUTO(arena) arena = { 0 };
        json_auto_t *definition =
            json_pack("{s:o, s:o}", "args", arguments_of(&arena, arguments_and_shown[i][0]),
                      "wanted", arguments_of(&arena, arguments_and_shown[i][1]));
        json_auto_t *shown = secrets_replaced(&arena, definition, true, hidden, NULL);
        assert_string_equal(json_print_in(&arena, json_object_get(shown, "args")),
                            json_print_in(&arena, json_object_get(definition, "wanted")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_values_whose_names_say_so),
        cmocka_unit_test(leaves_what_only_configures),
        cmocka_unit_test(finds_credentials_by_their_place_and_shape),
        cmocka_unit_test(replaces_the_secrets_of_a_definition),
        cmocka_unit_test(hides_in_arguments_what_their_names_and_places_make_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
