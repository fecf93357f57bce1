/* What a turn of the agent sees of the services: its own tools in the common index, and no server
 * that is the agent itself. */
#include "application/agent_tools/agent_turn.h"
#include "tests/support/chat_bench.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = chat_bench_create("files", CHAT_BENCH_FILES);
    return 0;
}

/* What the index gives a turn for a word: the name of the best tool of its own. */
static const char *find_in_index(struct arena *arena, struct agent_turn *turn, const char *word,
                                 const struct tool *const *own)
{
    struct tool_index *index = NULL;
    struct tool_hit *hits = NULL;
    size_t n = 0;
    if (services_index(&turn->base, &index, NULL) ||
        tool_index_search(index, &word, 1, 1, arena, &hits, &n, NULL) || n != 1)
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
    size_t n_tools = 0;
    agent_turn_init(&first, services, &bench->arena, &none, &in_index);
    agent_turn_init(&second, services, &bench->arena, &none, &in_index);
    assert_int_equal(services_index(&first.base, &index, NULL), ERR_NONE);
    assert_int_equal(tool_index_build(index, one, 1, NULL), ERR_NONE);
    assert_int_equal(services_index(&second.base, &index, NULL), ERR_NONE);
    assert_int_equal(tool_index_build(index, other, 2, NULL), ERR_NONE);

    assert_string_equal(find_in_index(&bench->arena, &first, "write", one), "nothing");
    assert_string_equal(find_in_index(&bench->arena, &second, "write", other), "write");
    assert_int_equal(tool_index_frequency(&first.index, "write", &n_tools, NULL), ERR_NONE);
    assert_int_equal(n_tools, 0);
    assert_string_equal(find_in_index(&bench->arena, &first, "read", one), "read");

    agent_turn_finish(&second);
    agent_turn_finish(&first);
    assert_null(in_index);
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
        cmocka_unit_test(knows_itself_by_its_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
