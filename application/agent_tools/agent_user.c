/* Forms become the schemas of elicitation, and a form that comes back wrong is asked for again,
 * with what is wrong. Confirmations and approvals are forms of one choice. */
#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

static struct agent_user *of(struct user *user)
{
    return (struct agent_user *)user;
}

static bool is_present(struct user *user)
{
    const struct answerer *answerer = of(user)->answerer;
    return answerer && answerer->on_question;
}

static enum err_code no_one(struct err *err)
{
    return err_set(err, ERR_DENIED, 0, "there is no one to answer");
}

/* One choice is text of a list, several are an array of those. */
static json_t *choices_schema(const struct form_field *field)
{
    json_t *list = json_array();
    for (size_t i = 0; i < field->n_choices; i++) {
        const char *title = field->titles ? field->titles[i] : field->choices[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s}", "const", field->choices[i], "title", title));
    }
    if (field->kind == FORM_CHOICE)
        return json_pack("{s:s, s:o}", "type", "string", "oneOf", list);
    return json_pack("{s:s, s:{s:o}}", "type", "array", "items", "anyOf", list);
}

static json_t *field_schema(const struct form_field *field)
{
    static const char *const types[] = { "string", "integer", "number", "boolean" };
    bool is_choice = field->kind == FORM_CHOICE || field->kind == FORM_CHOICES;
    json_t *schema =
        is_choice ? choices_schema(field) : json_pack("{s:s}", "type", types[field->kind]);
    json_object_set_new(schema, "title", json_string(field->label));
    if (field->note)
        json_object_set_new(schema, "description", json_string(field->note));
    if (field->fallback)
        json_object_set_new(schema, "default", json_share(field->fallback));
    return schema;
}

static json_t *form_schema(const struct form *form)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < form->n_fields; i++) {
        const struct form_field *field = &form->fields[i];
        json_object_set_new(properties, field->key, field_schema(field));
        if (field->required)
            json_array_append_new(required, json_string(field->key));
    }
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    if (json_array_size(required))
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}

/* Who asks, what they say, and who gets the answers: on a terminal these are set apart, here they
 * are lines of one text. */
static const char *form_message(struct arena *arena, const struct form *form, const char *wrong)
{
    const char *text = form->title ? form->title : "mistro asks";
    if (form->message)
        text = arena_printf(arena, "%s:\n\n%s", text, form->message);
    if (form->recipient)
        text = arena_printf(arena, "%s\n\nThe answers go to the server \"%s\".", text,
                            form->recipient);
    return wrong ? arena_printf(arena, "%s\n\n%s", text, wrong) : text;
}

/* What is wrong with the answers, or NULL. */
static const char *find_fault(struct arena *arena, const struct form *form, const json_t *answers)
{
    for (size_t i = 0; i < form->n_fields; i++) {
        const struct form_field *field = &form->fields[i];
        const json_t *answer = json_object_get(answers, field->key);
        const char *fault = answer && form->check ? form->check(form->context, arena, i, answer)
                            : !answer && field->required ? "an answer is missing"
                                                         : NULL;
        if (fault)
            return arena_printf(arena, "%s: %s", field->label, fault);
    }
    return NULL;
}

/* Fields of the form and nothing else; what was left untouched has its default. */
static json_t *known_answers(struct arena *arena, const struct form *form, const json_t *content)
{
    json_t *answers = arena_keep_json(arena, json_object());
    for (size_t i = 0; i < form->n_fields; i++) {
        const struct form_field *field = &form->fields[i];
        const json_t *answer = json_object_get(content, field->key);
        if (!answer || json_is_null(answer))
            answer = field->fallback;
        if (answer)
            json_object_set_new(answers, field->key, json_share(answer));
    }
    return answers;
}

/* ERR_NONE: accepted. */
awaits MUST_CHECK static enum err_code put_question(struct agent_user *user, struct scope *scope,
                                                    const struct elicitation *question,
                                                    struct arena *arena, json_t **out_content,
                                                    struct err *err)
{
    struct elicitation_answer answer = { 0 };
    const struct answerer *answerer = user->answerer;
    enum err_code r =
        answerer->on_question(answerer->context, scope, question, arena, &answer, err);
    if (r)
        return r == ERR_INVALID ? err_prefix(err, ERR_UNAVAILABLE, "the host cannot ask") : r;
    if (answer.action == ELICITATION_DECLINE)
        return err_set(err, ERR_DENIED, 0, "the person declined");
    if (answer.action == ELICITATION_CANCEL)
        return err_set(err, ERR_UNAVAILABLE, 0, "the person left the question");
    *out_content = answer.content;
    return ERR_NONE;
}

static enum err_code ask(struct user *port, struct scope *scope, const struct form *form,
                         struct arena *arena, json_t **out_answers, struct err *err)
{
    struct agent_user *user = of(port);
    if (!is_present(port))
        return no_one(err);
    json_t *schema = arena_keep_json(arena, form_schema(form));
    const char *wrong = NULL;
    for (unsigned i = 0; i < AGENT_USER_MAX_TRIES; i++) {
        json_t *content = NULL;
        const struct elicitation question = { .message = form_message(arena, form, wrong),
                                              .schema = schema };
        enum err_code r = put_question(user, scope, &question, arena, &content, err);
        /* A person who leaves a form of mistro's own has said no to it. */
        if (r == ERR_UNAVAILABLE && !form->recipient)
            return err_prefix(err, ERR_DENIED, "not answered");
        if (r)
            return r;
        json_t *answers = known_answers(arena, form, content);
        wrong = find_fault(arena, form, answers);
        if (!wrong) {
            *out_answers = answers;
            return ERR_NONE;
        }
    }
    return err_set(err, form->recipient ? ERR_UNAVAILABLE : ERR_DENIED, 0,
                   "the answers of the host do not fit: %s", wrong);
}

static const char *confirmation_message(struct arena *arena, const struct confirmation *c)
{
    const char *text = c->title ? c->title : "mistro asks";
    if (c->message)
        text = arena_printf(arena, "%s:\n\n%s", text, c->message);
    if (c->url)
        text = arena_printf(arena, "%s\n\n%s", text, c->url);
    for (size_t i = 0; i < c->n_warnings; i++)
        text = arena_printf(arena, "%s\n%s", text, c->warnings[i]);
    return text;
}

static enum err_code confirm(struct user *port, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    static const char *const choices[] = { "yes", "no" };
    AUTO(arena) arena = { 0 };
    if (!is_present(port))
        return no_one(err);
    const struct form_field field = { .key = "answer",
                                      .label = confirmation->question,
                                      .kind = FORM_CHOICE,
                                      .choices = choices,
                                      .n_choices = ARRAY_LENGTH(choices),
                                      .required = true };
    const struct form form = { .fields = &field, .n_fields = 1 };
    const struct elicitation question = {
        .message = confirmation_message(&arena, confirmation),
        .schema = arena_keep_json(&arena, form_schema(&form)),
    };
    json_t *content = NULL;
    enum err_code r = put_question(of(port), scope, &question, &arena, &content, err);
    if (r)
        return r;
    bool is_yes = text_equal(json_get_string(content, "answer"), "yes");
    return is_yes ? ERR_NONE : err_set(err, ERR_DENIED, 0, "the person said no");
}

static const char *shown_arguments(struct arena *arena, const json_t *arguments)
{
    const char *text = arguments ? json_print_in(arena, arguments) : "{}";
    size_t length = strlen(text);
    if (length <= AGENT_USER_MAX_VALUE_BYTES)
        return text;
    int shown = (int)text_cut(text, length, AGENT_USER_MAX_VALUE_BYTES);
    return arena_printf(arena, "%.*s… (%zu bytes in all)", shown, text, length);
}

static enum err_code approve(struct user *port, struct scope *scope,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    static const char *const choices[] = { "no", "once", "session", "always" };
    static const char *const titles[] = { "No", "Yes, this once", "Yes, for all of this request",
                                          "Yes, always" };
    AUTO(arena) arena = { 0 };
    if (!is_present(port))
        return no_one(err);
    const struct form_field field = { .key = "approve",
                                      .label = "Call it?",
                                      .kind = FORM_CHOICE,
                                      .choices = choices,
                                      .titles = titles,
                                      .n_choices = ARRAY_LENGTH(choices),
                                      .required = true };
    const struct form form = {
        .title =
            arena_printf(&arena, "mistro wants to call %s %s (%s%s%s)", request->tool->full_name,
                         shown_arguments(&arena, request->arguments), request->reason,
                         request->always ? "; " : "", request->always ? request->always : ""),
        .fields = &field,
        .n_fields = 1,
    };
    json_t *answers = NULL;
    enum err_code r = ask(port, scope, &form, &arena, &answers, err);
    if (r == ERR_DENIED) {
        *out = APPROVAL_NO;
        return ERR_NONE;
    }
    if (r)
        return r;
    *out = APPROVAL_NO;
    for (size_t i = 0; i < ARRAY_LENGTH(choices); i++)
        if (text_equal(json_get_string(answers, "approve"), choices[i]))
            *out = (enum approval_answer)i;
    return ERR_NONE;
}

void agent_user_init(struct agent_user *user, const struct answerer *answerer)
{
    static const struct user_ops ops = { is_present, ask, confirm, approve };
    *user = (struct agent_user){ .base = { &ops }, .answerer = answerer };
}
