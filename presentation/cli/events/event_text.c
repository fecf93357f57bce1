/* Each kind of event has a sentence, written down as a template in data/events.txt. A template is
 * text with
 *
 *   {status}, {error/message}   a member: a string on one line, or a number
 *   {args=}                     a member as JSON
 *   {rounds#round}              a number and what it counts: "1 round", "2 rounds"
 *   {steps*tool}, {steps+tool}  a member of each object of a list, with ", " or "; " between them;
 *                               {tools*} is a list of strings
 *   {promoted?, promoted}       words for a member that is there and not false
 *   <, {ms} ms>                 a part that is left out when a member in it is empty
 *   <{text}|no winner>          the first of several such parts that is complete
 *
 * A member that is missing, of another type, or a negative number (which stands for "unknown") is
 * empty. Kinds whose sentence depends on more than that choose their template in a function. */
#include "presentation/cli/events/event_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { WORD_COLUMNS = 120, TEXT_COLUMNS = 400, VALUE_COLUMNS = 40 };

static const char *one_line(struct arena *arena, const char *text, size_t columns)
{
    return text ? text_one_line(arena, text, strlen(text), columns) : "";
}

static const char *number_text(struct arena *arena, const json_t *value)
{
    if (json_number_value(value) < 0)
        return "";
    return json_is_real(value) ? arena_printf(arena, "%g", json_real_value(value))
                               : arena_printf(arena, "%lld", (long long)json_integer_value(value));
}

static const char *joined(struct arena *arena, const json_t *list, const char *key,
                          const char *separator)
{
    const char *text = "";
    const json_t *item;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)list, i, item) {
        const char *word = *key ? json_get_string(item, key) : json_string_value(item);
        if (word)
            text = arena_printf(arena, "%s%s%s", text, *text ? separator : "",
                                one_line(arena, word, WORD_COLUMNS));
    }
    return text;
}

/* What stands between braces: a path, and perhaps an operator with its words. */
static const char *member_text(struct arena *arena, const json_t *data, const char *body)
{
    size_t length = strcspn(body, "=#*+?");
    const json_t *value = json_path_find(data, arena_printf(arena, "/%.*s", (int)length, body));
    const char *words = body[length] ? body + length + 1 : "";
    switch (body[length]) {
    case '=':
        return value ? one_line(arena, json_print_in(arena, value), TEXT_COLUMNS) : "";
    case '#':
        return arena_printf(arena, "%s %s%s", number_text(arena, value), words,
                            json_integer_value(value) == 1 ? "" : "s");
    case '*':
        return joined(arena, value, words, ", ");
    case '+':
        return joined(arena, value, words, "; ");
    case '?':
        return value && !json_is_false(value) ? words : "";
    }
    return json_is_number(value) ? number_text(arena, value)
                                 : one_line(arena, json_string_value(value), TEXT_COLUMNS);
}

static const char *first_complete(struct arena *arena, const json_t *data, const char *parts);

/* *out_is_complete: no member in it is empty. */
static const char *fill(struct arena *arena, const json_t *data, const char *template,
                        bool *out_is_complete)
{
    const char *text = "";
    *out_is_complete = true;
    for (;;) {
        size_t length = strcspn(template, "{<");
        text = arena_printf(arena, "%s%.*s", text, (int)length, template);
        template += length;
        if (!*template)
            return text;
        size_t inner = strcspn(template, *template == '{' ? "}" : ">") - 1;
        const char *body = arena_strndup(arena, template + 1, inner);
        const char *part =
            *template == '{' ? member_text(arena, data, body) : first_complete(arena, data, body);
        if (*template == '{' && !*part)
            *out_is_complete = false;
        text = arena_printf(arena, "%s%s", text, part);
        template += inner + 2;
    }
}

static const char *first_complete(struct arena *arena, const json_t *data, const char *parts)
{
    while (*parts) {
        size_t length = strcspn(parts, "|");
        bool is_complete;
        const char *text = fill(arena, data, arena_strndup(arena, parts, length), &is_complete);
        if (is_complete)
            return text;
        parts += length + (parts[length] == '|');
    }
    return "";
}

/* "s1 files/read_file", in a batch "line 3 files/read_file", or the tool alone. */
#define CALL "<line {line} |{step} >{tool}"
#define ADJUSTED "<; adjusted: {adjusted*change}>"
#define UNKNOWN_OUTCOME "{outcome?: may have been sent, no answer: it may have taken effect}"

static const char *call_template(const json_t *data)
{
    return json_get_int(data, "attempt", 1) > 1 ? CALL " {args=}, attempt {attempt}" UNKNOWN_OUTCOME
                                                : CALL " {args=}" UNKNOWN_OUTCOME;
}

static const char *approval_template(const json_t *data)
{
    return json_object_get(data, "calls") ? "{tool}: {text}<: {calls*tool}>" : call_template(data);
}

static const char *server_state_template(const json_t *data)
{
    return text_equal(json_get_string(data, "state"), "ready")
               ? "{server}: ready< in {start_ms} ms> ({transport}<, {era}>< {protocol_version}>)"
                 "<: {message}>"
               : "{server}: {state}<: {message}>";
}

/* The first rung of recovery is how every answer begins. */
static const char *attempt_template(const json_t *data)
{
    return text_equal(json_get_string(data, "rung"), "generate")
               ? "{attempt} for the {contract}: {class}< by {saved_by}>"
               : "{attempt} for the {contract}<, {rung}>: {class}< by {saved_by}>";
}

/* Not every server knows how much there is in all. */
static const char *progress_template(const json_t *data)
{
    return json_get_number(data, "total", 0) > 0 ? CALL " {progress} of {total}<: {message}>"
                                                 : CALL " {progress}<: {message}>";
}

static const char *rendered_template(const json_t *data)
{
    return json_get_bool(data, "rendered", false) ? "round {round}: <drawn by {renderer}|a script>"
                                                  : "round {round}: no picture<: {error}>";
}

/* Of the kinds that have more than one template. */
static const char *(*const choices[])(const json_t *data) = {
    [EVENT_SERVER_STATE] = server_state_template,
    [EVENT_ATTEMPT] = attempt_template,
    [EVENT_STEP_STARTED] = call_template,
    [EVENT_STEP_PROGRESS] = progress_template,
    [EVENT_TOOL_CALL] = call_template,
    [EVENT_APPROVAL_ASKED] = approval_template,
    [EVENT_GENERATION_STARTED] = call_template,
    [EVENT_FIGURE_RENDERED] = rendered_template,
};

/* "{text}" where data/events.txt has none. */
static const char *template_of(struct arena *arena, const struct event *event)
{
    size_t kind = (size_t)event->kind;
    if (kind < ARRAY_LENGTH(choices) && choices[kind])
        return choices[kind](event->data);
    const char *key = arena_printf(arena, "\n%s: ", event_kind_name(event->kind));
    const char *line = strstr(event_sentences->text, key);
    return line ? arena_strndup(arena, line + strlen(key), strcspn(line + strlen(key), "\n"))
                : "{text}";
}

static const char *prompt_text(struct arena *arena, const json_t *data)
{
    int64_t bytes = json_get_int(json_object_get(data, "system"), "bytes", 0) +
                    json_get_int(json_object_get(data, "user"), "bytes", 0);
    bool ignored;
    return arena_printf(arena, "%s%lld bytes%s", fill(arena, data, "for the {purpose}, ", &ignored),
                        (long long)bytes,
                        fill(arena, data,
                             "<, about {tokens} tokens><{schema?, answer held to a schema}>",
                             &ignored));
}

static const char *intent_text(struct arena *arena, const json_t *data)
{
    const json_t *evidence = json_object_get(data, "evidence");
    bool ignored;
    return arena_printf(
        arena, "%s, confidence %.2f = match %.2f x complete %.2f x valid %.2f - doubt %.2f%s",
        fill(arena, data, "<{tools_needed*}|no tool> {parameters=}", &ignored),
        json_get_number(data, "confidence", 0), json_get_number(evidence, "tool_match", 0),
        json_get_number(evidence, "completeness", 0), json_get_number(evidence, "validity", 0),
        json_get_number(evidence, "penalty", 0), fill(arena, data, ADJUSTED, &ignored));
}

const char *event_text(struct arena *arena, const struct event *event)
{
    bool ignored;
    if (event->kind == EVENT_PROMPT_SENT)
        return prompt_text(arena, event->data);
    if (event->kind == EVENT_INTENT)
        return intent_text(arena, event->data);
    return fill(arena, event->data, template_of(arena, event), &ignored);
}

const char *event_arguments(struct arena *arena, const json_t *args, size_t columns)
{
    const char *text = "", *key;
    const json_t *value;
    size_t each = json_object_size(args) > 1 ? VALUE_COLUMNS : columns;
    if (!json_object_size(args))
        return "";
    json_each_member (args, key, value)
        text = arena_printf(arena, "%s%s%s: %s", text, *text ? ", " : "", key,
                            one_line(arena, json_print_in(arena, value), each));
    return arena_printf(arena, " %s", one_line(arena, arena_printf(arena, "{%s}", text), columns));
}

const char *event_model_state(struct arena *arena, const json_t *data)
{
    const char *state = json_get_string(data, "state");
    const char *message = one_line(arena, json_get_string(data, "message"), WORD_COLUMNS);
    double seconds = (double)json_get_int(data, "ms", 0) / 1000.0;
    if (text_equal(state, "starting"))
        return arena_printf(arena, "starting the model server %s …", message);
    if (text_equal(state, "loading"))
        return arena_printf(arena, "the model server is loading … (%.1f s)", seconds);
    if (text_equal(state, "ready"))
        return arena_printf(arena, "the model server is ready after %.1f s", seconds);
    if (text_equal(state, "restarted"))
        return arena_printf(arena, "the model server is started again: %s", message);
    return "";
}
