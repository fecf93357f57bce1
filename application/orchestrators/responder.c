#include "application/orchestrators/responder.h"
#include "application/orchestrators/earlier_results.h"
#include "application/orchestrators/turn_contract.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/grounding/grounding.h"
#include "domain/plan/gap.h"
#include "domain/text/ungrounded.h"
#include <string.h>

#define CLAIM_WORDS "config/words/claims.json"
#define VALUE_WORDS "config/words/values.json"
#define OF_A_PERSON " your my ihr mein dein votre mon ton tu mi tuo mio il "
#define CLAIM_COLUMNS 160
#define WITH_RESULTS "config/prompts/answer.txt"
#define WITHOUT_TOOL "config/prompts/answer_no_tool.txt"

/* The text, or its beginning and how much is missing. */
static const char *bounded(struct arena *arena, const char *text, size_t max_bytes)
{
    size_t length = strlen(text), kept = text_cut(text, length, max_bytes);
    if (kept == length)
        return text;
    return arena_printf(arena, "%.*s\n[%zu more bytes left out]", (int)kept, text, length - kept);
}

/* As compact JSON, or as it was sent where it has too many values to be parsed; "" without any. */
static const char *structured_text(struct arena *arena, const struct step_result *result)
{
    const json_t *data = step_result_structured(result);
    if (data)
        return json_print_in(arena, data);
    struct json_slice text = json_slice_member((struct json_slice){ result->bytes, result->length },
                                               "structuredContent");
    return arena_strndup(arena, text.length ? text.text : "", text.length);
}

/* What the step gave as text, images and such by what they are; structured content that no text
 * comes with is JSON. */
static const char *result_text(struct arena *arena, const struct step_outcome *outcome)
{
    if (!outcome->has_result)
        return "";
    const char *shown = step_result_shown(arena, &outcome->result);
    const char *text = step_result_text(arena, &outcome->result);
    const char *data = *text ? "" : structured_text(arena, &outcome->result);
    return !*data ? shown : arena_printf(arena, "%s%s%s", data, *shown ? "\n" : "", shown);
}

static const char *print_result(const struct turn *turn, const struct step_outcome *outcome)
{
    size_t max_bytes = (size_t)turn_settings(turn)->tools_prompt_result_bytes;
    if (!outcome->has_result)
        return outcome->err.message;
    return bounded(turn->arena, result_text(turn->arena, outcome), max_bytes);
}

static struct prompt_part result_part(const struct turn *turn, const struct step_outcome *outcome)
{
    const json_t *args = outcome->args ? outcome->args : outcome->step->args;
    const char *result = print_result(turn, outcome), *state = step_state_name(outcome->state);
    const struct step *step = outcome->step;
    return (struct prompt_part){
        .text =
            arena_printf(turn->arena, "[%s] %s %s: %s\n%s\n\n", step->id, step->tool,
                         json_print_in(turn->arena, args), state, fence_text(turn->arena, result)),
        .keep = PROMPT_DROP_LAST,
        .what = "result",
        .instead = arena_printf(turn->arena, "[%s] %s: %s\n[all %zu bytes left out]\n\n", step->id,
                                step->tool, state, strlen(result)),
    };
}

struct prompt_value responder_results(const struct turn *turn, const struct step_outcome *steps,
                                      size_t n)
{
    struct prompt_part *parts = arena_array(turn->arena, struct prompt_part, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i] = result_part(turn, &steps[i]);
    return (struct prompt_value){
        .name = "results", .text = "(no tool was used)\n", .parts = parts, .n_parts = n
    };
}

const char *responder_last_text(struct arena *arena, const struct step_outcome *steps, size_t n,
                                size_t max_bytes)
{
    for (size_t i = n; i-- > 0;) {
        const char *text = result_text(arena, &steps[i]);
        if (*text)
            return bounded(arena, text, max_bytes);
    }
    return "";
}

const char *responder_all_texts(struct arena *arena, const struct step_outcome *steps, size_t n)
{
    const char *all = "";
    for (size_t i = 0; i < n; i++) {
        const char *text = result_text(arena, &steps[i]);
        all = arena_printf(arena, "%s%s%s", all, *all && *text ? "\n" : "", text);
    }
    return all;
}

/* What a compacted request for the answer cannot do without. */
static const char *print_briefly(const struct turn *turn)
{
    const struct turn_result *result = turn->result;
    const char *text = responder_all_texts(turn->arena, result->steps, result->n_steps);
    return arena_printf(
        turn->arena, "What tools gave: %s",
        *text ? fence_lines(turn->arena, bounded(turn->arena, text, TURN_KNOWN_BYTES)) : "nothing");
}

/* What tools gave can be said as it is; without that there is nothing to say. */
static const json_t *last_rung(void *context, struct arena *arena)
{
    const struct turn_result *result = ((const struct turn *)context)->result;
    const char *text =
        responder_last_text(arena, result->steps, result->n_steps, RESPONDER_VERBATIM_BYTES);
    return *text ? arena_keep_json(arena, json_string(text)) : NULL;
}

/* Adds what the step was given and gave to what an answer may take a value from; false when it gave
 * too much to be looked into. */
static bool add_outcome(struct arena *arena, const struct step_outcome *outcome,
                        struct grounding_sources *known)
{
    const json_t *args = outcome->args ? outcome->args : outcome->step->args, *data = NULL;
    if (!outcome->has_result)
        data = arena_keep_json(arena, json_string(outcome->err.message));
    else if (outcome->result.length <= GROUNDING_MAX_BYTES)
        data = step_result_data(arena, &outcome->result);
    known->said[known->n_said++] = json_print_in(arena, args);
    const char *shown =
        data && outcome->has_result ? step_result_shown(arena, &outcome->result) : "";
    if (*shown && !text_equal(shown, json_string_value(data)))
        known->said[known->n_said++] = shown;
    if (data)
        known->results[known->n_results++] = data;
    return data;
}

static struct grounding check(const struct turn *turn, const char *answer)
{
    const struct conversation *conversation = turn->conversation;
    size_t n = conversation->n_messages + 2 * turn->result->n_steps + 2;
    const json_t **results = arena_array(turn->arena, const json_t *, n);
    const char **said = arena_array(turn->arena, const char *, n);
    struct grounding_sources known = { turn->words, results, 1, said, 1 };
    struct grounding found = { .is_unjudged = false };
    *said = turn->message;
    *results = turn->known_results;
    for (size_t i = conversation_live_start(conversation); i < conversation->n_messages; i++)
        said[known.n_said++] = conversation->messages[i].content;
    for (size_t i = 0; i < turn->result->n_steps; i++)
        found.is_unjudged |= !add_outcome(turn->arena, &turn->result->steps[i], &known);
    if (!found.is_unjudged)
        grounding_check(turn->arena, answer, &known, &found);
    return found;
}

/* What the tools gave, with what was said. */
static const char *all_sources(const struct turn *turn)
{
    const struct turn_result *result = turn->result;
    return arena_printf(turn->arena, "%s\n%s", turn->said->text,
                        responder_all_texts(turn->arena, result->steps, result->n_steps));
}

/* A gap in the place of what the results should have given, which no source has; "[Your name]" is
 * for the person to fill in. NULL when there is none. */
static const char *find_gap(const struct turn *turn, const char *answer)
{
    struct gap gap;
    if (!gap_find(answer, turn->said->text, false, &gap) ||
        !gap_find(answer, all_sources(turn), false, &gap))
        return NULL;
    const char *text = arena_strndup(turn->arena, answer + gap.at, gap.length);
    size_t first = strcspn(text + 1, " ]");
    return text_is_listed(OF_A_PERSON, text + 1, first) ? NULL : text;
}

static const struct tool *find_tool(const struct turn *turn, const char *name)
{
    size_t n;
    const struct tool *const *tools = toolbox_tools(turn->session->toolbox, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(tools[i]->full_name, name) == 0)
            return tools[i];
    return NULL;
}

/* A tool that is not known may do anything. */
static bool may_change(const struct turn *turn, const char *name)
{
    const struct tool *tool = find_tool(turn, name);
    return !tool || tool->read_only != HINT_YES;
}

/* What the author says to have done and no tool did; NULL when it is nothing. */
static const char *find_deed(const struct turn *turn, const char *answer)
{
    const struct turn_result *result = turn->result;
    const char *done_by = "";
    for (size_t i = 0; i < result->n_steps; i++) {
        const char *name = result->steps[i].step->tool;
        if (result->steps[i].state != STEP_OK || !may_change(turn, name))
            continue;
        const struct tool *tool = find_tool(turn, name);
        if (!tool)
            return NULL;
        done_by =
            arena_printf(turn->arena, "%s%s %s %s\n", done_by, name, tool->title ? tool->title : "",
                         tool->description ? tool->description : "");
    }
    return ungrounded_claim(turn->arena, turn->claims, answer, turn->said->text, done_by);
}

/* All that the answer has and no source; NULL when there is nothing of the kind. */
static const json_t *find_inventions(const struct turn *turn, const char *answer)
{
    const struct grounding found = check(turn, answer);
    const char *others[] = { find_gap(turn, answer), find_deed(turn, answer) };
    json_t *all = arena_keep_json(turn->arena, json_from_texts(found.ungrounded, found.n));
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (others[i])
            json_array_append_new(all, json_string(others[i]));
    turn->result->answer_source = found.is_unjudged ? TURN_ANSWER_UNCHECKED : TURN_ANSWER_CHECKED;
    return json_array_size(all) ? all : NULL;
}

/* Whether what the answer names stands in what it may rest on. */
static bool is_grounded(void *context, const json_t *answer, struct problems *problems)
{
    const struct turn *turn = context;
    struct turn_result *result = turn->result;
    result->ungrounded = find_inventions(turn, json_string_value(answer));
    if (!result->ungrounded)
        return true;
    const char *names = json_join_elements(turn->arena, result->ungrounded, "; ");
    problems_add(problems, NULL, "", "it has what is in no result: %s", names)->fix = arena_printf(
        turn->arena, "leave out what no result has (%s), and say only what they say", names);
    return false;
}

static bool has_changed_something(const struct turn *turn)
{
    for (size_t i = turn_window_start(turn); i < turn->n_history; i++) {
        const json_t *name,
            *tools = json_object_get(turn->conversation->messages[i].metadata, "tools");
        size_t n;
        json_array_foreach (tools, n, name)
            if (may_change(turn, json_string_value(name)))
                return true;
    }
    return false;
}

static bool is_told_earlier(const struct turn *turn, const char *word)
{
    for (size_t i = turn_window_start(turn); i < turn->n_history; i++)
        if (strcasestr(turn->conversation->messages[i].content, word))
            return true;
    return false;
}

/* "Did it work?", behind a turn that did something: a claim that names nothing which only this
 * message has. */
static bool tells_of_earlier(const struct turn *turn, const char *claim)
{
    if (!strchr(turn->message, '?') || !has_changed_something(turn))
        return false;
    for (size_t n; *claim; claim += n ? n : 1) {
        n = text_word_length(claim);
        const char *word = arena_strndup(turn->arena, claim, n);
        if (n && strcasestr(turn->message, word) && !is_told_earlier(turn, word))
            return false;
    }
    return true;
}

static bool check_claims(void *context, const json_t *value, struct problems *problems)
{
    struct turn *turn = context;
    turn->result->answer_source = TURN_ANSWER_UNCHECKED;
    turn->claim = ungrounded_claim(turn->arena, turn->claims, json_string_value(value),
                                   turn->said->text, NULL);
    if (turn->claim && tells_of_earlier(turn, turn->claim))
        turn->claim = NULL;
    if (turn->claim)
        problems_add(problems, NULL, NULL, "no tool was used for this: %s", turn->claim)->fix =
            "say in one sentence that it could not be done or looked up";
    return !turn->claim;
}

static enum err_code ask(struct turn *turn, struct ask_outcome *out, struct err *err)
{
    bool is_bare = turn->result->n_steps == 0;
    struct turn_contract contract;
    struct ask_prompt prompt = { .state = print_briefly(turn) };
    const struct prompt_value results =
        responder_results(turn, turn->result->steps, turn->result->n_steps);
    enum err_code r = turn_contract_load(turn, "answer", &contract, err);
    r = r ? r : turn_load_words(turn, CLAIM_WORDS, &turn->claims, err);
    r = r || is_bare ? r : turn_load_words(turn, VALUE_WORDS, &turn->words, err);
    if (!r)
        r = turn_contract_prompt(turn, &contract, is_bare ? WITHOUT_TOOL : WITH_RESULTS, &results,
                                 1, &prompt, err);
    contract.contract.cross_check = is_bare ? check_claims : is_grounded;
    contract.contract.last_rung = last_rung;
    contract.contract.context = turn;
    return r ? r : turn_ask(turn, &contract.contract, &prompt, out, err);
}

static void warn_of_last_rung(struct turn *turn, unsigned attempts)
{
    const char *why =
        arena_printf(turn->arena, "the model gave no usable answer in %u attempts", attempts);
    turn->result->answer_source = TURN_ANSWER_RESULT;
    if (turn->result->ungrounded)
        why = arena_printf(turn->arena, "the model's answer had what is in no result (%s)",
                           json_join_elements(turn->arena, turn->result->ungrounded, "; "));
    journal_warn(&turn->session->journal, "%s; the last result follows as it is", why);
}

static enum err_code refuse_claim(const struct turn *turn, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_UNGROUNDED, 0, "the answer claims what no tool did: %.300s",
                text_one_line(turn->arena, turn->claim, strlen(turn->claim), CLAIM_COLUMNS));
    return err_hint(err, r, "mistro tools lists what can be done; say which of it is meant");
}

static enum err_code ask_model(struct turn *turn, const char **out, struct err *err)
{
    struct ask_outcome outcome = { 0 };
    turn->result->is_ungrounded = turn->result->n_steps == 0;
    if (turn->result->is_ungrounded)
        journal_warn(&turn->session->journal, "no tool was used: nothing was done or looked up");
    enum err_code r = ask(turn, &outcome, err);
    if (r == ERR_FAILED && turn->claim)
        return refuse_claim(turn, err);
    if (r)
        return err_prefix(err, r, "answer");
    if (outcome.rung == RUNG_LAST)
        warn_of_last_rung(turn, outcome.attempts);
    *out = outcome.text;
    return ERR_NONE;
}

enum err_code responder_no_tool_fits(const struct turn *turn, struct err *err)
{
    const char *why = turn->intent->refusal;
    enum err_code r = err_set(err, ERR_FAILED, 0, "no tool fits this request%s%.400s",
                              why ? ": " : "", why ? why : "");
    err_about(err, r, "tool");
    return err_hint(err, r,
                    "say it in other words, or make the call with mistro call (mistro tools "
                    "lists what there is); a model can answer without a tool (-m)");
}

static enum err_code choose_answer(struct turn *turn, const char **out, struct err *err)
{
    const struct turn_result *result = turn->result;
    bool is_verbatim = !turn->orchestrator->engine.model || turn->request->dry_run;
    if (is_verbatim && result->n_steps == 0)
        return responder_no_tool_fits(turn, err);
    if (!is_verbatim)
        return ask_model(turn, out, err);
    turn->result->answer_source = TURN_ANSWER_RESULT;
    *out =
        turn->request->dry_run || turn->proposal
            ? bounded(turn->arena, responder_all_texts(turn->arena, result->steps, result->n_steps),
                      RESPONDER_VERBATIM_BYTES)
            : responder_last_text(turn->arena, result->steps, result->n_steps,
                                  RESPONDER_VERBATIM_BYTES);
    return ERR_NONE;
}

/* What the steps gave, which is done whatever became of the answer. */
static const char *answer_of_steps(struct turn_result *result, struct arena *arena)
{
    const char *texts = responder_all_texts(arena, result->steps, result->n_steps);
    result->answer_source = TURN_ANSWER_RESULT;
    result->had_answer = *texts;
    return *texts ? bounded(arena, texts, RESPONDER_VERBATIM_BYTES) : NULL;
}

enum err_code responder_answer(struct turn *turn, struct err *err)
{
    struct turn_result *result = turn->result;
    struct journal *journal = &turn->session->journal;
    enum err_code r = choose_answer(turn, &result->answer, err);
    if (r && r != ERR_CANCELLED)
        result->answer = answer_of_steps(result, turn->arena);
    if (!result->answer)
        return r;
    json_t *data = json_pack("{s:o, s:s, s:O*}", "answer", journal_text(journal, result->answer),
                             "source", result->answer_source, "ungrounded", result->ungrounded);
    if (result->is_ungrounded)
        json_object_set_new(data, "grounded", json_false());
    journal_emit(journal, EVENT_ANSWER, data);
    return r;
}
