#include "application/orchestrators/earlier_results.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/references.h"
#include "domain/text/redact.h"
#include <string.h>

static const json_t *kept(const struct conversation *conversation)
{
    return json_object_get(conversation->context, CONVERSATION_RESULTS_KEY);
}

static bool had_secret(const json_t *value)
{
    auto_str text = json_print(value);
    return strstr(text, REDACTED);
}

/* What a reference sees: members of a structured result, and its text as one more. What had a
 * secret cannot be passed on: a tool would take the mark in its place for the value. */
static json_t *value_of(const json_t *result)
{
    const json_t *value = json_object_get(result, "value"), *text = json_object_get(result, "text");
    if (!json_is_object(value))
        return had_secret(value) ? NULL : json_share(value);
    json_t *seen = json_object();
    const char *name;
    const json_t *member;
    json_each_member (value, name, member)
        if (!had_secret(member))
            json_object_set_new(seen, name, json_share(member));
    if (text && !json_object_get(value, "text") && !had_secret(text))
        json_object_set_new(seen, "text", json_share(text));
    return seen;
}

const json_t *earlier_results(struct arena *arena, const struct conversation *conversation)
{
    json_t *values = arena_keep_json(arena, json_object());
    for (size_t i = 0; i < json_array_size(kept(conversation)); i++) {
        json_t *value = value_of(json_array_get(kept(conversation), i));
        if (value)
            json_object_set_new(values, arena_printf(arena, "r%zu", i + 1), value);
    }
    return values;
}

static const char *print_one(struct arena *arena, const json_t *result)
{
    const json_t *value = json_object_get(result, "value");
    const char *text = json_string_value(value), *names = json_join_names(arena, value);
    const char *tool = json_get_string(result, "tool");
    text = text ? text : json_get_string(result, "text");
    text = text ? text : value ? json_print_in(arena, value) : "";
    size_t lines = *text != '\0';
    for (const char *at = text; (at = strchr(at, '\n')) && at[1]; at++)
        lines++;
    return arena_printf(arena, "%s (%zu lines%s%s): %s", tool ? tool : "a tool", lines,
                        *names ? "; members " : "", names,
                        text_one_line(arena, text, strlen(text), EARLIER_RESULTS_SHOWN_COLUMNS));
}

const char *earlier_results_print(struct arena *arena, const struct conversation *conversation)
{
    const char *text = "";
    for (size_t i = 0; i < json_array_size(kept(conversation)); i++)
        text = arena_printf(arena, "%sr%zu = %s\n", text, i + 1,
                            print_one(arena, json_array_get(kept(conversation), i)));
    if (!*text)
        return text;
    return arena_printf(arena,
                        "Earlier results (to pass all of r1 to a tool, write \"{vars.r1.text}\" as "
                        "the value):\n%s",
                        text);
}

const json_t *earlier_results_bind(struct arena *arena, const json_t *earlier, const json_t *args)
{
    struct step step = { .id = "s1", .args = args };
    const struct plan plan = { .goal = "", .steps = &step, .n_steps = 1 };
    const json_t *bound = NULL;
    if (!references_are_in(arena, args, earlier) ||
        references_bind(arena, &plan, 0, earlier, NULL, &bound, NULL))
        return args;
    return bound;
}

static void append(struct arena *arena, json_t *list, const struct step_outcome *outcome)
{
    const json_t *value = step_result_data(arena, &outcome->result);
    const char *text = step_result_text(arena, &outcome->result);
    if (!value)
        return;
    json_t *result =
        json_pack("{s:s, s:o}", "tool", outcome->step->tool, "value", redact_json(value));
    if (!json_is_string(value) && *text)
        json_object_set_new(result, "text", json_string(redact_text(arena, text)));
    json_array_append_new(list, result);
}

void earlier_results_keep(struct arena *arena, struct conversation *conversation,
                          const struct turn_result *result, size_t max_bytes)
{
    json_t *list = json_is_array(kept(conversation))
                       ? json_copy((json_t *)(uintptr_t)kept(conversation))
                       : json_array();
    arena_keep_json(arena, list);
    for (size_t i = 0; i < result->n_steps; i++)
        if (result->steps[i].state == STEP_OK && result->steps[i].result.length / 2 <= max_bytes)
            append(arena, list, &result->steps[i]);
    while (json_array_size(list) > EARLIER_RESULTS_MAX ||
           (json_array_size(list) && strlen(json_print_in(arena, list)) > max_bytes))
        json_array_remove(list, 0);
    if (json_array_size(list) || kept(conversation))
        json_object_set(conversation->context, CONVERSATION_RESULTS_KEY, list);
}
