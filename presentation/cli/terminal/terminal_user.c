/* The port (present, ask, confirm, approve) is at the end. While a question stands on the terminal,
 * the lines of events wait and what is typed is echoed (question_begin, question_end). Approvals
 * and confirmations are asked here, forms in terminal_form.c. */
#include "presentation/cli/terminal/terminal_user.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/terminal/key_filter.h"
#include "presentation/cli/terminal/line_editor.h"
#include "presentation/cli/terminal/line_input.h"
#include "presentation/cli/terminal/terminal_user_internal.h"
#include "presentation/cli/terminal_quote.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_MAX_COLUMNS = 4 }; /* that one byte takes when it is escaped, as \x1b */

void terminal_print(struct terminal_user *u, const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        abort();
    (void)console_write(u->console, CONSOLE_ERR, text, (size_t)length);
    free(text);
}

const char *terminal_shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
}

/* The key of a read that brought nothing else, but for the line end of those who type one; else
 * NUL. Several keys at once are a paste without marks, or were not meant for the question. */
static char only_key(struct key_filter *filter, const char *bytes, size_t n)
{
    bool is_plain = true;
    for (size_t i = 0; i < n; i++)
        is_plain = key_filter_takes(filter, bytes[i]) && is_plain;
    bool is_one = n == 1 || (n == 2 && (bytes[1] == '\r' || bytes[1] == '\n'));
    return is_plain && is_one ? (char)tolower((unsigned char)bytes[0]) : '\0';
}

enum err_code terminal_key(struct terminal_user *user, struct scope *scope, const char *question,
                           const char *keys, char *out, struct err *err)
{
    enum { END_OF_INPUT = 4 }; /* Ctrl-D */
    enum err_code r;
    struct key_filter filter = { 0 };
    char bytes[4096], key = '\0';
    size_t n = 0;
    bool marks = user->style.moves_cursor;
    terminal_print(user, "%s%s", question, marks ? LINE_EDITOR_PASTE_ON : "");
    console_set_keys(user->console, true);
    do {
        r = console_read(user->console, scope, bytes, sizeof bytes, &n, err);
        key = r ? '\0' : only_key(&filter, bytes, n);
        if (!r && (!n || key == END_OF_INPUT))
            r = err_set(err, ERR_CANCELLED, 0, "end of input");
    } while (!r && (!key || !strchr(keys, key)));
    console_set_keys(user->console, false);
    terminal_print(user, "%s", marks ? LINE_EDITOR_PASTE_OFF : "");
    if (!r)
        terminal_print(user, "%c\n", key);
    *out = key;
    return r;
}

enum err_code terminal_choose(struct terminal_user *user, struct scope *scope, const char *question,
                              enum terminal_choice n, enum terminal_choice *out, struct err *err)
{
    static const char keys[N_CHOICES + 1] = "ynce";
    char key;
    char offered[N_CHOICES + 1] = { 0 };
    memcpy(offered, keys, n);
    enum err_code r = terminal_key(user, scope, question, offered, &key, err);
    if (!r)
        *out = (enum terminal_choice)(strchr(keys, key) - keys);
    return r;
}

enum err_code terminal_choice_error(enum terminal_choice choice, struct err *err)
{
    if (choice == CHOICE_NO)
        return err_set(err, ERR_DENIED, 0, "the question was declined");
    return err_set(err, ERR_UNAVAILABLE, 0, "the question was left unanswered");
}

enum err_code terminal_question_end(const struct scope *scope, enum err_code r, struct err *err)
{
    bool is_over = scope_check(scope, INT64_MIN, NULL) != ERR_NONE;
    return r == ERR_CANCELLED && !is_over ? terminal_choice_error(CHOICE_CANCEL, err) : r;
}

static const char *escaped(struct arena *arena, const char *text, size_t length)
{
    return text_one_line(arena, text, length, ESCAPE_MAX_COLUMNS * length + 1);
}

static void show_url(struct terminal_user *u, const struct confirmation *c)
{
    AUTO(arena) scratch = { 0 };
    const char *host = c->url + c->host_at, *after = host + c->host_length;
    terminal_print(u, "  %s%s%s%s%s\n", escaped(&scratch, c->url, c->host_at), u->style.bold,
                   escaped(&scratch, host, c->host_length), u->style.reset,
                   escaped(&scratch, after, strlen(after)));
    if (c->host_length)
        terminal_print(u, "  (the page is at %s%s%s)\n", u->style.bold,
                       escaped(&scratch, host, c->host_length), u->style.reset);
}

/* What others wrote is shown in full, escaped and behind a bar on every line, so that it cannot
 * pass for our words; of a URL the host stands out. */
static enum err_code ask_to_confirm(struct terminal_user *user, struct scope *scope,
                                    const struct confirmation *c, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    enum terminal_choice choice = CHOICE_NO;
    if (c->title)
        terminal_print(user, "%s\n", terminal_shown(&scratch, c->title, 500));
    if (c->message)
        terminal_quote(user->console, c->message, SIZE_MAX);
    if (c->url)
        show_url(user, c);
    for (size_t i = 0; i < c->n_warnings; i++)
        terminal_print(user, "  %s%s%s\n", user->style.yellow,
                       terminal_shown(&scratch, c->warnings[i], 300), user->style.reset);
    const char *question = arena_printf(&scratch, "%s [y]es, [n]o, [c]ancel: ",
                                        escaped(&scratch, c->question, strlen(c->question)));
    enum err_code r = terminal_question_end(
        scope, terminal_choose(user, scope, question, CHOICE_EDIT, &choice, err), err);
    return r || choice == CHOICE_YES ? r : terminal_choice_error(choice, err);
}

static bool present(struct user *user)
{
    struct terminal_user *u = (struct terminal_user *)user;
    return console_is_terminal(u->console, CONSOLE_IN) &&
           console_is_terminal(u->console, CONSOLE_ERR);
}

enum { SHOWN_ARGUMENTS = 400 }; /* columns */

/* All of them, text as it is; foreign text is behind a bar. */
static void show_arguments(struct terminal_user *u, const json_t *arguments)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)arguments, name, value) {
        AUTO(arena) scratch = { 0 };
        auto_str json = json_print_pretty(value);
        terminal_print(u, "  %s:\n", terminal_shown(&scratch, name, 200));
        terminal_quote(u->console, json_is_string(value) ? json_string_value(value) : json,
                       SIZE_MAX);
    }
}

/* Returns whether all of the arguments is shown as it is: not cut, and no text of several lines. */
static bool show_request(struct terminal_user *u, const struct approval_request *request)
{
    AUTO(arena) scratch = { 0 };
    auto_str arguments = json_print(request->arguments);
    terminal_print(u, "%s%s%s wants to run with\n  %s\n", u->style.bold,
                   terminal_shown(&scratch, request->tool->full_name, 120), u->style.reset,
                   terminal_shown(&scratch, arguments, SHOWN_ARGUMENTS));
    if (request->reason)
        terminal_print(u, "  (%s)\n", terminal_shown(&scratch, request->reason, 400));
    if (request->always)
        terminal_print(u, "  (%s)\n", terminal_shown(&scratch, request->always, 400));
    return text_columns(arguments) <= SHOWN_ARGUMENTS && !strstr(arguments, "\\n");
}

/* What was typed before nobody has seen the question of. Returns whether typing was echoed before.
 */
static bool question_begin(struct terminal_user *u)
{
    event_lines_pause(u->lines, true);
    console_drop_typed(u->console);
    bool echo = console_set_echo(u->console, true);
    if (!echo) /* a line editor waits for its turn */
        terminal_print(u, LINE_EDITOR_PASTE_OFF);
    return echo;
}

/* Ctrl-C, the end of input and --timeout leave the cursor behind the question. */
static enum err_code question_end(struct terminal_user *u, bool echo, enum err_code r)
{
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT || r == ERR_UNAVAILABLE)
        terminal_print(u, "\n");
    (void)console_set_echo(u->console, echo);
    if (!echo)
        terminal_print(u, LINE_EDITOR_PASTE_ON);
    event_lines_pause(u->lines, false);
    return r;
}

static enum err_code ask(struct user *user, struct scope *scope, const struct form *form,
                         struct arena *arena, json_t **out_answers, struct err *err)
{
    struct terminal_user *u = (struct terminal_user *)user;
    bool echo = question_begin(u);
    return question_end(u, echo, terminal_form_ask(u, scope, form, arena, out_answers, err));
}

static enum err_code confirm(struct user *user, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    struct terminal_user *u = (struct terminal_user *)user;
    bool echo = question_begin(u);
    return question_end(u, echo, ask_to_confirm(u, scope, confirmation, err));
}

static enum err_code approve(struct user *user, struct scope *scope,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    static const char keys[] = "nysav"; /* as enum approval_answer, then [v]iew */
    struct terminal_user *u = (struct terminal_user *)user;
    char key;
    bool echo = question_begin(u);
    bool shows_all = show_request(u, request);
    enum err_code r;
    do {
        const char *offered = shows_all ? "nysa" : keys;
        r = terminal_key(u, scope,
                         shows_all ? "Allow? [y]es once, this [s]ession, [a]lways, [n]o: "
                                   : "Allow? [y]es once, this [s]ession, [a]lways, [n]o, "
                                     "[v]iew all of it: ",
                         offered, &key, err);
        if (!r && key == 'v')
            show_arguments(u, request->arguments);
    } while (!r && key == 'v');
    if (!r)
        *out = (enum approval_answer)(strchr(keys, key) - keys);
    return question_end(u, echo, r);
}

void terminal_user_init(struct terminal_user *user, struct console *console, struct style style)
{
    static const struct user_ops ops = { present, ask, confirm, approve };
    *user = (struct terminal_user){ .base = { &ops }, .console = console, .style = style };
    buf_init(&user->pending, LINE_INPUT_MAX_BYTES);
}

void terminal_user_finish(struct terminal_user *user)
{
    buf_finish(&user->pending);
}
