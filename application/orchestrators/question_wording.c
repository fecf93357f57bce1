#include "application/orchestrators/question_wording.h"
#include "application/orchestrators/turn_contract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static json_t *keys_of(const struct intent *intent)
{
    json_t *keys = json_array();
    for (size_t i = 0; i < intent->n_questions; i++)
        json_array_append_new(keys, json_string(intent->questions[i].key));
    return keys;
}

/* As many questions as are asked, under their keys. */
static void complete(json_t *schema, const struct intent *intent)
{
    json_t *questions = json_object_get(json_object_get(schema, "properties"), "questions");
    json_t *item = json_object_get(json_object_get(questions, "items"), "properties");
    json_t *key = json_object_get(item, "key");
    json_object_set_new(questions, "minItems", json_integer((json_int_t)intent->n_questions));
    json_object_set_new(questions, "maxItems", json_integer((json_int_t)intent->n_questions));
    if (json_is_object(key))
        json_object_set_new(key, "enum", keys_of(intent));
}

static const char *wording_of(const json_t *value, const char *key)
{
    const json_t *questions = json_object_get(value, "questions");
    for (size_t i = 0; i < json_array_size(questions); i++) {
        const json_t *question = json_array_get(questions, i);
        const char *text = json_get_string(question, "text");
        if (text_equal(json_get_string(question, "key"), key))
            return text && text[strspn(text, " \t\r\n")] ? text : NULL;
    }
    return NULL;
}

/* The schema holds their number and that each key is one of them: all are there when none lacks. */
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

static enum err_code ask(struct turn *turn, struct scope *scope, struct ask_outcome *out,
                         struct err *err)
{
    struct turn_contract contract;
    struct ask_prompt prompt = { 0 };
    json_auto_t *wanted = questions_to_json(turn->intent->questions, turn->intent->n_questions);
    const struct prompt_value value = { .name = "questions",
                                        .text = json_print_in(turn->arena, wanted) };
    enum err_code r = turn_contract_load(turn, "questions", &contract, err);
    if (r)
        return r;
    complete(contract.schema, turn->intent);
    contract.contract.cross_check = cross_check;
    contract.contract.last_rung = templates;
    contract.contract.context = turn;
    r = turn_contract_prompt(turn, &contract, "config/prompts/questions.txt", &value, 1, &prompt,
                             err);
    return r ? r : turn_ask(turn, scope, &contract.contract, &prompt, out, err);
}

static bool is_wanted(const struct turn *turn)
{
    return turn->orchestrator->model && turn->intent->n_questions &&
           strcmp(turn_settings(turn)->clarification_wording, "model") == 0;
}

enum err_code question_wording_apply(struct turn *turn, struct scope *scope, struct err *err)
{
    struct ask_outcome outcome = { 0 };
    struct err why = { 0 };
    enum err_code r = is_wanted(turn) ? ask(turn, scope, &outcome, &why) : ERR_NONE;
    if (!r)
        apply(turn->intent, outcome.value);
    if (r == ERR_UNAVAILABLE || r == ERR_TIMEOUT) {
        journal_warn(turn->orchestrator->journal, "%s; the questions are asked in mistro's words",
                     why.message);
        return ERR_NONE;
    }
    if (r && err)
        *err = why;
    return r;
}
