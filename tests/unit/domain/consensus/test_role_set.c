
#include "domain/base/json.h"
#include "domain/consensus/role_set.h"
#include "tests/support/cmocka.h"
#include <string.h>

static bool read(struct arena *arena, const char *text, struct role_set *out,
                 struct problems *problems)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return role_set_from_json(arena, "set", arena_keep_json(arena, value), out, problems);
}

static struct role_set read_well(struct arena *arena, const char *text)
{
    struct problems problems = { .arena = arena };
    struct role_set set = { 0 };
    assert_true(read(arena, text, &set, &problems));
    return set;
}

static void assert_refused(const char *text, const char *path)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    struct role_set set;
    assert_false(read(&arena, text, &set, &problems));
    assert_string_equal(problems.list[0].path, path);
    assert_non_null(problems.list[0].fix);
}

static void reads_the_list_of_the_originals(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct role_set set = read_well(
        &arena, "{\"agents\":[{\"id\":\"a\",\"role\":\"Writer\",\"domain\":\"prose\",\"model\":"
                "\"m\",\"pack\":\"rolesets/packs/writer.md\"},{\"role\":\"Physicist\","
                "\"base_url\":\"http://127.0.0.1:1/v1\"}],\"kind\":\"number\",\"strategy\":1}");

    assert_string_equal(set.name, "set");
    assert_int_equal(set.kind, CANONICAL_NUMBER);
    assert_string_equal(set.agents[0].pack, "writer");
    assert_string_equal(set.agents[0].model, "m");
    assert_string_equal(set.agents[1].base_url, "http://127.0.0.1:1/v1");
    assert_null(set.agents[1].pack);
    assert_false(set.agents[0].is_auditor);
    assert_true(set.agents[1].is_auditor);
}

static void reads_the_named_agents_of_the_originals(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct role_set set = read_well(&arena, "{\"agent_a\":{\"role\":\"A\",\"system\":\"be brief\"},"
                                            "\"agent_b\":{\"role\":\"B\",\"auditor\":false}}");

    assert_int_equal(set.kind, CANONICAL_TEXT);
    assert_string_equal(set.agents[0].system, "be brief");
    assert_true(set.agents[0].is_auditor);
    assert_false(set.agents[1].is_auditor);
}

static void there_are_exactly_two_agents(void **state)
{
    (void)state;
    assert_refused("{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"},{\"role\":\"C\"}]}", "/agents");
    assert_refused("{\"agents\":[{\"role\":\"A\"}]}", "/agents");
    assert_refused("{\"agents\":{}}", "/agents");
    assert_refused("{}", "/agents");
    assert_refused("{\"agent_a\":{\"role\":\"A\"}}", "/agent_b");
    assert_refused("{\"agent_a\":{\"role\":\"A\"},\"agent_b\":{\"role\":\"B\"},\"agent_c\":{}}",
                   "/agent_c");
    assert_refused("{\"agents\":[],\"agent_a\":{}}", "/agents");
    assert_refused("[]", "");
}

static void what_an_agent_lacks_or_has_wrong_is_said_with_its_path(void **state)
{
    (void)state;
    assert_refused("{\"agents\":[{\"domain\":\"x\"},{\"role\":\"B\"}]}", "/agents/0/role");
    assert_refused("{\"agents\":[{\"role\":\"A\"},{\"role\":\"\"}]}", "/agents/1/role");
    assert_refused("{\"agents\":[{\"role\":\"A\"},3]}", "/agents/1");
    assert_refused("{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\",\"pack\":\"../..\"}]}",
                   "/agents/1/pack");
    assert_refused("{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\",\"base_url\":\"ftp://x\"}]}",
                   "/agents/1/base_url");
    assert_refused("{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\",\"auditor\":1}]}",
                   "/agents/1/auditor");
    assert_refused("{\"agents\":[{\"role\":\"A\",\"modle\":\"m\"},{\"role\":\"B\"}]}",
                   "/agents/0/modle");
    assert_refused("{\"agents\":[{\"role\":7},{\"role\":\"B\"}]}", "/agents/0/role");
}

static void a_kind_nobody_knows_is_refused_with_the_nearest(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    struct role_set set;

    assert_false(read(&arena,
                      "{\"kind\":\"numbers\",\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}", &set,
                      &problems));

    assert_string_equal(problems.list[0].path, "/kind");
    assert_string_equal(problems.list[0].fix, "write \"number\" instead");
    assert_refused("{\"kind\":\"poem\",\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}", "/kind");
    assert_refused("{\"examples\":[],\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}", "/examples");
}

static const char *with_role(struct arena *arena, size_t length)
{
    char *role = arena_alloc(arena, length + 1);
    memset(role, 'r', length);
    return arena_printf(arena, "{\"agents\":[{\"role\":\"%s\"},{\"role\":\"B\"}]}", role);
}

static void a_role_has_a_longest_name(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_int_equal(strlen(read_well(&arena, with_role(&arena, ROLE_SET_NAME_MAX)).agents[0].role),
                     ROLE_SET_NAME_MAX);
    assert_refused(with_role(&arena, ROLE_SET_NAME_MAX + 1), "/agents/0/role");
}

static void reads_what_it_wrote(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct role_set set = read_well(
        &arena, "{\"kind\":\"regex\",\"description\":\"d\",\"examples\":{\"match\":[\"a\"]},"
                "\"example_format\":\"f\",\"agents\":[{\"role\":\"A\",\"pack\":\"p\"},"
                "{\"role\":\"B\"}]}");

    json_auto_t *written = role_set_to_json(&set);

    auto_str text = json_print(written);
    assert_string_equal(
        text, "{\"name\":\"set\",\"description\":\"d\",\"kind\":\"regex\",\"agents\":[{\"role\":"
              "\"A\",\"domain\":\"\",\"pack\":\"p\",\"auditor\":false},{\"role\":\"B\",\"domain\":"
              "\"\",\"auditor\":true}],\"example_format\":\"f\",\"examples\":{\"match\":[\"a\"]}}");
    assert_int_equal(read_well(&arena, text).kind, CANONICAL_REGEX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_list_of_the_originals),
        cmocka_unit_test(reads_the_named_agents_of_the_originals),
        cmocka_unit_test(there_are_exactly_two_agents),
        cmocka_unit_test(what_an_agent_lacks_or_has_wrong_is_said_with_its_path),
        cmocka_unit_test(a_kind_nobody_knows_is_refused_with_the_nearest),
        cmocka_unit_test(a_role_has_a_longest_name),
        cmocka_unit_test(reads_what_it_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
