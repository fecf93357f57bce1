
#include "application/tools/sampling.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct bench {
    struct arena arena;
    struct sampling_bounds bounds;
    struct sampling_request request;
    struct err err;
};

#define BENCH                                                                                      \
    {                                                                                              \
        .bounds = {.max_tokens = 1000, .max_bytes = 10000 }                                        \
    }

static enum err_code read_params(struct bench *bench, const char *params)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(params, strlen(params), JSON_OURS, &value, NULL), ERR_NONE);
    (void)arena_keep_json(&bench->arena, value);
    return sampling_request_read(value, &bench->bounds, &bench->arena, &bench->request,
                                 &bench->err);
}

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define MODEL(content) "{\"role\":\"assistant\",\"content\":" content "}"

static void messages_take_turns_and_the_last_is_the_request(void **state)
{
    struct bench bench = BENCH;
    (void)state;
    assert_int_equal(
        read_params(&bench,
                    "{\"systemPrompt\":\"S\",\"messages\":[" USER(TEXT("a")) "," USER("[" TEXT(
                        "b") "," TEXT("c") "]") "," MODEL(TEXT("d")) "," USER(TEXT("e")) "]}"),
        ERR_NONE);
    const struct prompt *prompt = &bench.request.prompt;
    assert_string_equal(prompt->system, "S");
    assert_int_equal(prompt->n_parts, 3);
    assert_string_equal(prompt->parts[0].text, "a\n\nb\n\nc");
    assert_int_equal(prompt->parts[0].speaker, PROMPT_USER);
    assert_int_equal(prompt->parts[1].speaker, PROMPT_ASSISTANT);
    assert_int_equal(prompt->parts[2].speaker, PROMPT_NOBODY);
    assert_string_equal(bench.request.shown,
                        "system:\nS\n\nuser:\na\n\nb\n\nc\n\nassistant:\nd\n\nuser:\ne");
    arena_finish(&bench.arena);
}

static void what_is_left_out_is_the_settings_or_the_models(void **state)
{
    struct bench bench = BENCH;
    (void)state;
    assert_int_equal(read_params(&bench, "{\"messages\":[" USER(TEXT("a")) "]}"), ERR_NONE);
    assert_int_equal(bench.request.max_tokens, 1000);
    assert_true(bench.request.temperature < 0);
    assert_int_equal(bench.request.stops.n, 0);
    arena_finish(&bench.arena);
}

static void numbers_are_held_to_their_bounds(void **state)
{
    static const struct {
        const char *asked;
        int given;
    } tokens[] = {
        { "1", 1 }, { "999", 999 }, { "1000", 1000 }, { "1001", 1000 }, { "1e30", 1000 }
    };
    (void)state;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct bench bench = BENCH;
        const char *params =
            arena_printf(&bench.arena, "{\"messages\":[%s],\"maxTokens\":%s,\"temperature\":9}",
                         USER(TEXT("a")), tokens[i].asked);
        assert_int_equal(read_params(&bench, params), ERR_NONE);
        assert_int_equal(bench.request.max_tokens, tokens[i].given);
        assert_true(bench.request.temperature == 2);
        arena_finish(&bench.arena);
    }
}

static void refuses_what_it_cannot_pass_on_as_it_is_meant(void **state)
{
    static const struct {
        const char *params, *why;
    } cases[] = {
        { "{}", "no messages" },
        { "{\"messages\":[]}", "no messages" },
        { "{\"messages\":[{\"role\":\"system\",\"content\":" TEXT("x") "}]}", "neither" },
        { "{\"messages\":[" MODEL(TEXT("x")) "]}", "last message" },
        { "{\"messages\":[" USER(
              "{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"}") "]}",
          "type text" },
        { "{\"messages\":[" USER("{\"type\":\"audio\"}") "]}", "type text" },
        { "{\"messages\":[" USER("{\"type\":\"tool_result\"}") "]}", "type text" },
        { "{\"messages\":[" USER("\"x\"") "]}", "type text" },
        { "{\"messages\":[" USER("{\"type\":\"text\"}") "]}", "text is missing" },
        { "{\"messages\":[" USER(TEXT("a\\u0000b")) "]}", "NUL" },
        { "{\"systemPrompt\":7,\"messages\":[" USER(TEXT("x")) "]}", "text is missing" },
        { "{\"tools\":[{\"name\":\"t\"}],\"messages\":[" USER(TEXT("x")) "]}", "not offered" },
        { "{\"toolChoice\":{\"mode\":\"auto\"},\"messages\":[" USER(TEXT("x")) "]}",
          "not offered" },
        { "{\"maxTokens\":0,\"messages\":[" USER(TEXT("x")) "]}", "maxTokens" },
        { "{\"maxTokens\":\"9\",\"messages\":[" USER(TEXT("x")) "]}", "maxTokens" },
        { "{\"temperature\":\"hot\",\"messages\":[" USER(TEXT("x")) "]}", "temperature" },
        { "{\"stopSequences\":{},\"messages\":[" USER(TEXT("x")) "]}", "stopSequences" },
        { "{\"stopSequences\":[\"\"],\"messages\":[" USER(TEXT("x")) "]}", "stop sequence" },
        { "{\"stopSequences\":[7],\"messages\":[" USER(TEXT("x")) "]}", "stop sequence" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = BENCH;
        assert_int_equal(read_params(&bench, cases[i].params), ERR_INVALID);
        if (!strstr(bench.err.message, cases[i].why))
            fail_msg("%s: %s", cases[i].params, bench.err.message);
        arena_finish(&bench.arena);
    }
}

/* `before`, n times `one` with commas between, `after`. */
static enum err_code read_many(const char *before, const char *one, size_t n, const char *after)
{
    struct bench bench = BENCH;
    AUTO(buf) params;
    buf_init(&params, 1024 * 1024);
    bool fits = buf_puts(&params, before);
    for (size_t i = 0; fits && i < n; i++)
        fits = buf_printf(&params, "%s%s", i ? "," : "", one);
    assert_true(fits && buf_puts(&params, after));
    enum err_code r = read_params(&bench, buf_string(&params));
    arena_finish(&bench.arena);
    return r;
}

static void takes_so_much_and_no_more(void **state)
{
    static const char texts[] = "{\"messages\":[{\"role\":\"user\",\"content\":[";
    static const char stops[] = "{\"messages\":[" USER(TEXT("x")) "],\"stopSequences\":[";
    (void)state;
    assert_int_equal(read_many("{\"messages\":[", USER(TEXT("x")), 100, "]}"), ERR_NONE);
    assert_int_equal(read_many("{\"messages\":[", USER(TEXT("x")), 101, "]}"), ERR_INVALID);
    assert_int_equal(read_many(texts, TEXT("x"), 100, "]}]}"), ERR_NONE);
    assert_int_equal(read_many(texts, TEXT("x"), 101, "]}]}"), ERR_INVALID);
    assert_int_equal(read_many(stops, "\"x\"", 16, "]}"), ERR_NONE);
    assert_int_equal(read_many(stops, "\"x\"", 17, "]}"), ERR_INVALID);
    assert_int_equal(read_many(texts,
                               TEXT("0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"),
                               100, "]}]}"),
                     ERR_NONE);
    assert_int_equal(read_many(texts,
                               TEXT("0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0123456789"
                                    "0"),
                               100, "]}]}"),
                     ERR_INVALID);
}

static void stop_sequences_have_a_length(void **state)
{
    char stop[SAMPLING_MAX_STOP_BYTES + 2];
    (void)state;
    for (size_t n = SAMPLING_MAX_STOP_BYTES; n <= SAMPLING_MAX_STOP_BYTES + 1; n++) {
        struct bench bench = BENCH;
        memset(stop, 's', n);
        stop[n] = '\0';
        const char *params = arena_printf(
            &bench.arena, "{\"messages\":[%s],\"stopSequences\":[\"%s\"]}", USER(TEXT("a")), stop);
        assert_int_equal(read_params(&bench, params),
                         n == SAMPLING_MAX_STOP_BYTES ? ERR_NONE : ERR_INVALID);
        arena_finish(&bench.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_turns_and_the_last_is_the_request),
        cmocka_unit_test(what_is_left_out_is_the_settings_or_the_models),
        cmocka_unit_test(numbers_are_held_to_their_bounds),
        cmocka_unit_test(refuses_what_it_cannot_pass_on_as_it_is_meant),
        cmocka_unit_test(takes_so_much_and_no_more),
        cmocka_unit_test(stop_sequences_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
