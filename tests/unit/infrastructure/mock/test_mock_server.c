#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_fixture.h"
#include "infrastructure/mock/mock_reply.h"
#include "infrastructure/mock/mock_server.h"
#include "tests/support/cmocka.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

struct fixture {
    struct immediate_runtime runtime;
    struct tool_server *mock;
    struct scope scope;
    struct arena arena;
    struct step_result result;
    struct err err;
    int progress;
    char message[64];
    int64_t paused_ms;
};

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        fail_msg("%s", err.message);
    return value;
}

static void open_mock(struct fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    f->runtime = immediate_runtime();
    f->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    json_t *value = parse(text);
    assert_int_equal(mock_server_create(&f->runtime.port, "dev", value, &f->mock, &f->err), 0);
    json_decref(value);
}

static void close_mock(struct fixture *f)
{
    tool_server_destroy(f->mock);
    arena_finish(&f->arena);
}

static void count_progress(void *context, double progress, double total, const char *message)
{
    struct fixture *f = context;
    (void)progress;
    (void)total;
    f->progress++;
    strncpy(f->message, message ? message : "", sizeof f->message - 1);
}

static void note_pause(void *context, int64_t ms)
{
    struct fixture *f = context;
    f->paused_ms = ms;
}

static enum err_code call_for(struct fixture *f, const char *tool, const char *arguments,
                              int64_t silence_ms)
{
    struct tool_call call = {
        .name = tool,
        .arguments = arena_keep_json(&f->arena, parse(arguments)),
        .silence_ms = silence_ms,
        .on_progress = count_progress,
        .on_pause = note_pause,
        .context = f,
    };
    return tool_server_call(f->mock, &f->scope, &call, &f->arena, &f->result, &f->err);
}

static enum err_code call(struct fixture *f, const char *tool, const char *arguments)
{
    return call_for(f, tool, arguments, 0);
}

static const char *text_of(struct fixture *f)
{
    return step_result_text(&f->arena, &f->result);
}

static void lets_its_caller_go_where_the_reply_says_so(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f,
              "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"pause_ms\":40,\"text\":\"there\"}]}]}");
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_int_equal(f.paused_ms, 40);
    assert_string_equal(text_of(&f), "there");
    close_mock(&f);
}

static void answers_with_the_first_reply_that_fits(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f,
              "{\"tools\":[{\"name\":\"t\",\"replies\":["
              "{\"when\":{\"q\":\"*sort*\",\"n\":2},\"text\":\"sorting\"},{\"text\":\"any\"}]}]}");
    assert_int_equal(call(&f, "t", "{\"q\":\"please sort it\",\"n\":2.0}"), ERR_NONE);
    assert_string_equal(text_of(&f), "sorting");
    assert_int_equal(call(&f, "t", "{\"q\":\"please sort it\"}"), ERR_NONE);
    assert_string_equal(text_of(&f), "any");
    close_mock(&f);
}

static void uses_a_reply_as_often_as_it_says(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":["
                  "{\"error\":\"try again\",\"times\":2},{\"text\":\"done\"}]}]}");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
        assert_true(f.result.is_error);
    }
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_false(f.result.is_error);
    assert_string_equal(text_of(&f), "done");
    close_mock(&f);
}

static void fills_arguments_in_as_data(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"structured\":{"
                  "\"whole\":\"{args.n}\",\"part\":\"n={args.n} s={args.s}\","
                  "\"deep\":\"{args.o.k}\",\"none\":\"{args.zzz} {x\"}}]}]}");
    assert_int_equal(call(&f, "t", "{\"n\":7,\"s\":\"{args.n}\",\"o\":{\"k\":[1]}}"), ERR_NONE);
    assert_string_equal(json_print_in(&f.arena, step_result_structured(&f.result)),
                        "{\"whole\":7,\"part\":\"n=7 s={args.n}\",\"deep\":[1],"
                        "\"none\":\"{args.zzz} {x\"}");
    close_mock(&f);
}

static void bounds_what_templates_grow_to(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":["
                  "{\"text\":\"{args.s}{args.s}{args.s}{args.s}{args.more}\"}]}]}");
    enum { QUARTER = MOCK_MAX_EXPANDED_BYTES / 4 };
    char *big = calloc(1, QUARTER + 64);
    memcpy(big, "{\"s\":\"", 6);
    memset(big + 6, 'x', QUARTER);
    strcpy(big + 6 + QUARTER, "\",\"more\":\"\"}");
    assert_int_equal(call(&f, "t", big), ERR_NONE);
    assert_int_equal(strlen(text_of(&f)), MOCK_MAX_EXPANDED_BYTES);
    strcpy(big + 6 + QUARTER, "\",\"more\":\"y\"}");
    assert_int_equal(call(&f, "t", big), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, "more than 1048576 bytes"));
    free(big);
    close_mock(&f);
}

static void refuses_a_text_over_the_bound_when_the_fixture_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *path, *before, *behind;
    } cases[] = {
        { "/tools/0/replies/0/text", "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"text\":\"",
          "\"}]}]}" },
        { "/tools/0/replies/0/content/0/text",
          "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"content\":[{\"text\":\"", "\"}]}]}]}" },
        { "/resources/0/text", "{\"tools\":[],\"resources\":[{\"uri\":\"u:a\",\"text\":\"",
          "\"}]}" },
        { "/prompts/0/messages/0/text",
          "{\"tools\":[],\"prompts\":[{\"name\":\"p\",\"messages\":[{\"text\":\"", "\"}]}]}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        for (size_t more = 0; more < 2; more++) {
            AUTO(arena) arena = { 0 };
            char *text = arena_array(&arena, char, MOCK_MAX_EXPANDED_BYTES + 2);
            memset(text, 'x', MOCK_MAX_EXPANDED_BYTES + more);
            json_auto_t *value =
                parse(arena_printf(&arena, "%s%s%s", cases[i].before, text, cases[i].behind));
            struct mock_fixture fixture;
            struct err err = { 0 };
            enum err_code r = mock_fixture_init(&fixture, value, &err);
            assert_int_equal(r, more ? ERR_INVALID : ERR_NONE);
            assert_true(!more || text_starts_with(err.message, cases[i].path));
            if (!r)
                mock_fixture_finish(&fixture);
        }
}

static void takes_its_time_and_reports_progress(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"delay_ms\":300,\"progress\":["
                  "{\"progress\":1,\"total\":2},{\"progress\":2,\"message\":\"half\"}]}]}]}");
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_int_equal(f.progress, 2);
    assert_string_equal(f.message, "half");
    assert_int_equal(f.runtime.now_ms, 300);
    close_mock(&f);
}

static void ends_with_a_timeout_when_silent_for_too_long(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":[{\"delay_ms\":300}]},"
                  "{\"name\":\"h\",\"replies\":[{\"fault\":\"hang\"}]}]}");
    assert_int_equal(call_for(&f, "t", "{}", 301), ERR_NONE);
    assert_int_equal(call_for(&f, "t", "{}", 300), ERR_TIMEOUT);
    assert_int_equal(call_for(&f, "h", "{}", 50), ERR_TIMEOUT);
    close_mock(&f);
}

static void stays_silent_after_the_fault_of_that_name(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"s\",\"replies\":[{\"fault\":\"silence\"}]},"
                  "{\"name\":\"t\"}]}");
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_string_equal(text_of(&f), "ok");
    assert_int_equal(call_for(&f, "s", "{}", 10), ERR_TIMEOUT);
    assert_int_equal(call_for(&f, "t", "{}", 10), ERR_TIMEOUT);
    close_mock(&f);
}

static void turns_faults_of_a_process_into_errors(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":["
                  "{\"when\":{\"f\":\"exit\"},\"fault\":\"exit\"},"
                  "{\"when\":{\"f\":\"close\"},\"fault\":\"close\"},"
                  "{\"when\":{\"f\":\"junk\"},\"fault\":\"junk\"},"
                  "{\"when\":{\"f\":\"garbage\"},\"fault\":\"garbage\"},"
                  "{\"when\":{\"f\":\"code\"},\"error\":{\"code\":-32042,\"message\":\"no\"}}]}]}");
    assert_int_equal(call(&f, "t", "{\"f\":\"exit\"}"), ERR_UNAVAILABLE);
    assert_int_equal(call(&f, "t", "{\"f\":\"close\"}"), ERR_UNAVAILABLE);
    assert_int_equal(call(&f, "t", "{\"f\":\"junk\"}"), ERR_NONE);
    assert_int_equal(call(&f, "t", "{\"f\":\"garbage\"}"), ERR_PROTOCOL);
    assert_int_equal(call(&f, "t", "{\"f\":\"code\"}"), ERR_PROTOCOL);
    assert_int_equal(f.err.origin, -32042);
    assert_int_equal(call(&f, "t", "{\"f\":\"other\"}"), ERR_NONE);
    assert_true(f.result.is_error);
    close_mock(&f);
}

static void keeps_what_was_called(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\"}]}");
    assert_int_equal(call(&f, "t", "{\"a\":1}"), ERR_NONE);
    assert_int_equal(call(&f, "zzz", "{}"), ERR_NOT_FOUND);
    assert_string_equal(json_print_in(&f.arena, mock_server_calls(f.mock)),
                        "[{\"tool\":\"t\",\"arguments\":{\"a\":1}}]");
    close_mock(&f);
}

static size_t count_tools(struct fixture *f)
{
    struct tool_catalogue *catalogue;
    assert_int_equal(tool_server_list(f->mock, &f->scope, &catalogue, &f->err), ERR_NONE);
    size_t n = catalogue->n_tools;
    tool_catalogue_unref(catalogue);
    return n;
}

static void count_change(void *context, struct tool_server *server)
{
    (void)server;
    ((struct fixture *)context)->progress++;
}

static void reveals_and_hides_tools(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"replies\":["
                  "{\"reveals\":[\"u\"],\"hides\":[\"t\",\"nobody\"]}]},"
                  "{\"name\":\"u\",\"hidden\":true},{\"name\":\"v\"}]}");
    tool_server_listen(
        f.mock, &(struct tool_server_listener){ .on_tools_changed = count_change, .context = &f });
    assert_int_equal(count_tools(&f), 2);
    assert_int_equal(call(&f, "u", "{}"), ERR_NOT_FOUND);
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_int_equal(f.progress, 1);
    assert_int_equal(call(&f, "t", "{}"), ERR_NOT_FOUND);
    assert_int_equal(call(&f, "u", "{}"), ERR_NONE);
    close_mock(&f);
}

static void refuses_arguments_that_do_not_fit_unless_told_otherwise(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\","
                  "\"required\":[\"q\"]},\"replies\":[{\"text\":\"once\",\"times\":1}]},"
                  "{\"name\":\"u\",\"validate\":false,\"inputSchema\":{\"type\":\"object\","
                  "\"required\":[\"q\"]}},"
                  "{\"name\":\"v\",\"inputSchema\":{\"type\":\"object\",\"required\":7}}]}");
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_true(f.result.is_error);
    assert_int_equal(call(&f, "t", "{\"q\":1}"), ERR_NONE);
    assert_string_equal(text_of(&f), "once");
    assert_int_equal(call(&f, "u", "{}"), ERR_NONE);
    assert_false(f.result.is_error);
    assert_int_equal(call(&f, "v", "{}"), ERR_NONE);
    assert_false(f.result.is_error);
    close_mock(&f);
}

static void names_the_faulty_member_of_a_fixture(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "[]", "/: must be a mapping" },
        { "{\"tool\":[]}", "/tool: there is no such member in a fixture" },
        { "{\"era\":\"old\"}", "/era: must be both, modern or legacy" },
        { "{\"page_size\":-1}", "/page_size: must be from 0 to 86400000" },
        { "{\"start\":{\"fault\":\"boom\"}}", "/start/fault: 'boom' is not a fault" },
        { "{\"tools\":[{}]}", "/tools/0/name: a tool needs a name" },
        { "{\"tools\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", "/tools/1/name: 'a' is used twice" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{},{\"txt\":\"x\"}]}]}",
          "/tools/0/replies/1/txt: there is no such member in a fixture" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"delay_ms\":86400001}]}]}",
          "/tools/0/replies/0/delay_ms: must be from 0 to 86400000" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"text\":\"x\",\"error\":\"y\"}]}]}",
          "/tools/0/replies/0: has more than one of text, content, result, error" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"progress\":[{\"percent\":1}]}]}]}",
          "/tools/0/replies/0/progress/0/percent: there is no such member in a fixture" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"hides\":[1]}]}]}",
          "/tools/0/replies/0/hides/0: must be the name of a tool" },
        { "{\"tools\":[{\"name\":\"a\",\"task\":\"maybe\"}]}",
          "/tools/0/task: must be optional or required" },
        { "{\"cache_scope\":\"mine\"}", "/cache_scope: must be public or private" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"elicit\":{\"message\":\"m\"}}]}]}",
          "/tools/0/replies/0/elicit: needs either schema or url" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"elicit\":{\"url\":\"u\"}}]}]}",
          "/tools/0/replies/0/elicit/message: a question needs words" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"elicit\":[{\"message\":\"m\",\"url\":\"u\"},"
          "7]}]}]}",
          "/tools/0/replies/0/elicit/1: must be a mapping" },
        { "{\"tools\":[{\"name\":\"a\",\"replies\":[{\"sample\":{\"prompt\":1}}]}]}",
          "/tools/0/replies/0/sample: needs a prompt (text) or messages" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct err err = { 0 };
        struct tool_server *mock = NULL;
        struct immediate_runtime runtime = immediate_runtime();
        json_t *value = parse(cases[i].text);
        assert_int_equal(mock_server_create(&runtime.port, "m", value, &mock, &err), ERR_INVALID);
        assert_string_equal(err.message, cases[i].message);
        json_decref(value);
    }
}

static void takes_numbers_up_to_the_bound(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"page_size\":86400000,\"tools\":[{\"name\":\"t\",\"replies\":["
                  "{\"delay_ms\":86400000}]}]}");
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_int_equal(f.runtime.now_ms, MOCK_MAX_NUMBER);
    close_mock(&f);
}

/* {"tools":[{"name":"t0"},{"name":"t1"},…]} */
static json_t *fixture_with_tools(int n)
{
    json_t *tools = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(tools, json_pack("{so}", "name", json_sprintf("t%d", i)));
    return json_pack("{so}", "tools", tools);
}

static json_t *fixture_with_replies(int n)
{
    json_t *replies = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(replies, json_object());
    return json_pack("{s[{ssso}]}", "tools", "name", "t", "replies", replies);
}

static void assert_creates(json_t *value)
{
    struct fixture f = { .runtime = immediate_runtime() };
    assert_int_equal(mock_server_create(&f.runtime.port, "m", value, &f.mock, &f.err), ERR_NONE);
    json_decref(value);
    close_mock(&f);
}

static void assert_refuses(json_t *value, const char *message)
{
    struct fixture f = { .runtime = immediate_runtime() };
    assert_int_equal(mock_server_create(&f.runtime.port, "m", value, &f.mock, &f.err), ERR_INVALID);
    assert_string_equal(f.err.message, message);
    json_decref(value);
}

static void bounds_the_tools_of_a_fixture(void **state)
{
    (void)state;
    assert_creates(fixture_with_tools(MOCK_MAX_TOOLS));
    assert_refuses(fixture_with_tools(MOCK_MAX_TOOLS + 1), "/tools: more than 1000");
}

static void bounds_the_replies_of_a_tool(void **state)
{
    (void)state;
    assert_creates(fixture_with_replies(MOCK_MAX_REPLIES));
    assert_refuses(fixture_with_replies(MOCK_MAX_REPLIES + 1), "/tools/0/replies: more than 10000");
}

static void keeps_no_more_calls_than_the_bound_and_answers_all_the_same(void **state)
{
    (void)state;
    struct fixture f;
    open_mock(&f, "{\"tools\":[{\"name\":\"t\"}]}");
    for (int i = 0; i < MOCK_MAX_RECORDED_CALLS; i++)
        assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_int_equal(json_array_size(mock_server_calls(f.mock)), MOCK_MAX_RECORDED_CALLS);
    assert_int_equal(call(&f, "t", "{}"), ERR_NONE);
    assert_string_equal(text_of(&f), "ok");
    assert_int_equal(json_array_size(mock_server_calls(f.mock)), MOCK_MAX_RECORDED_CALLS);
    close_mock(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_with_the_first_reply_that_fits),
        cmocka_unit_test(lets_its_caller_go_where_the_reply_says_so),
        cmocka_unit_test(uses_a_reply_as_often_as_it_says),
        cmocka_unit_test(fills_arguments_in_as_data),
        cmocka_unit_test(bounds_what_templates_grow_to),
        cmocka_unit_test(refuses_a_text_over_the_bound_when_the_fixture_is_read),
        cmocka_unit_test(takes_its_time_and_reports_progress),
        cmocka_unit_test(ends_with_a_timeout_when_silent_for_too_long),
        cmocka_unit_test(stays_silent_after_the_fault_of_that_name),
        cmocka_unit_test(turns_faults_of_a_process_into_errors),
        cmocka_unit_test(keeps_what_was_called),
        cmocka_unit_test(reveals_and_hides_tools),
        cmocka_unit_test(refuses_arguments_that_do_not_fit_unless_told_otherwise),
        cmocka_unit_test(names_the_faulty_member_of_a_fixture),
        cmocka_unit_test(takes_numbers_up_to_the_bound),
        cmocka_unit_test(bounds_the_tools_of_a_fixture),
        cmocka_unit_test(bounds_the_replies_of_a_tool),
        cmocka_unit_test(keeps_no_more_calls_than_the_bound_and_answers_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
