#include "application/orchestrators/turn.h"
#include "application/orchestrators/earlier_results.h"
#include "application/structured/sanitize.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define TURN_PROMPT_VALUES 16
#define MS_PER_DAY INT64_C(86400000)
#define OPENING_PATH "config/prompts/turn_system.txt"

int64_t turn_today(const struct turn *turn)
{
    const struct run_session *session = turn->session;
    return (runtime_local_ms(session->services->runtime) - session->set_back_ms) / MS_PER_DAY;
}

size_t turn_window_start(const struct turn *turn)
{
    const struct settings *settings = turn_settings(turn);
    size_t window = (size_t)(settings->prompt_window < settings->conversation_memory_size
                                 ? settings->prompt_window
                                 : settings->conversation_memory_size);
    size_t live = conversation_live_start(turn->conversation);
    size_t start = turn->n_history > window ? turn->n_history - window : 0;
    return live > start ? live : start;
}

static bool add_line(struct buf *all, const char *text)
{
    return buf_puts(all, "\n") && buf_puts(all, text);
}

void turn_hear(struct turn *turn)
{
    const struct turn_request *request = turn->request;
    AUTO(buf) all = { 0 };
    buf_init(&all, TURN_SAID_BYTES);
    bool fits = buf_puts(&all, turn->message ? turn->message : "");
    for (size_t i = 0; fits && i < request->n_answers; i++)
        fits = add_line(&all, request->answers[i].value);
    if (fits && turn->known_results)
        fits = add_line(&all, json_print_in(turn->arena, turn->known_results));
    for (size_t i = turn->conversation->n_messages; fits && i-- > turn_window_start(turn);)
        fits = add_line(&all, turn->conversation->messages[i].content);
    turn->said = said_read(turn->arena, arena_strdup(turn->arena, buf_string(&all)), NULL);
}

static const char *print_message(const struct turn *turn, const struct message *message)
{
    size_t length = text_cut(message->content, strlen(message->content), TURN_HISTORY_BYTES);
    const char *content = arena_strndup(turn->arena, message->content, length);
    return arena_printf(turn->arena, "%s: %s\n", message_role_name(message->role),
                        fence_lines(turn->arena, content));
}

static struct prompt_value history_value(const struct turn *turn)
{
    struct prompt_value value = { .name = "history", .text = "(nothing)" };
    size_t start = turn_window_start(turn), n = 0;
    size_t room = start < turn->n_history ? turn->n_history - start : 0;
    struct prompt_part *parts = arena_array(turn->arena, struct prompt_part, room + 1);
    for (; n < room; n++)
        parts[n] = (struct prompt_part){
            .text = print_message(turn, &turn->conversation->messages[start + n]),
            .keep = PROMPT_DROP_FIRST,
            .what = "history",
        };
    const char *results = earlier_results_print(turn->arena, turn->conversation);
    if (*results && turn->n_history)
        parts[n++] =
            (struct prompt_part){ .text = results, .keep = PROMPT_DROP_FIRST, .what = "history" };
    value.parts = parts;
    value.n_parts = n;
    return value;
}

/* Without an intent every tool may still be needed. */
static bool is_needed(const struct turn *turn, const struct tool *tool)
{
    if (!turn->intent)
        return true;
    for (size_t i = 0; i < turn->intent->n_tools_needed; i++)
        if (shortlist_find(&turn->shortlist, turn->intent->tools_needed[i]) == tool)
            return true;
    return false;
}

static struct prompt_value tools_value(const struct turn *turn)
{
    const struct shortlist *list = &turn->shortlist;
    struct prompt_value value = { .name = "tools_list", .text = "(no tools)\n" };
    struct prompt_part *parts = arena_array(turn->arena, struct prompt_part, list->n + 1);
    for (size_t i = 0; i < list->n; i++) {
        bool needed = is_needed(turn, list->tools[i].tool);
        const struct offered_tool *offered = &list->tools[i];
        bool has_line = offered->as == OFFERED_LINE;
        parts[i] =
            (struct prompt_part){ .text = has_line ? shortlist_line(turn->arena, offered) : "",
                                  .keep = needed ? PROMPT_KEEP_ALWAYS : PROMPT_DROP_SOON,
                                  .what = "tools" };
    }
    value.parts = parts;
    value.n_parts = list->n;
    return value;
}

const char *turn_print_needed(const struct turn *turn)
{
    const char *text = "";
    for (size_t i = 0; i < turn->intent->n_tools_needed; i++) {
        const char *name = turn->intent->tools_needed[i];
        const struct tool *tool = shortlist_find(&turn->shortlist, name);
        const char *shown = tool ? shortlist_shown(&turn->shortlist, tool) : name;
        text = arena_printf(turn->arena, "%s%s%s", text, i ? ", " : "", shown);
    }
    return *text ? text : SHORTLIST_NONE;
}

static size_t add_intent_values(const struct turn *turn, struct prompt_value *values, size_t n)
{
    const struct intent *intent = turn->intent;
    if (!intent)
        return n;
    values[n++] = (struct prompt_value){ .name = "primary_goal", .text = intent->primary_goal };
    values[n++] = (struct prompt_value){ .name = "tools_needed", .text = turn_print_needed(turn) };
    values[n++] =
        (struct prompt_value){ .name = "parameters",
                               .text = json_print_in(turn->arena, turn_parameters(turn)) };
    return n;
}

/* The parts of a prompt while they are gathered from its templates. */
struct gathering {
    const struct turn *turn;
    struct prompt_value values[TURN_PROMPT_VALUES];
    size_t n_values;
    struct prompt_part *parts;
    size_t n_parts, capacity;
};

static void gather_part(struct gathering *gathering, struct prompt_part part,
                        enum prompt_speaker speaker)
{
    part.speaker = speaker;
    *arena_push(gathering->turn->arena, gathering->parts, gathering->n_parts, gathering->capacity) =
        part;
}

static enum err_code gather(struct gathering *gathering, const char *path,
                            enum prompt_speaker speaker, struct err *err)
{
    const struct turn *turn = gathering->turn;
    struct prompt loaded = { 0 };
    enum err_code r = prompt_load(turn->arena, turn->session->services->assets, path,
                                  gathering->values, gathering->n_values, &loaded, err);
    for (size_t i = 0; !r && i < loaded.n_parts; i++)
        gather_part(gathering, loaded.parts[i], speaker);
    return r;
}

enum err_code turn_make_prompt(const struct turn *turn, const struct turn_prompt *wanted,
                               struct prompt *out, struct err *err)
{
    struct gathering all = {
        .turn = turn,
        .values = { { .name = "message", .text = fence_lines(turn->arena, turn->message) },
                    { .name = "contract", .text = wanted->contract },
                    history_value(turn),
                    tools_value(turn),
                    { .name = "tools_tail",
                      .text = shortlist_tail(turn->arena, &turn->shortlist) } },
    };
    all.n_values = add_intent_values(turn, all.values, 5);
    for (size_t i = 0; i < wanted->n_values && all.n_values < TURN_PROMPT_VALUES; i++)
        all.values[all.n_values++] = wanted->values[i];
    enum err_code r = gather(&all, OPENING_PATH, PROMPT_OPENING, err);
    if (!r)
        r = gather(&all, wanted->task_path, PROMPT_TASK, err);
    gather_part(&all, (struct prompt_part){ .text = "\n" }, PROMPT_TASK);
    if (!r)
        r = gather(&all, wanted->user_path, PROMPT_NOBODY, err);
    out->parts = all.parts;
    out->n_parts = all.n_parts;
    return r;
}

enum err_code turn_opening(struct arena *arena, struct assets *assets, const char *tools_list,
                           const char **out, struct err *err)
{
    const struct prompt_value tools = { .name = "tools_list", .text = tools_list };
    return prompt_load_text(arena, assets, OPENING_PATH, &tools, 1, out, err);
}

enum err_code turn_ask(struct turn *turn, const struct contract *contract,
                       const struct ask_prompt *prompt, struct ask_outcome *out, struct err *err)
{
    enum err_code r = engine_ask(&turn->orchestrator->engine, &turn->session->scope, turn->arena,
                                 contract, prompt, out, err);
    usage_add(&turn->result->usage, out->attempts, out->prompt_tokens, out->cached_tokens,
              out->completion_tokens, out->model_ms);
    turn->result->context_tokens = turn->orchestrator->context_tokens;
    return r;
}

int64_t turn_tool_tokens(const struct turn *turn)
{
    int64_t third = turn->orchestrator->context_tokens / 3;
    int64_t tokens = turn_settings(turn)->tools_prompt_tokens;
    return third > 0 && third < tokens ? third : tokens;
}

enum err_code turn_make_shortlist(struct turn *turn, const char *const *always, size_t n_always,
                                  struct err *err)
{
    const struct settings *settings = turn_settings(turn);
    struct shortlist_request request = { .text = turn->message,
                                         .max_tokens = turn_tool_tokens(turn),
                                         .max_lines = (size_t)settings->tools_shortlist,
                                         .always = always,
                                         .n_always = n_always };
    request.tools = toolbox_tools(turn->session->toolbox, &request.n_tools);
    return shortlist_make(turn->arena, turn->orchestrator->index, turn->session->services->assets,
                          &request, &turn->shortlist, err);
}

const struct said *turn_said_or_known(const struct turn *turn)
{
    return said_read(turn->arena, json_print_in(turn->arena, turn->intent->parameters), turn->said);
}

static bool is_left_out(const struct tool *tool, const char *name, bool in_plan)
{
    bool is_required = schema_view_requires(tool->input_schema, name);
    return is_required ? !in_plan : tool->read_only != HINT_YES;
}

/* A value that one of the tools may have got from what was said is no invention. */
static bool is_invented(const struct tool *const *tools, size_t n, const char *name,
                        const json_t *value, const struct said *said, bool in_plan)
{
    bool is_left = false;
    for (size_t i = 0; i < n; i++) {
        if (!json_object_get(json_object_get(tools[i]->input_schema, "properties"), name))
            continue;
        if (!value_is_invented(tools[i], name, value, said))
            return false;
        is_left = is_left || is_left_out(tools[i], name, in_plan);
    }
    return is_left;
}

const json_t *turn_leave_out_inventions(const struct turn *turn, const struct tool *const *tools,
                                        size_t n, const json_t *args, const struct said *said,
                                        struct argument_notes *notes)
{
    bool in_plan = said != turn->said;
    json_t *kept = arena_keep_json(turn->arena, json_object());
    const char *name;
    const json_t *value;
    json_each_member (args, name, value) {
        /* A value that an earlier result gave was written as a reference to it. */
        const char *written = json_get_string(turn->said_parameters, name);
        bool is_bound = written && strchr(written, '{');
        if (!is_bound && is_invented(tools, n, name, value, said, in_plan))
            argument_note(notes, json_path_member(turn->arena, "", name), "not said, left out");
        else
            json_object_set_new(kept, name, json_share(value));
    }
    return kept;
}

struct confidence_input turn_confidence_input(const struct turn *turn)
{
    const struct settings *settings = turn_settings(turn);
    bool is_lexical = turn->intent && text_equal(turn->intent->analyst, TURN_ANALYST_LEXICAL);
    return (struct confidence_input){
        .has_planner = turn->orchestrator->engine.model && !is_lexical,
        .shortlist = turn->shortlist.best,
        .n_shortlist = turn->shortlist.n,
        .max_questions = (size_t)settings->max_clarifying_questions,
        .threshold = is_lexical ? settings->lexical_threshold : settings->confidence_threshold,
        .is_planned = is_lexical && turn->proposal && !turn->intent->open_step,
    };
}

enum err_code turn_load_words(const struct turn *turn, const char *path, const json_t **out,
                              struct err *err)
{
    struct assets *assets = turn->session->services->assets;
    struct arena arena = { 0 };
    const char *text, *origin;
    json_t *words = NULL;
    *out = assets_find_kept(assets, path);
    if (*out)
        return ERR_NONE;
    enum err_code r = assets_get(assets, path, &arena, &text, &origin, err);
    if (!r && json_parse(text, strlen(text), JSON_OURS, &words, err))
        r = err_prefix(err, ERR_INVALID, "%s", origin);
    if (r) {
        arena_finish(&arena);
        return r;
    }
    *out = arena_keep_json(&arena, words);
    assets_keep(assets, path, &arena, *out);
    return ERR_NONE;
}
