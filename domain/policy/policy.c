#include "domain/policy/policy.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* Whether a path has a component "..". */
static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || !at[2]))
            return true;
    return false;
}

static bool argument_matches(const struct policy_argument *argument, const json_t *arguments,
                             bool allows)
{
    AUTO(arena) scratch = { 0 };
    const json_t *value = json_object_get(arguments, argument->name);
    /* "docs/../x" is not a path below docs, so a rule that allows "docs/" and what follows is not
     * meant. */
    bool escapes =
        climbs(json_is_string(value) ? json_string_value(value) : "") && !climbs(argument->pattern);
    if (!value || (allows && escapes))
        return false;
    /* A string with U+0000 would be matched only up to there, so its JSON text is. */
    if (json_is_string(value) && !json_string_has_nul(value))
        return text_matches_glob(argument->pattern, json_string_value(value));
    return text_matches_glob(argument->pattern, json_print_in(&scratch, value));
}

static bool rule_matches(const struct policy_rule *rule, const struct tool *tool,
                         const json_t *arguments, bool allows)
{
    if (rule->server && !text_matches_glob(rule->server, tool->server))
        return false;
    if (rule->tool && !text_matches_glob(rule->tool, tool->name))
        return false;
    for (size_t i = 0; i < rule->n_arguments; i++)
        if (!argument_matches(&rule->arguments[i], arguments, allows))
            return false;
    return true;
}

/* A built-in tool that writes only where an argument says where names those arguments. */
static bool only_reads_without(const struct tool *tool, const json_t *arguments)
{
    const json_t *meta = json_object_get(tool->definition, "_meta"), *name;
    const json_t *names = json_object_get(meta, POLICY_WRITES_WITH);
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)names, i, name)
        if (!json_is_string(name) || json_object_get(arguments, json_string_value(name)))
            return false;
    return json_array_size(names) > 0;
}

bool policy_only_reads(const struct tool *tool, const json_t *arguments)
{
    bool says_so = tool->read_only == HINT_YES || only_reads_without(tool, arguments);
    return says_so && tool->destructive != HINT_YES;
}

enum policy_effect policy_decide(const struct policy_input *input, const struct tool *tool,
                                 const json_t *arguments)
{
    const json_t *meta = json_object_get(tool->definition, "_meta");
    bool is_harmless =
        policy_only_reads(tool, arguments) || json_get_bool(meta, TOOL_ASKS_ITSELF, false);
    enum policy_effect effect = input->is_builtin && is_harmless ? POLICY_ALLOW : POLICY_ASK;
    for (size_t i = 0; i < input->n_rules; i++) {
        const struct policy_rule *rule = &input->rules[i];
        bool only_tightens = rule->from_project && !input->project_approved;
        if (rule->effect != POLICY_UNSAID && !(only_tightens && rule->effect < effect) &&
            rule_matches(rule, tool, arguments, rule->effect == POLICY_ALLOW))
            effect = rule->effect;
    }
    return input->named_by_user && effect == POLICY_ASK ? POLICY_ALLOW : effect;
}

enum hint policy_repeats(const struct policy_input *input, const struct tool *tool,
                         const json_t *arguments)
{
    enum hint repeats = input->is_builtin && tool->read_only == HINT_YES ? HINT_YES : HINT_UNSAID;
    for (size_t i = 0; i < input->n_rules; i++) {
        const struct policy_rule *rule = &input->rules[i];
        bool allows = rule->repeat == HINT_YES;
        bool counts = !allows || !rule->from_project || input->project_approved;
        if (rule->repeat != HINT_UNSAID && counts && rule_matches(rule, tool, arguments, allows))
            repeats = rule->repeat;
    }
    return repeats;
}

const char *policy_idempotency_argument(const struct policy_input *input, const struct tool *tool,
                                        const json_t *arguments)
{
    const char *name = NULL;
    for (size_t i = 0; i < input->n_rules; i++) {
        const struct policy_rule *rule = &input->rules[i];
        bool counts =
            rule->idempotency_argument && (!rule->from_project || input->project_approved);
        if (counts && rule_matches(rule, tool, arguments, true))
            name = rule->idempotency_argument;
    }
    return name;
}

const char *policy_effect_name(enum policy_effect effect)
{
    static const char *const names[] = {
        [POLICY_ALLOW] = "allow",
        [POLICY_ASK] = "ask",
        [POLICY_DENY] = "deny",
        [POLICY_UNSAID] = "unsaid",
    };
    return names[effect];
}
