#include "application/orchestrators/clarifier.h"
#include "application/finding/request_verbs.h"
#include "application/orchestrators/intent_parser.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/pending_questions.h"
#include "application/orchestrators/question_wording.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/answers.h"
#include "domain/schema/schema_shape.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define ANSWER_WORDS "config/words/answers.json"

bool clarifier_is_needed(const struct turn *turn)
{
    const struct intent *intent = turn->intent;
    struct confidence_input input = turn_confidence_input(turn);
    /* Nobody else can find what the lexical analyst misses. */
    bool is_lexical =
        !turn->orchestrator->engine.model || text_equal(intent->analyst, TURN_ANALYST_LEXICAL);
    bool is_stuck = is_lexical && intent->n_tools_needed &&
                    (intent->confidence.completeness < 1 || intent->confidence.validity < 1);
    return is_stuck || intent->open_step || confidence_needs_questions(intent, &input);
}

static const char *print_questions(struct arena *arena, const struct intent *intent)
{
    const char *text = "";
    for (size_t i = 0; i < intent->n_questions; i++) {
        const struct question *question = &intent->questions[i];
        text = arena_printf(arena, "%s%s%s%s", text, i ? "\n" : "", question_say(arena, question),
                            question_choices(arena, question));
    }
    return text;
}

static void emit_questions(struct turn *turn)
{
    struct intent *intent = turn->intent;
    pending_store(turn->conversation, turn->message, intent);
    turn->result->status = RUN_NEEDS_ANSWER;
    turn->result->answer = print_questions(turn->arena, intent);
    json_t *questions = questions_to_json(intent->questions, intent->n_questions);
    journal_emit(&turn->session->journal, EVENT_QUESTIONS,
                 json_pack("{s:o}", "questions", questions));
    conversation_add(turn->arena, turn->conversation, MESSAGE_ASSISTANT, turn->result->answer,
                     json_pack("{s:b, s:s}", "asks", 1, "run_id", turn->session->journal.run_id),
                     runtime_wall_ms(turn->session->services->runtime));
}

enum err_code clarifier_ask(struct turn *turn, struct err *err)
{
    struct confidence_input input = turn_confidence_input(turn);
    if (!turn->intent->n_questions)
        confidence_make_questions(turn->arena, turn->intent, &input);
    enum err_code r = question_wording_apply(turn, err);
    if (!r && turn->intent->n_questions)
        emit_questions(turn);
    return r;
}

/* What is needed to read answers. */
struct hearing {
    struct turn *turn;
    struct pending *pending;
    const json_t *words;
};

static const json_t *parameter_of(const struct tool *tool, const char *key)
{
    return json_object_get(json_object_get(tool->input_schema, "properties"), key);
}

/* The tool among those that are needed whose parameter is asked about; NULL: it is none's. */
static const struct tool *tool_asked(const struct hearing *hearing, const char *key)
{
    const struct intent *intent = &hearing->pending->intent;
    size_t n;
    const struct tool *const *tools = toolbox_tools(hearing->turn->session->toolbox, &n);
    for (size_t i = 0; i < n; i++)
        if (text_is_one_of(tools[i]->full_name, intent->tools_needed, intent->n_tools_needed) &&
            parameter_of(tools[i], key))
            return tools[i];
    return NULL;
}

static const json_t *schema_asked(const struct hearing *hearing, const char *key)
{
    const struct tool *tool = tool_asked(hearing, key);
    return tool ? schema_view_resolve(tool->input_schema, parameter_of(tool, key)) : NULL;
}

/* "one, two" where a list is asked for; owned by the caller. */
static json_t *value_from(const struct hearing *hearing, const struct question *question,
                          const char *text)
{
    struct arena *arena = hearing->turn->arena;
    const json_t *schema = schema_asked(hearing, question->key);
    const char *choice = answers_choice(arena, hearing->words, question, text, true), **parts;
    size_t n = 0;
    if (choice && argument_takes(schema, "boolean"))
        return json_boolean(strcmp(choice, "yes") == 0);
    if (argument_takes(schema, "array") && *text != '[')
        n = answers_split(arena, hearing->words, text, 0, &parts);
    return n > 1 ? json_from_texts(parts, n) : json_string(choice ? choice : text);
}

static bool fits(const void *context, const struct question *question, const char *text)
{
    const struct hearing *hearing = context;
    const struct tool *tool = tool_asked(hearing, question->key);
    struct arena *arena = hearing->turn->arena;
    if (question->n_choices && !question->n_more_choices)
        return answers_choice(arena, hearing->words, question, text, true);
    if (!tool)
        return true;
    json_auto_t *value = value_from(hearing, question, text);
    json_auto_t *fitted =
        argument_fit(arena, schema_asked(hearing, question->key), "", value, NULL);
    return confidence_value_fits(tool, question->key, fitted);
}

static enum err_code unknown_key(struct arena *arena, const struct intent *intent, const char *key,
                                 struct err *err)
{
    const char **keys = arena_array(arena, const char *, intent->n_questions);
    size_t nearest;
    for (size_t i = 0; i < intent->n_questions; i++)
        keys[i] = intent->questions[i].key;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "no question has the key \"%.60s\"; asked is:%.300s", key,
                questions_keys(arena, intent, " ", ""));
    return text_nearest(key, keys, intent->n_questions, &nearest, 1)
               ? err_hint(err, r, "did you mean --answer %.60s=…?", keys[nearest])
               : r;
}

static enum err_code take_answer(const struct hearing *hearing, const struct turn_answer *answer,
                                 struct answers *out, struct err *err)
{
    const struct intent *intent = &hearing->pending->intent;
    struct arena *arena = hearing->turn->arena;
    for (size_t i = 0; i < intent->n_questions; i++) {
        const struct question *question = &intent->questions[i];
        if (strcmp(question->key, answer->key) != 0)
            continue;
        if (out->values[i])
            return err_set(err, ERR_INVALID, 0, "--answer %.60s was given twice", answer->key);
        out->values[i] = answer->value;
        return question->n_choices && !fits(hearing, question, answer->value)
                   ? err_set(err, ERR_INVALID, 0, "answer %.60s: none of the choices%.300s",
                             answer->key, question_choices(arena, question))
                   : ERR_NONE;
    }
    return unknown_key(arena, intent, answer->key, err);
}

/* --answer KEY=VALUE. */
static enum err_code take_answers(const struct hearing *hearing, struct answers *out,
                                  struct err *err)
{
    const struct turn_request *request = hearing->turn->request;
    enum err_code r = ERR_NONE;
    *out = (struct answers){ .values = arena_array(hearing->turn->arena, const char *,
                                                   hearing->pending->intent.n_questions) };
    for (size_t i = 0; !r && i < request->n_answers; i++)
        r = take_answer(hearing, &request->answers[i], out, err);
    return r;
}

static void read_message(const struct hearing *hearing, struct answers *out)
{
    const struct intent *intent = &hearing->pending->intent;
    const struct answer_reading reading = { .words = hearing->words,
                                            .questions = intent->questions,
                                            .n = intent->n_questions,
                                            .fits = fits,
                                            .context = hearing };
    answers_read(hearing->turn->arena, &reading, hearing->turn->message, out);
}

/* A sentence where a path, a date or the like is asked for, or one that begins with "no": all of it
 * would be the answer. */
static bool is_sentence(const struct hearing *hearing, const struct answers *answers)
{
    const char *value = answers->values[0], *key = hearing->pending->intent.questions[0].key;
    const struct tool *tool = tool_asked(hearing, key);
    if (!value || !tool || strcmp(value, hearing->turn->message) != 0)
        return false;
    const json_t *schema = parameter_of(tool, key);
    return answers->rest ||
           schema_shape(hearing->turn->arena, tool->input_schema, schema, key).is_formed;
}

/* Whether the words of the message find a tool whose deed they ask for, other than these. */
static bool fits_tool(const struct turn *turn, const char *const *others, size_t n_others)
{
    struct request_verbs verbs = { 0 };
    struct turn own = *turn; /* if it is none, nothing of it may stay */
    if (request_verbs_read(turn->arena, turn->session->services->assets, turn->message, &verbs,
                           NULL) ||
        intent_parser_parse_lexically(&own, NULL) || !own.intent->n_tools_needed)
        return false;
    const char *name = own.intent->tools_needed[0];
    const struct tool *tool = shortlist_find(&own.shortlist, name);
    return tool && request_verbs_fit(&verbs, tool) == VERB_MEANT &&
           !text_is_one_of(name, others, n_others);
}

/* Whether a message that does not answer fits another tool, or, behind "no", any. Which of some
 * tools is meant a model can say better. */
static bool is_own_request(const struct hearing *hearing, const struct answers *answers)
{
    struct turn *turn = hearing->turn;
    const struct intent *asked = &hearing->pending->intent;
    bool is_answer = answers->meaning == ANSWER_EXPLAIN ||
                     (answers->meaning == ANSWER_VALUES && !is_sentence(hearing, answers));
    if (is_answer || !strchr(turn->message, ' '))
        return false;
    if (turn->orchestrator->engine.model && !strcmp(asked->questions[0].key, CLARIFIER_TOOL_KEY))
        return true;
    return fits_tool(turn, asked->tools_needed, answers->rest ? 0 : asked->n_tools_needed);
}

/* What the analyst without a model reads out of the request for the tool that was chosen. */
static void reread_for(struct turn *turn, const struct tool *tool, struct intent *intent)
{
    struct lexical_slots slots = { 0 };
    lexical_slots_fill(turn->arena, tool, turn->message, turn_today(turn), &slots);
    json_t *parameters = arena_keep_json(turn->arena, json_copy(slots.args));
    json_auto_t *earlier = json_share(intent->parameters);
    json_object_update_missing(parameters, earlier);
    intent->parameters = parameters;
}

/* No answer is spent on a tool that went away with its server. */
static enum err_code find_tools(struct turn *turn, const struct intent *intent, struct err *err)
{
    enum err_code r = turn_make_shortlist(turn, intent->tools_needed, intent->n_tools_needed, err);
    for (size_t i = 0; !r && i < intent->n_tools_needed; i++)
        if (!shortlist_find(&turn->shortlist, intent->tools_needed[i]))
            r = err_set(err, ERR_NOT_FOUND, 0,
                        "%.200s is not among the tools (mistro servers); the question waits",
                        intent->tools_needed[i]);
    return r;
}

static enum err_code choose_tool(struct turn *turn, struct intent *intent, const char *name,
                                 struct err *err)
{
    intent->n_tools_needed = 0;
    if (strcmp(name, SHORTLIST_NONE) != 0) {
        intent->tools_needed = arena_array(turn->arena, const char *, 1);
        intent->tools_needed[intent->n_tools_needed++] = arena_strdup(turn->arena, name);
        turn->has_chosen_tool = true;
    }
    enum err_code r = find_tools(turn, intent, err);
    const struct tool *tool = r ? NULL : shortlist_find(&turn->shortlist, name);
    if (tool && strcmp(intent->analyst, TURN_ANALYST_LEXICAL) == 0)
        reread_for(turn, tool, intent);
    return r;
}

static void fill_parameters(struct turn *turn, struct intent *intent, const json_t *answers)
{
    json_t *parameters = json_object();
    const char *key;
    json_t *value;
    json_each_member (intent->parameters, key, value) {
        json_object_set(parameters, key, value);
    }
    json_each_member (answers, key, value) {
        if (strcmp(key, CLARIFIER_TOOL_KEY) != 0 && strcmp(key, CLARIFIER_CONFIRM_KEY) != 0)
            json_object_set(parameters, key, value);
    }
    intent->parameters = arena_keep_json(turn->arena, parameters);
}

static void fill_step(struct arena *arena, const struct tool *tool, json_t *args,
                      const json_t *answers, struct intent *intent)
{
    const char *key;
    json_t *value;
    json_each_member (answers, key, value) {
        const json_t *schema = parameter_of(tool, key);
        json_auto_t *fitted =
            argument_fit(arena, schema_view_resolve(tool->input_schema, schema), "", value, NULL);
        if (!confidence_value_fits(tool, key, fitted))
            continue;
        json_object_set(args, key, fitted);
        intent->open_step = NULL;
    }
}

/* The steps that were understood, with the answer in the one that lacked it. It stays open where
 * the answer does not fit: then it is asked for once more. */
static void fill_open_step(struct turn *turn, struct intent *intent, const json_t *answers)
{
    json_t *steps = json_deep_copy(intent->steps), *step;
    size_t i;
    turn->proposal = intent->steps = arena_keep_json(turn->arena, steps);
    json_array_foreach (steps, i, step) {
        const char *name = json_get_string(step, "tool");
        const struct tool *tool = name ? shortlist_find(&turn->shortlist, name) : NULL;
        if (tool && text_equal(json_get_string(step, "id"), intent->open_step))
            fill_step(turn->arena, tool, json_object_get(step, "args"), answers, intent);
    }
}

/* What was asked and not answered stays open: it is a person's to say, not the planner's. */
static void keep_open(struct turn *turn, struct intent *intent, const json_t *answers)
{
    intent->unclear_aspects = arena_array(turn->arena, const char *, intent->n_questions + 1);
    for (size_t i = 0; i < intent->n_questions; i++)
        if (!json_object_get(answers, intent->questions[i].key))
            intent->unclear_aspects[intent->n_unclear_aspects++] = intent->questions[i].key;
    intent->n_questions = 0;
}

static enum err_code apply(struct turn *turn, struct pending *pending, const json_t *answers,
                           struct err *err)
{
    struct intent *intent = &pending->intent;
    const char *tool = json_get_string(answers, CLARIFIER_TOOL_KEY);
    turn->message = pending->message;
    turn->intent = intent;
    keep_open(turn, intent, answers);
    enum err_code r = tool ? choose_tool(turn, intent, tool, err) : find_tools(turn, intent, err);
    if (r)
        return r;
    fill_parameters(turn, intent, answers);
    if (intent->steps)
        fill_open_step(turn, intent, answers);
    return ERR_NONE;
}

/* The answers by key. In the arena. */
static const json_t *answers_by_key(const struct hearing *hearing, const struct answers *answers)
{
    const struct intent *intent = &hearing->pending->intent;
    json_t *by_key = arena_keep_json(hearing->turn->arena, json_object());
    for (size_t i = 0; i < intent->n_questions; i++)
        if (answers->values[i])
            json_object_set_new(by_key, intent->questions[i].key,
                                value_from(hearing, &intent->questions[i], answers->values[i]));
    return by_key;
}

/* "What exactly should be done?": the request is told anew, with the answer. */
static bool retell(struct turn *turn, const struct pending *pending, const json_t *answers)
{
    const char *goal = json_get_string(answers, CLARIFIER_GOAL_KEY);
    if (!goal || pending->intent.n_tools_needed)
        return false;
    turn->message = arena_printf(turn->arena, "%s\n%s", pending->message, goal);
    return true;
}

static enum err_code nothing_waits(const struct turn *turn, struct err *err)
{
    if (turn->request->n_answers == 0)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "no question waits for the answer \"%.60s\"",
                              turn->request->answers[0].key);
    return err_hint(err, r, "name the session that asked with --session");
}

static enum clarifier_outcome ask_again(struct turn *turn, struct pending *pending,
                                        enum answer_meaning meaning)
{
    if (meaning != ANSWER_EXPLAIN)
        journal_warn(&turn->session->journal, "what \"%s\" answers is not clear; nothing was taken",
                     text_one_line(turn->arena, turn->message, strlen(turn->message), 60));
    turn->message = pending->message;
    turn->intent = &pending->intent;
    turn->result->intent = turn->intent;
    turn->result->analyst = turn->intent->analyst;
    emit_questions(turn);
    return CLARIFIER_SETTLED;
}

/* rest: what is to be done instead; NULL: nothing. */
static enum clarifier_outcome drop(struct turn *turn, const char *rest)
{
    const char *text =
        pending_drop(turn->arena, turn->conversation, turn->request->plan_only ? "plan" : "ask");
    turn->result->dropped = text;
    journal_emit(&turn->session->journal, EVENT_QUESTIONS_DROPPED,
                 json_pack("{s:s}", "text", text));
    turn->message = rest;
    return rest ? CLARIFIER_NOTHING : CLARIFIER_SETTLED;
}

static enum err_code obey_values(const struct hearing *hearing, const struct answers *answers,
                                 enum clarifier_outcome *out, struct err *err)
{
    struct turn *turn = hearing->turn;
    const json_t *by_key = answers_by_key(hearing, answers);
    if (text_equal(json_get_string(by_key, CLARIFIER_CONFIRM_KEY), "no")) {
        *out = drop(turn, NULL);
        return ERR_NONE;
    }
    json_t *asked = json_copy(json_object_get(turn->conversation->context, PENDING_CONTEXT_KEY));
    json_object_del(asked, "dropped");
    turn->answered = arena_keep_json(turn->arena, asked);
    pending_forget(turn->conversation);
    bool is_told_anew = retell(turn, hearing->pending, by_key);
    *out = is_told_anew ? CLARIFIER_NOTHING : CLARIFIER_RESUMED;
    return is_told_anew ? ERR_NONE : apply(turn, hearing->pending, by_key, err);
}

/* What a parameter cannot take is put to its schema, which says in the next question what is wrong
 * with it; for a tool there is no schema. */
static enum err_code obey(const struct hearing *hearing, const struct answers *answers,
                          enum clarifier_outcome *out, struct err *err)
{
    struct turn *turn = hearing->turn;
    enum answer_meaning meaning = answers->meaning;
    const char *key = hearing->pending->intent.questions[0].key;
    bool is_taken = meaning == ANSWER_VALUES ||
                    (meaning == ANSWER_MISFIT && strcmp(key, CLARIFIER_TOOL_KEY) != 0);
    if (meaning == ANSWER_DROP)
        *out = drop(turn, answers->rest);
    else if (!turn->request->n_answers && is_own_request(hearing, answers))
        *out = drop(turn, turn->message);
    else if (is_taken)
        return obey_values(hearing, answers, out, err);
    else
        *out = ask_again(turn, hearing->pending, meaning);
    return ERR_NONE;
}

void clarifier_put_back(struct turn *turn)
{
    for (size_t i = 0; i < turn->result->n_steps; i++)
        if (turn->result->steps[i].started_at_ms)
            return;
    json_object_set_new(turn->conversation->context, PENDING_CONTEXT_KEY,
                        json_share(turn->answered));
    (void)drop(turn, NULL);
}

enum err_code clarifier_resume(struct turn *turn, enum clarifier_outcome *out, struct err *err)
{
    struct hearing hearing = { turn, pending_load(turn->arena, turn->conversation), NULL };
    struct answers answers;
    bool has_flags = turn->request->n_answers > 0;
    *out = CLARIFIER_NOTHING;
    if (!hearing.pending || (hearing.pending->is_dropped && !has_flags))
        return nothing_waits(turn, err);
    enum err_code r = turn_load_words(turn, ANSWER_WORDS, &hearing.words, err);
    if (!r && has_flags)
        r = take_answers(&hearing, &answers, err);
    else if (!r)
        read_message(&hearing, &answers);
    return r ? r : obey(&hearing, &answers, out, err);
}
