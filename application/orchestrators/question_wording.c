#include "application/orchestrators/question_wording.h"
#include "application/orchestrators/turn_contract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* The schema of one question: this key and no other. Owned by the caller. */
static json_t *with_key(const json_t *item, const char *key)
{
    json_t *schema = json_deep_copy(item);
    json_object_set_new(json_object_get(schema, "properties"), "key",
                        json_pack("{s:s}", "const", key));
    return schema;
}

/* The questions that are asked, in their order: a model that is held to it can neither forget one
 * nor ask one twice. */
static void complete(json_t *schema, const struct intent *intent)
{
    json_t *questions = json_object_get(json_object_get(schema, "properties"), "questions");
    const json_t *item = json_object_get(questions, "items");
    json_t *each = json_array();
    for (size_t i = 0; i < intent->n_questions; i++)
        json_array_append_new(each, with_key(item, intent->questions[i].key));
    json_object_del(questions, "items");
    json_object_set_new(questions, "prefixItems", each);
    json_object_set_new(questions, "minItems", json_integer((json_int_t)intent->n_questions));
    json_object_set_new(questions, "maxItems", json_integer((json_int_t)intent->n_questions));
}

static const json_t *question_of(const json_t *questions, const char *key)
{
    for (size_t i = 0; i < json_array_size(questions); i++)
        if (text_equal(json_get_string(json_array_get(questions, i), "key"), key))
            return json_array_get(questions, i);
    return NULL;
}

/* In the order in which they are asked; with one too many or too few they stay as they are. */
static const json_t *mend(void *context, struct arena *arena, const json_t *value)
{
    const struct turn *turn = context;
    const json_t *said = json_object_get(value, "questions");
    json_t *ordered = json_array();
    for (size_t i = 0; i < turn->intent->n_questions; i++) {
        const json_t *question = question_of(said, turn->intent->questions[i].key);
        if (question)
            json_array_append_new(ordered, json_share(question));
    }
    bool is_whole = json_array_size(ordered) == json_array_size(said);
    json_t *mended = arena_keep_json(arena, json_pack("{s:o}", "questions", ordered));
    return json_is_array(said) && is_whole ? mended : value;
}

static const char *wording_of(const json_t *value, const char *key)
{
    const json_t *question = question_of(json_object_get(value, "questions"), key);
    const char *text = json_get_string(question, "text");
    return text && text[strspn(text, " \t\r\n")] ? text : NULL;
}

/* A text of blanks is none; the schema holds the rest. */
static bool cross_check(void *context, const json_t *value, struct problems *problems)
{
    const struct turn *turn = context;
    const struct intent *intent = turn->intent;
    for (size_t i = 0; i < intent->n_questions; i++) {
        const char *key = intent->questions[i].key;
        if (wording_of(value, key))
            continue;
        problems_add(problems, NULL, "/questions", "the question \"%.60s\" is missing", key)->fix =
            arena_printf(turn->arena, "write the question with the key \"%.60s\", once", key);
    }
    return problems->n == 0;
}

/* The templates, as a value of the contract. */
static const json_t *templates(void *context, struct arena *arena)
{
    const struct turn *turn = context;
    json_t *questions = json_array();
    for (size_t i = 0; i < turn->intent->n_questions; i++) {
        const struct question *question = &turn->intent->questions[i];
        json_array_append_new(
            questions, json_pack("{s:s, s:s}", "key", question->key, "text", question->text));
    }
    return arena_keep_json(arena, json_pack("{s:o}", "questions", questions));
}

static void apply(struct intent *intent, const json_t *value)
{
    for (size_t i = 0; i < intent->n_questions; i++) {
        const char *text = wording_of(value, intent->questions[i].key);
        if (text)
            intent->questions[i].text = text;
    }
}

static enum err_code load_contract(struct turn *turn, struct turn_contract *out, struct err *err)
{
    enum err_code r = turn_contract_load(turn, "questions", out, err);
    if (r)
        return r;
    complete(out->schema, turn->intent);
    out->contract.normalise = mend;
    out->contract.cross_check = cross_check;
    out->contract.last_rung = templates;
    out->contract.context = turn;
    return ERR_NONE;
}

static enum err_code ask(struct turn *turn, struct ask_outcome *out, struct err *err)
{
    struct turn_contract contract;
    struct ask_prompt prompt = { 0 };
    json_auto_t *wanted = questions_to_json(turn->intent->questions, turn->intent->n_questions);
    const char *text = json_print_in(turn->arena, wanted);
    const struct prompt_value value = { .name = "questions", .text = text };
    enum err_code r = load_contract(turn, &contract, err);
    if (!r)
        r = turn_contract_prompt(turn, &contract, "config/prompts/questions.txt", &value, 1,
                                 &prompt, err);
    return r ? r : turn_ask(turn, &contract.contract, &prompt, out, err);
}

/* The question is worth more than its wording, whatever the endpoint did or the model could not do;
 * but not when a person has cancelled, or a file of prompts is broken. */
enum err_code question_wording_apply(struct turn *turn, struct err *err)
{
    struct ask_outcome outcome = { 0 };
    struct err why = { 0 };
    bool is_wanted = turn->orchestrator->engine.model && turn->intent->n_questions &&
                     strcmp(turn_settings(turn)->clarification_wording, "model") == 0;
    enum err_code r = is_wanted ? ask(turn, &outcome, &why) : ERR_NONE;
    if (!r) {
        apply(turn->intent, outcome.value);
        return ERR_NONE;
    }
    if (r == ERR_CANCELLED || r == ERR_INVALID || r == ERR_NOT_FOUND) {
        if (err)
            *err = why;
        return r;
    }
    journal_warn(&turn->session->journal, "%s; the questions are asked in mistro's words",
                 why.message);
    return ERR_NONE;
}
