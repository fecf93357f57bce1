#include "presentation/cli/terminal/terminal_form.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/terminal/line_input.h"
#include "presentation/cli/terminal/terminal_answer.h"
#include "presentation/cli/terminal/terminal_words.h"
#include "presentation/cli/terminal_quote.h"
#include <string.h>

static void say(struct terminal_user *u, const char *text)
{
    (void)console_write(u->console, CONSOLE_ERR, text, strlen(text));
}

static const char *shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
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

static const char *worded(struct arena *arena, const struct form_field *field, const json_t *value)
{
    const json_t *item;
    const char *words = NULL;
    size_t i;
    if (field->kind != FORM_CHOICES || json_array_size(value) == 0)
        return title_of(arena, field, value);
    json_array_foreach (value, i, item)
        words = arena_printf(arena, "%s%s%s", i ? words : "", i ? ", " : "",
                             title_of(arena, field, item));
    return words;
}

static void show_field(struct terminal_user *u, const struct form_field *field,
                       const json_t *fallback)
{
    AUTO(arena) scratch = { 0 };
    say(u, arena_printf(&scratch, "%s%s%s%s\n", u->style.bold, shown(&scratch, field->label, 300),
                        u->style.reset, field->required || fallback ? "" : " (may be left empty)"));
    if (field->note)
        say(u, arena_printf(&scratch, "  %s\n", shown(&scratch, field->note, 400)));
    for (size_t i = 0; i < field->n_choices; i++) {
        const char *choice = field->titles ? field->titles[i] : field->choices[i];
        say(u, arena_printf(&scratch, "  %zu) %s\n", i + 1, shown(&scratch, choice, 200)));
    }
    if (fallback)
        say(u, arena_printf(&scratch, "  [%s] ",
                            shown(&scratch, worded(&scratch, field, fallback), 200)));
    say(u, "> ");
}

/* What was typed, or what stands for nothing typed; NULL when that is nothing. */
static json_t *value_of(const struct form_field *field, const json_t *fallback, const char *line)
{
    if (*line)
        return terminal_answer_parse(field, line);
    return fallback ? json_deep_copy(fallback) : NULL;
}

/* Why a field is asked again; NULL: it need not be. */
static const char *complaint(const struct form *form, size_t i, struct arena *arena,
                             const char *line, const json_t *answer)
{
    const struct form_field *field = &form->fields[i];
    if (!answer && !*line)
        return field->required ? "an answer is needed" : NULL;
    if (!answer)
        return arena_printf(arena, "please type %s", terminal_answer_wanted(field->kind));
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
        json_t *answer = value_of(field, fallback, line);
        const char *why = complaint(form, i, &scratch, line, answer);
        if (why) {
            json_decref(answer);
            say(u, arena_printf(&scratch, "  (%s)\n", shown(&scratch, why, 300)));
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
        const char *words = worded(&scratch, &form->fields[i], answer);
        say(u, arena_printf(&scratch, "  %s: %s\n", shown(&scratch, form->fields[i].label, 100),
                            shown(&scratch, words, 400)));
    }
}

static enum err_code ask_for_recipient(struct terminal_user *u, struct scope *scope,
                                       const struct form *form, json_t *answers, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *send = arena_printf(&scratch, "Send this to %s? [y]es, [e]dit, [n]o, [c]ancel: ",
                                    shown(&scratch, form->recipient, 100));
    enum terminal_word word = WORD_NO;
    enum err_code r =
        terminal_words_ask(u, scope, "Answer? [y]es, [n]o, [c]ancel: ", WORD_EDIT, &word, err);
    if (!r && word != WORD_YES)
        return terminal_words_left(word, err);
    for (word = WORD_EDIT; !r && word == WORD_EDIT;) {
        r = ask_fields(u, scope, form, answers, err);
        if (r)
            return r;
        show_answers(u, form, answers);
        r = terminal_words_ask(u, scope, send, N_WORDS, &word, err);
    }
    return r || word == WORD_YES ? r : terminal_words_left(word, err);
}

enum err_code terminal_form_ask(struct terminal_user *user, struct scope *scope,
                                const struct form *form, struct arena *arena, json_t **out_answers,
                                struct err *err)
{
    json_t *answers = arena_keep_json(arena, json_object());
    enum err_code r;
    if (form->title) {
        say(user, shown(arena, form->title, 500));
        say(user, "\n");
    }
    if (form->message)
        terminal_quote(user->console, form->message, TERMINAL_FORM_MAX_LINES);
    if (form->recipient)
        r = terminal_words_end(scope, ask_for_recipient(user, scope, form, answers, err), err);
    else
        r = ask_fields(user, scope, form, answers, err);
    if (!r)
        *out_answers = answers;
    return r;
}
