/* Asks the fields of a form: what is typed becomes a value of the field's kind (parse_answer), and
 * a field is asked again, with the reason, until its value is accepted. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/terminal/line_input.h"
#include "presentation/cli/terminal/terminal_user_internal.h"
#include "presentation/cli/terminal_quote.h"
#include <string.h>

enum { MAX_MESSAGE_LINES = 40 }; /* the rest is cut off, with a mark */

static json_t *parse_choice(const struct form_field *field, const char *word)
{
    int64_t number;
    if (text_to_int64(word, &number) && number >= 1 && (size_t)number <= field->n_choices)
        return json_string(field->choices[number - 1]);
    for (size_t i = 0; i < field->n_choices; i++)
        if (strcasecmp(word, field->choices[i]) == 0 ||
            (field->titles && strcasecmp(word, field->titles[i]) == 0))
            return json_string(field->choices[i]);
    return NULL;
}

static bool holds(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), value))
            return true;
    return false;
}

static json_t *parse_choices(const struct form_field *field, const char *line)
{
    AUTO(arena) scratch = { 0 };
    json_t *list = json_array();
    if (strcasecmp(line, "none") == 0)
        return list;
    for (const char *at = line;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), word = length;
        while (word && at[word - 1] == ' ')
            word--;
        json_t *choice = parse_choice(field, arena_strndup(&scratch, at, word));
        if (!choice) {
            json_decref(list);
            return NULL;
        }
        if (holds(list, choice))
            json_decref(choice);
        else
            json_array_append_new(list, choice);
        at += length;
        if (!*at)
            return list;
    }
}

/* The value that a line means in a field: a number, a word for yes or no, a choice by its number,
 * its value or its title, several of them with commas between. NULL when it means none; owned by
 * the caller. */
static json_t *parse_answer(const struct form_field *field, const char *line)
{
    int64_t whole;
    double number;
    switch (field->kind) {
    case FORM_TEXT:
        return json_string(line);
    case FORM_INTEGER:
    case FORM_NUMBER: /* in which 5 stays 5 and does not become 5.0 */
        if (text_to_int64(line, &whole))
            return json_integer(whole);
        return field->kind == FORM_NUMBER && text_to_double(line, &number) ? json_real(number)
                                                                           : NULL;
    case FORM_BOOLEAN:
        if (strchr("yYtT", line[0]))
            return json_true();
        return strchr("nNfF", line[0]) ? json_false() : NULL;
    case FORM_CHOICE:
        return parse_choice(field, line);
    case FORM_CHOICES:
        return parse_choices(field, line);
    }
    return NULL;
}

/* A choice by its title, anything else as JSON. */
static const char *title_of(struct arena *arena, const struct form_field *field,
                            const json_t *value)
{
    const char *choice = json_string_value(value);
    for (size_t i = 0; choice && i < field->n_choices; i++)
        if (strcmp(field->choices[i], choice) == 0)
            return field->titles ? field->titles[i] : choice;
    return json_print_in(arena, value);
}

static const char *value_text(struct arena *arena, const struct form_field *field,
                              const json_t *value)
{
    const json_t *item;
    const char *text = NULL;
    size_t i;
    if (field->kind != FORM_CHOICES || json_array_size(value) == 0)
        return title_of(arena, field, value);
    json_array_foreach (value, i, item)
        text = arena_printf(arena, "%s%s%s", i ? text : "", i ? ", " : "",
                            title_of(arena, field, item));
    return text;
}

static void show_field(struct terminal_user *u, const struct form_field *field,
                       const json_t *fallback)
{
    AUTO(arena) scratch = { 0 };
    terminal_print(u, "%s%s%s%s\n", u->style.bold, terminal_shown(&scratch, field->label, 300),
                   u->style.reset, field->required || fallback ? "" : " (may be left empty)");
    if (field->note)
        terminal_print(u, "  %s\n", terminal_shown(&scratch, field->note, 400));
    for (size_t i = 0; i < field->n_choices; i++) {
        const char *choice = field->titles ? field->titles[i] : field->choices[i];
        terminal_print(u, "  %zu) %s\n", i + 1, terminal_shown(&scratch, choice, 200));
    }
    if (fallback)
        terminal_print(u, "  [%s] ",
                       terminal_shown(&scratch, value_text(&scratch, field, fallback), 200));
    terminal_print(u, "> ");
}

/* An arrow key in a line that nobody edits, for one. */
static bool has_keys(const char *line)
{
    for (; *line; line++)
        if (((unsigned char)*line < ' ' && *line != '\t') || *line == 0x7F)
            return true;
    return false;
}

/* Why a field is asked again, or NULL. */
static const char *complaint(const struct form *form, size_t i, struct arena *arena,
                             const char *line, const json_t *answer)
{
    static const char *const wanted[] = { [FORM_TEXT] = "a text in UTF-8",
                                          [FORM_INTEGER] = "a whole number",
                                          [FORM_NUMBER] = "a number",
                                          [FORM_BOOLEAN] = "y or n",
                                          [FORM_CHOICE] = "one of the numbers",
                                          [FORM_CHOICES] =
                                              "some of the numbers with commas between, or none" };
    const struct form_field *field = &form->fields[i];
    if (has_keys(line))
        return "that has keys in it that are no text; type it anew";
    if (!answer && !*line)
        return field->required ? "an answer is needed" : NULL;
    if (!answer)
        return arena_printf(arena, "please type %s", wanted[field->kind]);
    return form->check ? form->check(form->context, arena, i, answer) : NULL;
}

static enum err_code ask_field(struct terminal_user *u, struct scope *scope,
                               const struct form *form, size_t i, json_t *answers, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct form_field *field = &form->fields[i];
    for (;;) {
        const char *line = "";
        const json_t *before = json_object_get(answers, field->key);
        const json_t *fallback = before ? before : field->fallback;
        show_field(u, field, fallback);
        enum err_code r = line_input_read(u->console, scope, &u->pending, &scratch, &line, err);
        if (r)
            return r;
        json_t *answer = *line ? parse_answer(field, line) : json_deep_copy(fallback);
        const char *why = complaint(form, i, &scratch, line, answer);
        if (why) {
            json_decref(answer);
            terminal_print(u, "  (%s)\n", terminal_shown(&scratch, why, 300));
            continue;
        }
        if (answer)
            json_object_set_new(answers, field->key, answer);
        return ERR_NONE;
    }
}

static enum err_code ask_fields(struct terminal_user *u, struct scope *scope,
                                const struct form *form, json_t *answers, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < form->n_fields && !r; i++)
        r = ask_field(u, scope, form, i, answers, err);
    return r;
}

static void show_answers(struct terminal_user *u, const struct form *form, const json_t *answers)
{
    AUTO(arena) scratch = { 0 };
    for (size_t i = 0; i < form->n_fields; i++) {
        const json_t *answer = json_object_get(answers, form->fields[i].key);
        if (!answer)
            continue;
        const char *words = value_text(&scratch, &form->fields[i], answer);
        terminal_print(u, "  %s: %s\n", terminal_shown(&scratch, form->fields[i].label, 100),
                       terminal_shown(&scratch, words, 400));
    }
}

static enum err_code ask_for_recipient(struct terminal_user *u, struct scope *scope,
                                       const struct form *form, json_t *answers, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *send = arena_printf(&scratch, "Send this to %s? [y]es, [e]dit, [n]o, [c]ancel: ",
                                    terminal_shown(&scratch, form->recipient, 100));
    enum terminal_choice choice = CHOICE_NO;
    enum err_code r =
        terminal_choose(u, scope, "Answer? [y]es, [n]o, [c]ancel: ", CHOICE_EDIT, &choice, err);
    if (!r && choice != CHOICE_YES)
        return terminal_choice_error(choice, err);
    for (choice = CHOICE_EDIT; !r && choice == CHOICE_EDIT;) {
        r = ask_fields(u, scope, form, answers, err);
        if (r)
            return r;
        show_answers(u, form, answers);
        r = terminal_choose(u, scope, send, N_CHOICES, &choice, err);
    }
    return r || choice == CHOICE_YES ? r : terminal_choice_error(choice, err);
}

enum err_code terminal_form_ask(struct terminal_user *user, struct scope *scope,
                                const struct form *form, struct arena *arena, json_t **out_answers,
                                struct err *err)
{
    json_t *answers = arena_keep_json(arena, json_object());
    enum err_code r;
    if (form->title)
        terminal_print(user, "%s\n", terminal_shown(arena, form->title, 500));
    if (form->message)
        terminal_quote(user->console, form->message, MAX_MESSAGE_LINES);
    if (form->recipient)
        r = terminal_question_end(scope, ask_for_recipient(user, scope, form, answers, err), err);
    else
        r = ask_fields(user, scope, form, answers, err);
    if (!r)
        *out_answers = answers;
    return r;
}
