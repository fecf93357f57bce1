#include "application/orchestrators/clarifier.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/question_wording.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

static json_t *list_to_json(const char *const *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(list[i]));
    return array;
}

/* The strings of an array; others are left out. */
static const char **list_from_json(struct arena *arena, const json_t *array, size_t *out_n)
{
    const char **list = arena_array(arena, const char *, json_array_size(array) + 1);
    *out_n = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_string(json_array_get(array, i)))
            list[(*out_n)++] = arena_strdup(arena, json_string_value(json_array_get(array, i)));
    return list;
}

void pending_store(struct conversation *conversation, const char *message,
                   const struct intent *intent)
{
    json_t *pending =
        json_pack("{s:i, s:s, s:s, s:o, s:O, s:s, s:o}", "version", PENDING_VERSION, "message",
                  message, "goal", intent->primary_goal, "tools",
                  list_to_json(intent->tools_needed, intent->n_tools_needed), "parameters",
                  intent->parameters, "analyst", intent->analyst, "questions",
                  questions_to_json(intent->questions, intent->n_questions));
    json_object_set_new(conversation->context, CLARIFIER_CONTEXT_KEY, pending);
}

void pending_drop(struct conversation *conversation)
{
    json_object_del(conversation->context, CLARIFIER_CONTEXT_KEY);
}

static struct question question_from_json(struct arena *arena, const json_t *value)
{
    struct question question = {
        .key = arena_strdup(arena, json_get_string(value, "key")),
        .text = arena_strdup(arena, json_get_string(value, "text")),
    };
    const json_t *choices = json_object_get(value, "choices");
    if (json_array_size(choices))
        question.choices = list_from_json(arena, choices, &question.n_choices);
    return question;
}

static void read_questions(struct arena *arena, const json_t *values, struct intent *intent)
{
    size_t n = json_array_size(values);
    intent->questions = arena_array(arena, struct question, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct question question = question_from_json(arena, json_array_get(values, i));
        if (question.key && question.text)
            intent->questions[intent->n_questions++] = question;
    }
}

static const char *analyst_of(const json_t *value)
{
    bool is_lexical = text_equal(json_get_string(value, "analyst"), TURN_ANALYST_LEXICAL);
    return is_lexical ? TURN_ANALYST_LEXICAL : TURN_ANALYST_MODEL;
}

static void read_intent(struct arena *arena, const json_t *value, struct intent *intent)
{
    intent->primary_goal = arena_strdup(arena, json_get_string(value, "goal"));
    intent->tools_needed =
        list_from_json(arena, json_object_get(value, "tools"), &intent->n_tools_needed);
    json_t *parameters = json_deep_copy(json_object_get(value, "parameters"));
    intent->parameters = arena_keep_json(arena, parameters ? parameters : json_object());
    intent->reported_confidence = -1; /* it was about the unanswered request */
    intent->analyst = analyst_of(value);
    read_questions(arena, json_object_get(value, "questions"), intent);
}

struct pending *pending_load(struct arena *arena, const struct conversation *conversation)
{
    const json_t *value = json_object_get(conversation->context, CLARIFIER_CONTEXT_KEY);
    if (json_get_int(value, "version", 0) != PENDING_VERSION || !json_get_string(value, "message"))
        return NULL;
    struct pending *pending = arena_new(arena, struct pending);
    pending->message = arena_strdup(arena, json_get_string(value, "message"));
    read_intent(arena, value, &pending->intent);
    if (!pending->intent.primary_goal)
        pending->intent.primary_goal = pending->message;
    return pending->intent.n_questions ? pending : NULL;
}

bool clarifier_is_needed(const struct turn *turn)
{
    const struct intent *intent = turn->intent;
    struct confidence_input input = turn_confidence_input(turn);
    /* Nobody else can find what the lexical analyst misses. */
    bool is_lexical =
        !turn->orchestrator->engine.model || text_equal(intent->analyst, TURN_ANALYST_LEXICAL);
    bool is_stuck = is_lexical && intent->n_tools_needed &&
                    (intent->confidence.completeness < 1 || intent->confidence.validity < 1);
    return is_stuck || confidence_needs_questions(intent, &input);
}

static const char *print_choices(struct arena *arena, const struct question *question)
{
    const char *text = "";
    for (size_t i = 0; i < question->n_choices; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", question->choices[i]);
    return *text ? arena_printf(arena, " (%s)", text) : "";
}

static const char *print_questions(struct arena *arena, const struct intent *intent)
{
    const char *text = "";
    for (size_t i = 0; i < intent->n_questions; i++) {
        const struct question *question = &intent->questions[i];
        text = arena_printf(arena, "%s%s%s%s", text, i ? "\n" : "", question->text,
                            print_choices(arena, question));
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
                     json_pack("{s:b}", "asks", 1),
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

static const struct question *question_named(const struct intent *intent, const char *key)
{
    for (size_t i = 0; i < intent->n_questions; i++)
        if (strcmp(intent->questions[i].key, key) == 0)
            return &intent->questions[i];
    return NULL;
}

/* The choice a person means: its text in any case, or its number. NULL: none of them. */
static const char *choice_of(const struct question *question, const char *value)
{
    int64_t number;
    if (question->n_choices == 0)
        return value;
    for (size_t i = 0; i < question->n_choices; i++)
        if (strcasecmp(question->choices[i], value) == 0)
            return question->choices[i];
    if (text_to_int64(value, &number) && number >= 1 && (size_t)number <= question->n_choices)
        return question->choices[number - 1];
    return NULL;
}

static enum err_code check_answer(struct arena *arena, const struct intent *intent,
                                  const struct turn_answer *answer, json_t *answers,
                                  struct err *err)
{
    const struct question *question = question_named(intent, answer->key);
    const char *value = question ? choice_of(question, answer->value) : NULL;
    if (value) {
        json_object_set_new(answers, answer->key, json_string(value));
        return ERR_NONE;
    }
    if (question)
        return err_set(err, ERR_INVALID, 0, "answer %.60s: none of the choices%.300s", answer->key,
                       print_choices(arena, question));
    return err_set(err, ERR_INVALID, 0, "no question has the key \"%.60s\"; asked was \"%.60s\"",
                   answer->key, intent->questions[0].key);
}

static enum err_code read_answers(struct turn *turn, const struct intent *intent, json_t *answers,
                                  struct err *err)
{
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < turn->request->n_answers; i++)
        r = check_answer(turn->arena, intent, &turn->request->answers[i], answers, err);
    return r;
}

static char *trimmed(struct arena *arena, const char *text, size_t length)
{
    while (length && isspace((unsigned char)text[0]))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

/* A line "key: value" or "key=value" that answers one of the questions. */
static void read_line(struct arena *arena, const struct intent *intent, const char *line,
                      size_t length, json_t *answers)
{
    size_t key_length = 0;
    while (key_length < length && line[key_length] != ':' && line[key_length] != '=')
        key_length++;
    const char *key = trimmed(arena, line, key_length);
    const struct question *question = question_named(intent, key);
    if (!question || key_length == length)
        return;
    const char *value = trimmed(arena, line + key_length + 1, length - key_length - 1);
    const char *choice = choice_of(question, value);
    if (choice)
        json_object_set_new(answers, key, json_string(choice));
}

static void read_keyed_lines(struct arena *arena, const struct intent *intent, const char *message,
                             json_t *answers)
{
    for (const char *line = message; *line;) {
        size_t length = strcspn(line, "\n");
        read_line(arena, intent, line, length, answers);
        line += length + (line[length] == '\n');
    }
}

/* A message answers by key where it says keys, else it is the answer to the first question. */
static void read_message(struct turn *turn, const struct intent *intent, json_t *answers)
{
    const char *message = turn->request->message ? turn->request->message : "";
    read_keyed_lines(turn->arena, intent, message, answers);
    const char *text = trimmed(turn->arena, message, strlen(message));
    if (json_object_size(answers) || !*text)
        return;
    const struct question *first = &intent->questions[0];
    const char *choice = choice_of(first, text);
    if (choice)
        json_object_set_new(answers, first->key, json_string(choice));
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

static enum err_code choose_tool(struct turn *turn, struct intent *intent, const char *name,
                                 struct err *err)
{
    intent->n_tools_needed = 0;
    if (strcmp(name, SHORTLIST_NONE) != 0) {
        intent->tools_needed = arena_array(turn->arena, const char *, 1);
        intent->tools_needed[intent->n_tools_needed++] = arena_strdup(turn->arena, name);
        turn->has_chosen_tool = true;
    }
    enum err_code r = turn_make_shortlist(turn, intent->tools_needed, intent->n_tools_needed, err);
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
        if (strcmp(key, CLARIFIER_TOOL_KEY) != 0)
            json_object_set(parameters, key, value);
    }
    intent->parameters = arena_keep_json(turn->arena, parameters);
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
    enum err_code r =
        tool ? choose_tool(turn, intent, tool, err)
             : turn_make_shortlist(turn, intent->tools_needed, intent->n_tools_needed, err);
    if (r)
        return r;
    fill_parameters(turn, intent, answers);
    return ERR_NONE;
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

enum err_code clarifier_resume(struct turn *turn, bool *out_resumed, struct err *err)
{
    struct pending *pending = pending_load(turn->arena, turn->conversation);
    *out_resumed = false;
    if (!pending)
        return nothing_waits(turn, err);
    json_t *answers = arena_keep_json(turn->arena, json_object());
    enum err_code r = read_answers(turn, &pending->intent, answers, err);
    if (r)
        return r;
    if (turn->request->n_answers == 0)
        read_message(turn, &pending->intent, answers);
    pending_drop(turn->conversation);
    if (retell(turn, pending, answers) || json_object_size(answers) == 0)
        return ERR_NONE;
    *out_resumed = true;
    return apply(turn, pending, answers, err);
}
