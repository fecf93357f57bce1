/* What a turn of the agent sees of the services: nobody to ask, its own tools in the common index,
 * no server that is the agent itself; and what its caller hears of it. */
#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

static int set_up(void **state)
{
    *state = chat_bench_create("files", CHAT_BENCH_FILES);
    return 0;
}

/* What the index gives a turn for a word: the name of the best tool of its own. */
static const char *find_in_index(struct arena *arena, struct agent_turn *turn, const char *word,
                                 const struct tool *const *own)
{
    const struct tool_search search = { .words = &word, .n_words = 1, .max = 1 };
    struct tool_index *index = NULL;
    struct tool_hit *hits = NULL;
    size_t n = 0;
    if (services_index(&turn->base, &index, NULL) ||
        tool_index_search(index, &search, arena, &hits, &n, NULL) || n != 1)
        return "nothing";
    return own[hits[0].tool]->name;
}

static void finds_a_turns_own_tools_in_the_index_it_shares(void **state)
{
    struct chat_bench *bench = *state;
    struct services *services = &bench->services.base;
    static const struct tool read = { .name = "read" }, write = { .name = "write" };
    const struct tool *const one[] = { &read }, *const other[] = { &write, &read };
    const struct tool_call none = { 0 };
    const struct agent_turn *in_index = NULL;
    struct agent_turn first, second;
    struct tool_index *index = NULL;
    agent_turn_init(&first, services, &bench->arena, &none, &in_index);
    agent_turn_init(&second, services, &bench->arena, &none, &in_index);
    assert_int_equal(services_index(&first.base, &index, NULL), ERR_NONE);
    assert_int_equal(tool_index_build(index, one, 1, NULL), ERR_NONE);
    assert_int_equal(services_index(&second.base, &index, NULL), ERR_NONE);
    assert_int_equal(tool_index_build(index, other, 2, NULL), ERR_NONE);

    assert_string_equal(find_in_index(&bench->arena, &first, "write", one), "nothing");
    assert_string_equal(find_in_index(&bench->arena, &second, "write", other), "write");
    assert_string_equal(tool_index_stem(&first.index, NULL, "writes", &bench->arena), "write");
    assert_string_equal(find_in_index(&bench->arena, &first, "read", one), "read");

    agent_turn_finish(&second);
    agent_turn_finish(&first);
    assert_null(in_index);
}

static void has_nobody_who_answers_or_approves(void **state)
{
    struct chat_bench *bench = *state;
    const struct tool_call none = { 0 };
    const struct agent_turn *in_index = NULL;
    struct agent_turn turn;
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    json_t *answers = NULL;
    enum approval_answer answer = APPROVAL_ALWAYS;
    bench->services.user.present = true;
    agent_turn_init(&turn, &bench->services.base, &bench->arena, &none, &in_index);

    struct user *user = turn.base.user;
    assert_false(user_present(user));
    assert_int_equal(user_ask(user, &scope, NULL, &bench->arena, &answers, NULL), ERR_DENIED);
    assert_int_equal(user_approve(user, &scope, NULL, &answer, NULL), ERR_DENIED);
    assert_int_equal(answer, APPROVAL_ALWAYS);

    agent_turn_finish(&turn);
}

struct hearing {
    struct arena arena;
    const char *last; /* NULL: nothing was told */
    double progress;
};

static void hear(void *context, double progress, double total, const char *message)
{
    struct hearing *hearing = context;
    hearing->last = total < 0 ? arena_strdup(&hearing->arena, message) : "a total";
    hearing->progress = progress;
}

static void tells_its_caller_in_sentences_that_are_safe_to_show(void **state)
{
    struct chat_bench *bench = *state;
    static const struct {
        enum event_kind kind;
        const char *data, *told;
    } cases[] = {
        { EVENT_INTENT, "{\"primary_goal\":\"read\"}", "understood: read" },
        { EVENT_INTENT, "{}", "understood: " },
        { EVENT_PLAN, "{\"plan\":{\"steps\":[{},{}]}}", "plan of 2 steps" },
        { EVENT_STEP_STARTED, "{\"step\":\"s1\",\"tool\":\"a/b\"}", "s1 a/b: started" },
        { EVENT_STEP_PROGRESS, "{\"step\":\"s1\",\"tool\":\"a/b\",\"progress\":2}", "s1 a/b: 2" },
        { EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":2,\"total\":4}", "a/b: 2 of 4" },
        { EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"message\":\"x\\u001b[2J\\ny\"}",
          "a/b: x\\x1b[2J\\ny" },
        { EVENT_STEP_FINISHED, "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"ok\"}",
          "s1 a/b: ok" },
        { EVENT_WARNING, "{\"text\":\"slow\"}", "warning: slow" },
        { EVENT_ANSWER_TOKEN, "{\"text\":\"Plu\"}", NULL },
        { EVENT_TOOL_CALL, "{\"tool\":\"a/b\"}", NULL },
    };
    struct hearing hearing = { 0 };
    const struct tool_call call = { .on_progress = hear, .context = &hearing };
    const struct agent_turn *in_index = NULL;
    struct agent_turn turn;
    agent_turn_init(&turn, &bench->services.base, &bench->arena, &call, &in_index);

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        json_auto_t *data = json_loads(cases[i].data, 0, NULL);
        const struct event event = { .kind = cases[i].kind, .data = data };
        const double before = hearing.progress;
        hearing.last = NULL;
        observer_observe(turn.base.observer, &event);
        if (cases[i].told)
            assert_string_equal(hearing.last, cases[i].told);
        else
            assert_null(hearing.last);
        assert_true(cases[i].told ? hearing.progress > before : hearing.progress == before);
    }

    agent_turn_finish(&turn);
    arena_finish(&hearing.arena);
}

static void tells_nothing_where_nobody_listens(void **state)
{
    struct chat_bench *bench = *state;
    const struct tool_call none = { 0 };
    const struct agent_turn *in_index = NULL;
    struct agent_turn turn;
    agent_turn_init(&turn, &bench->services.base, &bench->arena, &none, &in_index);
    json_auto_t *data = json_pack("{s:s}", "text", "slow");
    const struct event event = { .kind = EVENT_WARNING, .data = data };

    observer_observe(turn.base.observer, &event);

    assert_int_equal(turn.n_told, 0);
    agent_turn_finish(&turn);
}

static void knows_itself_by_its_command(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        const char *words[5];
        bool is_agent;
    } cases[] = {
        { "mistro", { "serve", "agent" }, true },
        { "/opt/bin/mistro", { "-m", "none", "serve", "--yes", "agent" }, true },
        { "mistro", { "serve", "workspace", "--root", "agent" }, false },
        { "mistro", { "serve", "mock", "agent" }, false },
        { "mistro", { "agent", "serve" }, false },
        { "maestro", { "serve", "agent" }, false },
        { NULL, { "serve", "agent" }, false },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct server_config config = { .command = cases[i].command, .arguments = cases[i].words };
        while (config.n_arguments < 5 && cases[i].words[config.n_arguments])
            config.n_arguments++;
        assert_int_equal(agent_turn_is_agent(&config), cases[i].is_agent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_a_turns_own_tools_in_the_index_it_shares, set_up,
                                        chat_bench_tear_down),
        cmocka_unit_test_setup_teardown(has_nobody_who_answers_or_approves, set_up,
                                        chat_bench_tear_down),
        cmocka_unit_test_setup_teardown(tells_its_caller_in_sentences_that_are_safe_to_show, set_up,
                                        chat_bench_tear_down),
        cmocka_unit_test_setup_teardown(tells_nothing_where_nobody_listens, set_up,
                                        chat_bench_tear_down),
        cmocka_unit_test(knows_itself_by_its_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
