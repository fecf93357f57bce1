#include "domain/base/json.h"
#include "infrastructure/cassette/cassette.h"
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"cassette\":\"mistro\",\"version\":1,\"redacted\":true}\n"
#define SEND(id, request)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" id "," request                                                  \
    ",\"_meta\":{\"dir\":\"send\",\"server\":\"dev\",\"t_ms\":1}}\n"
#define RECV(id, answer)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" id "," answer                                                   \
    ",\"_meta\":{\"dir\":\"recv\",\"server\":\"dev\",\"t_ms\":2}}\n"
#define CALL(arguments)                                                                            \
    "\"method\":\"tools/call\",\"params\":{\"name\":\"next\",\"arguments\":" arguments "}"

static const struct cassette_party dev = { CASSETTE_SERVER, "dev" };
static const struct cassette_bounds wide = { 1 << 20, 1 << 20, 100000 };

struct bench {
    char path[64];
    struct cassette *cassette;
    struct cassette_answer answer;
    struct err err;
};

static void bench_finish(struct bench *bench)
{
    cassette_close(bench->cassette);
    unlink(bench->path);
}

static enum err_code open_text(struct bench *bench, const char *text,
                               const struct cassette_bounds *bounds)
{
    *bench = (struct bench){ .path = "/tmp/test_cassette.XXXXXX" };
    int fd = mkstemp(bench->path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return cassette_open(bench->path, bounds, system_digest(), &bench->cassette, &bench->err);
}

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static enum err_code ask(struct bench *bench, const char *text, bool repeats)
{
    json_auto_t *request = parsed(text);
    bench->err = (struct err){ .code = ERR_NONE };
    return cassette_take(bench->cassette, &dev, request, repeats, &bench->answer, &bench->err);
}

static void expect_result(const struct bench *bench, const char *text)
{
    assert_int_equal(bench->answer.length, strlen(text));
    assert_memory_equal(bench->answer.result, text, strlen(text));
}

static void the_nth_equal_request_gets_the_answer_to_the_nth(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(
        open_text(&bench,
                  HEAD SEND("1", CALL("{\"a\":1,\"b\":2}")) SEND("2", CALL("{\"a\":1,\"b\":2}"))
                      RECV("2", "\"result\":{\"n\":2}") RECV("1", "\"result\":{\"n\":1}"),
                  &wide),
        ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{\"a\":1,\"b\":2}") "}", false), ERR_NONE);
    expect_result(&bench, "{\"n\":1}");
    assert_int_equal(ask(&bench, "{" CALL("{\"b\":2,\"a\":1}") "}", false), ERR_NONE);
    expect_result(&bench, "{\"n\":2}");
    assert_int_equal(cassette_miss(bench.cassette)->code, ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{\"a\":1,\"b\":2}") "}", false), ERR_FAILED);
    assert_non_null(strstr(bench.err.message, "more often than it was recorded (2)"));
    assert_int_equal(cassette_miss(bench.cassette)->code, ERR_FAILED);
    assert_int_equal(ask(&bench, "{" CALL("{\"a\":1,\"b\":2}") "}", true), ERR_NONE);
    expect_result(&bench, "{\"n\":2}");
}

static void ids_and_meta_are_no_part_of_a_request(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(
        open_text(&bench,
                  HEAD SEND("1",
                            "\"method\":\"tools/"
                            "call\",\"params\":{\"name\":\"x\",\"_meta\":{\"progressToken\":4}}")
                      RECV("1", "\"result\":{}"),
                  &wide),
        ERR_NONE);
    assert_int_equal(
        ask(&bench,
            "{\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":{},"
            "\"_meta\":{\"a\":1}}}",
            false),
        ERR_NONE);
}

static void a_miss_names_the_nearest_and_where_it_differs(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(
        open_text(
            &bench,
            HEAD SEND(
                "1", "\"method\":\"tools/"
                     "call\",\"params\":{\"name\":\"other\",\"arguments\":{\"p\":[1,{\"q/r\":3}]}}")
                RECV("1", "\"result\":{}") SEND(
                    "2", CALL("{\"p\":[1,{\"q/r\":2}],\"z\":1,\"y\":1}")) RECV("2", "\"result\":{}")
                    SEND("3", CALL("{\"p\":[1,{\"q/r\":2}]}")) RECV("3", "\"result\":{}"),
            &wide),
        ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{\"p\":[1,{\"q/r\":3}]}") "}", false), ERR_FAILED);
    assert_non_null(strstr(bench.err.message, "the nearest, line 6, differs at "
                                              "/params/arguments/p/1/q~1r"));
    assert_int_equal(ask(&bench, "{\"method\":\"resources/read\"}", false), ERR_FAILED);
    assert_non_null(strstr(bench.err.message, "nor anything like it"));
}

static void a_request_without_an_answer_counts_as_not_recorded(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(open_text(&bench, HEAD SEND("1", CALL("{}")), &wide), ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{}") "}", false), ERR_FAILED);
    assert_non_null(strstr(bench.err.message, "without an answer, in line 2"));
}

static void requests_are_redacted_before_they_are_compared(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(open_text(&bench,
                               HEAD SEND("1", CALL("{\"token\":\"[redacted]\"}"))
                                   RECV("1", "\"result\":{}"),
                               &wide),
                     ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{\"token\":\"of today\"}") "}", false), ERR_NONE);
}

static void an_error_comes_back_as_it_was(void **state)
{
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(
        open_text(&bench,
                  HEAD SEND("1", CALL("{}")) RECV(
                      "1", "\"error\":{\"code\":-32603,\"message\":\"gone\",\"data\":"
                           "{\"code\":\"timeout\",\"hint\":\"wait\",\"outcome\":\"unknown\","
                           "\"details\":{\"what\":\"tool\"},\"origin\":7}}") SEND("2", CALL("{}"))
                      RECV("2", "\"error\":{\"code\":-32602,\"message\":\"bad\"}"),
                  &wide),
        ERR_NONE);
    assert_int_equal(ask(&bench, "{" CALL("{}") "}", false), ERR_TIMEOUT);
    assert_string_equal(bench.err.message, "gone");
    assert_string_equal(bench.err.hint, "wait");
    assert_string_equal(bench.err.what, "tool");
    assert_int_equal(bench.err.origin, 7);
    assert_true(bench.err.is_outcome_unknown);
    assert_int_equal(ask(&bench, "{" CALL("{}") "}", false), ERR_INVALID);
    assert_int_equal(cassette_miss(bench.cassette)->code, ERR_NONE);
}

static void damage_is_named_by_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } damaged[] = {
        { "", "nothing is recorded" },
        { HEAD, "nothing is recorded" },
        { HEAD "{\"jsonrpc\":\"2.0\",\"id\":1,\"meth", "line 2: " },
        { HEAD "[]\n", "line 2: " },
        { HEAD "{\"_meta\":{\"dir\":\"send\"}}\n", "line 2: " },
        { HEAD "{\"_meta\":{\"dir\":\"sideways\",\"server\":\"dev\"}}\n", "line 2: " },
        { "{\"cassette\":\"other\",\"version\":1}\n", "line 1: " },
        { "{\"cassette\":\"mistro\",\"version\":2}\n", "version 2" },
        { HEAD "{\"error\":{\"message\":\"no "
               "room\"},\"_meta\":{\"dir\":\"lifecycle\",\"server\":\"dev\"}}\n",
          "line 2: its recording ended early: no room" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(damaged); i++) {
        AUTO(bench) bench;
        assert_int_equal(open_text(&bench, damaged[i].text, &wide), ERR_INVALID);
        if (!strstr(bench.err.message, damaged[i].says))
            fail_msg("%zu: %s", i, bench.err.message);
    }
}

static void bounds_are_inclusive(void **state)
{
    static const char text[] = HEAD SEND("1", CALL("{}")) RECV("1", "\"result\":{}");
    const size_t longest = strlen(SEND("1", CALL("{}"))) - 1;
    const struct cassette_bounds fits = { strlen(text), longest, 100000 };
    const struct cassette_bounds small = { strlen(text) - 1, longest, 100000 };
    const struct cassette_bounds narrow = { strlen(text), longest - 1, 100000 };
    (void)state;
    AUTO(bench) bench;
    assert_int_equal(open_text(&bench, text, &fits), ERR_NONE);
    AUTO(bench) larger;
    assert_int_equal(open_text(&larger, text, &small), ERR_LIMIT);
    assert_non_null(strstr(larger.err.message, "cassettes.max_bytes"));
    AUTO(bench) longer;
    assert_int_equal(open_text(&longer, text, &narrow), ERR_LIMIT);
    assert_non_null(strstr(longer.err.message, "line 2: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_equal_request_gets_the_answer_to_the_nth),
        cmocka_unit_test(ids_and_meta_are_no_part_of_a_request),
        cmocka_unit_test(a_miss_names_the_nearest_and_where_it_differs),
        cmocka_unit_test(a_request_without_an_answer_counts_as_not_recorded),
        cmocka_unit_test(requests_are_redacted_before_they_are_compared),
        cmocka_unit_test(an_error_comes_back_as_it_was),
        cmocka_unit_test(damage_is_named_by_its_line),
        cmocka_unit_test(bounds_are_inclusive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
