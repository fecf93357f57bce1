#include "application/orchestrators/intent_parser.h"
#include "application/orchestrators/arguments.h"
#include "application/orchestrators/lexical_analyst.h"
#include "domain/base/json.h"
#include <string.h>

#define INTENT_CONTRACT "data/schemas/intent.schema.json"

static enum err_code load_schema(const struct turn *turn, json_t **out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    struct assets *assets = turn->orchestrator->services->assets;
    enum err_code r = assets_get(assets, INTENT_CONTRACT, turn->arena, &text, &origin, err);
    json_t *schema = NULL;
    if (!r)
        r = json_parse(text, strlen(text), JSON_OURS, &schema, err);
    if (r)
        return err_prefix(err, r, "contract intent");
    *out = arena_keep_json(turn->arena, schema);
    return ERR_NONE;
}

/* The static contract, completed with the tools of this turn. */
static enum err_code make_schema(const struct turn *turn, json_t **out, struct err *err)
{
    enum err_code r = load_schema(turn, out, err);
    if (r)
        return r;
    json_t *properties = json_object_get(*out, "properties");
    json_t *tools = json_object_get(properties, "tools_needed");
    json_object_set_new(
        tools, "items",
        json_pack("{s:s, s:o}", "type", "string", "enum", shortlist_names(&turn->shortlist)));
    json_object_set_new(tools, "maxItems", json_integer(turn_settings(turn)->max_plan_steps));
    return ERR_NONE;
}

static void read_tools(const struct turn *turn, const json_t *names, struct intent *intent)
{
    size_t n = json_array_size(names);
    intent->tools_needed = arena_array(turn->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const struct tool *tool = name ? shortlist_find(&turn->shortlist, name) : NULL;
        if (tool)
            intent->tools_needed[intent->n_tools_needed++] = tool->full_name;
    }
}

static void read_aspects(const struct turn *turn, const json_t *aspects, struct intent *intent)
{
    size_t n = json_array_size(aspects);
    intent->unclear_aspects = arena_array(turn->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *aspect = json_string_value(json_array_get(aspects, i));
        if (aspect && *aspect)
            intent->unclear_aspects[intent->n_unclear_aspects++] = aspect;
    }
}

static struct intent *read_intent(const struct turn *turn, const json_t *value)
{
    struct intent *intent = arena_new(turn->arena, struct intent);
    const char *goal = json_get_string(value, "primary_goal");
    intent->analyst = TURN_ANALYST_MODEL;
    intent->primary_goal = goal && *goal ? goal : turn->message;
    intent->parameters = json_object_get(value, "parameters");
    intent->needs_clarification = json_get_bool(value, "needs_clarification", false);
    intent->reported_confidence = json_get_number(value, "confidence", -1);
    read_tools(turn, json_object_get(value, "tools_needed"), intent);
    read_aspects(turn, json_object_get(value, "unclear_aspects"), intent);
    return intent;
}

static enum err_code make_prompt(const struct turn *turn, struct ask_prompt *out, struct err *err)
{
    *out = (struct ask_prompt){ .max_tokens = INTENT_MAX_TOKENS };
    return turn_make_prompt(turn, "config/prompts/intent_system.txt", "config/prompts/intent.txt",
                            NULL, 0, &out->prompt, err);
}

enum err_code intent_parser_parse(struct turn *turn, struct scope *scope, struct err *err)
{
    struct contract contract = { .name = "intent", .version = 1 };
    struct ask_prompt prompt;
    json_t *schema = NULL;
    const json_t *value = NULL;
    enum err_code r = make_schema(turn, &schema, err);
    if (!r)
        r = make_prompt(turn, &prompt, err);
    contract.schema = schema;
    if (!r)
        r = turn_ask(turn, scope, &contract, &prompt, &value, err);
    if (!r)
        turn->intent = read_intent(turn, value);
    return r;
}

static struct intent *lexical_intent(const struct turn *turn, const struct lexical_analysis *found)
{
    struct intent *intent = arena_new(turn->arena, struct intent);
    intent->analyst = TURN_ANALYST_LEXICAL;
    intent->primary_goal = turn->message;
    intent->parameters = found->args;
    intent->explanation = found->explanation;
    intent->reported_confidence = -1;
    intent->tools_needed = arena_array(turn->arena, const char *, 1);
    if (found->tool)
        intent->tools_needed[intent->n_tools_needed++] = found->tool->full_name;
    return intent;
}

enum err_code intent_parser_parse_lexically(struct turn *turn, struct err *err)
{
    struct mistral_orchestrator *orchestrator = turn->orchestrator;
    struct lexical_analysis found = { 0 };
    size_t n_tools;
    const struct tool *const *tools = toolbox_tools(orchestrator->toolbox, &n_tools);
    enum err_code r = lexical_analyse(turn->arena, orchestrator->index, tools, n_tools,
                                      turn->message, turn_settings(turn), &found, err);
    if (r)
        return r;
    turn->intent = lexical_intent(turn, &found);
    return turn_make_shortlist(turn, turn->intent->tools_needed, turn->intent->n_tools_needed, err);
}

void intent_parser_score(struct turn *turn)
{
    struct intent *intent = turn->intent;
    size_t n = 0;
    const struct tool **needed =
        arena_array(turn->arena, const struct tool *, intent->n_tools_needed + 1);
    for (size_t i = 0; i < intent->n_tools_needed; i++) {
        const struct tool *tool = shortlist_find(&turn->shortlist, intent->tools_needed[i]);
        if (tool)
            needed[n++] = tool;
    }
    intent->parameters = arguments_fit(turn->arena, needed, n, intent->parameters);
    struct confidence_input input = turn_confidence_input(turn);
    confidence_score(turn->arena, intent, &input);
}
