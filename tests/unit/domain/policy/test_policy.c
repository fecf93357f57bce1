
#include "domain/base/json.h"
#include "domain/policy/policy.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct tool reader = { .server = "files", .name = "read_file", .read_only = HINT_YES };
static const struct tool writer = { .server = "web", .name = "post", .destructive = HINT_YES };

static enum policy_effect decide(const struct policy_rule *rules, size_t n, const struct tool *tool,
                                 const char *arguments)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(arguments, strlen(arguments), JSON_OURS, &value, NULL), ERR_NONE);
    struct policy_input input = { .rules = rules, .n_rules = n };
    enum policy_effect effect = policy_decide(&input, tool, value);
    json_decref(value);
    return effect;
}

static void without_a_rule_only_the_workspaces_readers_are_allowed(void **state)
{
    (void)state;
    struct policy_input builtin = { .is_builtin = true };
    struct policy_input foreign = { 0 };
    struct tool lying = reader;
    lying.destructive = HINT_YES;
    assert_int_equal(policy_decide(&builtin, &reader, NULL), POLICY_ALLOW);
    assert_int_equal(policy_decide(&builtin, &writer, NULL), POLICY_ASK);
    assert_int_equal(policy_decide(&builtin, &lying, NULL), POLICY_ASK);
    assert_int_equal(policy_decide(&foreign, &reader, NULL), POLICY_ASK);
}

static void a_built_in_tool_that_is_told_where_to_write_asks(void **state)
{
    (void)state;
    json_auto_t *definition =
        json_loads("{\"_meta\":{\"mistro/writes_with\":[\"out_dir\"]}}", 0, NULL);
    json_auto_t *dry = json_loads("{\"caption\":\"x\"}", 0, NULL);
    json_auto_t *wet = json_loads("{\"caption\":\"x\",\"out_dir\":\"runs\"}", 0, NULL);
    const struct tool figure = {
        .server = "mistro", .name = "figure", .read_only = HINT_NO, .definition = definition
    };
    struct policy_input builtin = { .is_builtin = true };
    struct policy_input foreign = { 0 };
    assert_int_equal(policy_decide(&builtin, &figure, dry), POLICY_ALLOW);
    assert_int_equal(policy_decide(&builtin, &figure, wet), POLICY_ASK);
    assert_int_equal(policy_decide(&foreign, &figure, dry), POLICY_ASK);
}

static void a_built_in_tool_that_only_calls_others_is_left_to_what_these_may(void **state)
{
    (void)state;
    json_auto_t *definition = json_loads("{\"_meta\":{\"mistro/asks_itself\":true}}", 0, NULL);
    const struct tool plan = {
        .server = "plan", .name = "x", .destructive = HINT_YES, .definition = definition
    };
    const struct policy_rule deny = { .effect = POLICY_DENY, .server = "plan" };
    struct policy_input builtin = { .is_builtin = true };
    struct policy_input foreign = { 0 };
    assert_int_equal(policy_decide(&builtin, &plan, NULL), POLICY_ALLOW);
    assert_int_equal(policy_repeats(&builtin, &plan, NULL), HINT_UNSAID);
    assert_int_equal(policy_decide(&foreign, &plan, NULL), POLICY_ASK);
    builtin.rules = &deny;
    builtin.n_rules = 1;
    assert_int_equal(policy_decide(&builtin, &plan, NULL), POLICY_DENY);
}

static void the_last_rule_that_matches_wins(void **state)
{
    (void)state;
    const struct policy_rule rules[] = {
        { .effect = POLICY_ALLOW },
        { .effect = POLICY_DENY, .server = "web" },
        { .effect = POLICY_ASK, .server = "w*", .tool = "get*" },
    };
    assert_int_equal(decide(rules, 3, &reader, "{}"), POLICY_ALLOW);
    assert_int_equal(decide(rules, 3, &writer, "{}"), POLICY_DENY);
}

static void every_argument_of_a_rule_must_match(void **state)
{
    (void)state;
    const struct policy_argument arguments[] = { { "path", "docs/*" }, { "lines", "1?" } };
    const struct policy_rule rule = { .effect = POLICY_ALLOW,
                                      .arguments = arguments,
                                      .n_arguments = 2 };
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/a\",\"lines\":12}"), POLICY_ALLOW);
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/a\",\"lines\":2}"), POLICY_ASK);
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/a\"}"), POLICY_ASK);
}

static void a_path_that_climbs_is_not_below_the_folder_it_begins_with(void **state)
{
    (void)state;
    const struct policy_argument below[] = { { "path", "docs/*" } };
    const struct policy_argument above[] = { { "path", "../docs/*" } };
    struct policy_rule rule = { .effect = POLICY_ALLOW, .arguments = below, .n_arguments = 1 };
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/../etc\"}"), POLICY_ASK);
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/..\"}"), POLICY_ASK);
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/a..b/..c\"}"), POLICY_ALLOW);
    rule.effect = POLICY_DENY;
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs/../etc\"}"), POLICY_DENY);
    rule = (struct policy_rule){ .effect = POLICY_ALLOW, .arguments = above, .n_arguments = 1 };
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"../docs/a\"}"), POLICY_ALLOW);
}

static void a_nul_byte_does_not_hide_the_rest_of_an_argument(void **state)
{
    (void)state;
    const struct policy_argument arguments[] = { { "path", "docs" } };
    const struct policy_rule rule = { .effect = POLICY_ALLOW,
                                      .arguments = arguments,
                                      .n_arguments = 1 };
    assert_int_equal(decide(&rule, 1, &reader, "{\"path\":\"docs\\u0000/../etc\"}"), POLICY_ASK);
}

static void a_call_the_user_named_is_stopped_by_deny_only(void **state)
{
    (void)state;
    const struct policy_rule deny = { .effect = POLICY_DENY, .tool = "post" };
    struct policy_input input = { .rules = &deny, .n_rules = 1, .named_by_user = true };
    assert_int_equal(policy_decide(&input, &reader, NULL), POLICY_ALLOW);
    assert_int_equal(policy_decide(&input, &writer, NULL), POLICY_DENY);
}

static void rules_of_an_unapproved_project_only_tighten(void **state)
{
    (void)state;
    const struct policy_rule allow = { .effect = POLICY_ALLOW, .from_project = true };
    const struct policy_rule rules[] = {
        { .effect = POLICY_DENY, .server = "web" },
        { .effect = POLICY_ASK, .from_project = true },
    };
    const struct policy_rule deny = { .effect = POLICY_DENY, .from_project = true };
    struct policy_input input = { .rules = &allow, .n_rules = 1 };
    assert_int_equal(policy_decide(&input, &reader, NULL), POLICY_ASK);
    input.project_approved = true;
    assert_int_equal(policy_decide(&input, &reader, NULL), POLICY_ALLOW);
    input = (struct policy_input){ .rules = rules, .n_rules = 2 };
    assert_int_equal(policy_decide(&input, &writer, NULL), POLICY_DENY);
    input.rules = &deny;
    input.n_rules = 1;
    assert_int_equal(policy_decide(&input, &reader, NULL), POLICY_DENY);
}

static enum hint repeats(const struct policy_rule *rules, size_t n, const struct tool *tool)
{
    struct policy_input input = { .rules = rules, .n_rules = n };
    return policy_repeats(&input, tool, NULL);
}

static void without_a_rule_only_built_in_readers_may_be_repeated(void **state)
{
    (void)state;
    const struct tool setter = { .idempotent = HINT_YES };
    struct policy_input builtin = { .is_builtin = true };
    assert_int_equal(policy_repeats(&builtin, &reader, NULL), HINT_YES);
    assert_int_equal(policy_repeats(&builtin, &setter, NULL), HINT_UNSAID);
    assert_int_equal(policy_repeats(&builtin, &writer, NULL), HINT_UNSAID);
    assert_int_equal(repeats(NULL, 0, &reader), HINT_UNSAID);
    assert_int_equal(repeats(NULL, 0, &setter), HINT_UNSAID);
}

static void the_last_rule_that_says_so_decides_about_repeating(void **state)
{
    (void)state;
    const struct policy_rule rules[] = {
        { .effect = POLICY_UNSAID, .repeat = HINT_YES, .server = "web" },
        { .effect = POLICY_ASK, .tool = "post" },
        { .effect = POLICY_UNSAID, .repeat = HINT_NO, .tool = "read_*" },
    };
    assert_int_equal(repeats(rules, 3, &writer), HINT_YES);
    assert_int_equal(repeats(rules, 3, &reader), HINT_NO);
    struct policy_input builtin = { .rules = rules, .n_rules = 3, .is_builtin = true };
    assert_int_equal(policy_repeats(&builtin, &reader, NULL), HINT_NO);
}

static void a_rule_about_repeating_allows_no_call_and_the_other_way_round(void **state)
{
    (void)state;
    const struct policy_rule repeat = { .effect = POLICY_UNSAID, .repeat = HINT_YES };
    const struct policy_rule allow = { .effect = POLICY_ALLOW };
    assert_int_equal(decide(&repeat, 1, &writer, "{}"), POLICY_ASK);
    assert_int_equal(repeats(&allow, 1, &writer), HINT_UNSAID);
}

static void what_may_be_repeated_below_a_folder_may_not_climb(void **state)
{
    (void)state;
    const struct policy_argument below[] = { { "path", "docs/*" } };
    const struct policy_rule rule = {
        .effect = POLICY_DENY, .repeat = HINT_YES, .arguments = below, .n_arguments = 1
    };
    const struct policy_input input = { .rules = &rule, .n_rules = 1 };
    json_auto_t *inside = json_pack("{s:s}", "path", "docs/a");
    json_auto_t *outside = json_pack("{s:s}", "path", "docs/../a");
    assert_int_equal(policy_repeats(&input, &writer, inside), HINT_YES);
    assert_int_equal(policy_repeats(&input, &writer, outside), HINT_UNSAID);
    assert_int_equal(policy_decide(&input, &writer, outside), POLICY_DENY);
}

static void an_unapproved_project_lets_nothing_be_repeated(void **state)
{
    (void)state;
    const struct policy_rule rules[] = {
        { .effect = POLICY_UNSAID, .repeat = HINT_YES, .from_project = true },
        { .effect = POLICY_UNSAID, .repeat = HINT_NO, .server = "files", .from_project = true },
    };
    struct policy_input input = { .rules = rules, .n_rules = 2, .is_builtin = true };
    assert_int_equal(policy_repeats(&input, &writer, NULL), HINT_UNSAID);
    assert_int_equal(policy_repeats(&input, &reader, NULL), HINT_NO);
    input.project_approved = true;
    assert_int_equal(policy_repeats(&input, &writer, NULL), HINT_YES);
}

static void effects_have_the_names_of_the_settings(void **state)
{
    (void)state;
    assert_string_equal(policy_effect_name(POLICY_ALLOW), "allow");
    assert_string_equal(policy_effect_name(POLICY_ASK), "ask");
    assert_string_equal(policy_effect_name(POLICY_DENY), "deny");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_rule_only_the_workspaces_readers_are_allowed),
        cmocka_unit_test(a_built_in_tool_that_is_told_where_to_write_asks),
        cmocka_unit_test(a_built_in_tool_that_only_calls_others_is_left_to_what_these_may),
        cmocka_unit_test(the_last_rule_that_matches_wins),
        cmocka_unit_test(every_argument_of_a_rule_must_match),
        cmocka_unit_test(a_path_that_climbs_is_not_below_the_folder_it_begins_with),
        cmocka_unit_test(a_nul_byte_does_not_hide_the_rest_of_an_argument),
        cmocka_unit_test(a_call_the_user_named_is_stopped_by_deny_only),
        cmocka_unit_test(rules_of_an_unapproved_project_only_tighten),
        cmocka_unit_test(without_a_rule_only_built_in_readers_may_be_repeated),
        cmocka_unit_test(the_last_rule_that_says_so_decides_about_repeating),
        cmocka_unit_test(a_rule_about_repeating_allows_no_call_and_the_other_way_round),
        cmocka_unit_test(what_may_be_repeated_below_a_folder_may_not_climb),
        cmocka_unit_test(an_unapproved_project_lets_nothing_be_repeated),
        cmocka_unit_test(effects_have_the_names_of_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
