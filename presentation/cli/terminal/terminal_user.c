/* The port (present, ask, confirm, approve) is at the end. While a question stands on the terminal,
 * the lines of events wait and what is typed is echoed (question_begin, question_end). Approvals
 * and confirmations are asked here, forms in terminal_form.c. */
#include "presentation/cli/terminal/terminal_user.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
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

static const char *const choices[N_CHOICES] = { "yes", "no", "cancel", "edit" };

enum err_code terminal_choose(struct terminal_user *user, struct scope *scope, const char *question,
                              enum terminal_choice n, enum terminal_choice *out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    for (;;) {
        const char *line = "";
        terminal_print(user, "%s", question);
        enum err_code r =
            line_input_read(user->console, scope, &user->pending, &scratch, &line, err);
        if (r)
            return r;
        for (enum terminal_choice i = 0; i < n; i++)
            if (strcasecmp(line, choices[i]) == 0 ||
                (tolower((unsigned char)line[0]) == choices[i][0] && !line[1])) {
                *out = i;
                return ERR_NONE;
            }
    }
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

static void show_arguments(struct terminal_user *u, const json_t *arguments)
{
    auto_str text = json_print_pretty(arguments);
    AUTO(buf) escaped;
    buf_init(&escaped, 1024 * 1024);
    if (text_append_escaped(&escaped, text, strlen(text)))
        terminal_print(u, "%s", buf_string(&escaped));
    else
        terminal_print(u, "(too long to show)");
    terminal_print(u, "\n");
}

static void show_request(struct terminal_user *u, const struct approval_request *request)
{
    AUTO(arena) scratch = { 0 };
    auto_str arguments = json_print(request->arguments);
    terminal_print(u, "%s%s%s wants to run with\n  %s\n", u->style.bold,
                   terminal_shown(&scratch, request->tool->full_name, 120), u->style.reset,
                   terminal_shown(&scratch, arguments, 400));
    if (request->reason)
        terminal_print(u, "  (%s)\n", terminal_shown(&scratch, request->reason, 400));
    if (request->always)
        terminal_print(u, "  (%s)\n", terminal_shown(&scratch, request->always, 400));
}

static bool parse_approval(const char *line, enum approval_answer *out)
{
    static const struct {
        const char *word;
        enum approval_answer answer;
    } words[] = { { "y", APPROVAL_ONCE },    { "yes", APPROVAL_ONCE },
                  { "s", APPROVAL_SESSION }, { "session", APPROVAL_SESSION },
                  { "a", APPROVAL_ALWAYS },  { "always", APPROVAL_ALWAYS },
                  { "n", APPROVAL_NO },      { "no", APPROVAL_NO } };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcasecmp(line, words[i].word) == 0) {
            *out = words[i].answer;
            return true;
        }
    return false;
}

/* What was typed before nobody has seen the question of. Returns whether typing was echoed before.
 */
static bool question_begin(struct terminal_user *u)
{
    event_lines_pause(u->lines, true);
    console_drop_typed(u->console);
    return console_set_echo(u->console, true);
}

/* Ctrl-C, the end of input and --timeout leave the cursor behind the question. */
static enum err_code question_end(struct terminal_user *u, bool echo, enum err_code r)
{
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT || r == ERR_UNAVAILABLE)
        terminal_print(u, "\n");
    (void)console_set_echo(u->console, echo);
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
    struct terminal_user *u = (struct terminal_user *)user;
    AUTO(arena) scratch = { 0 };
    bool echo = question_begin(u);
    show_request(u, request);
    for (const char *line = "";;) {
        terminal_print(u, "Allow? [y]es once, this [s]ession, [a]lways, [n]o, "
                          "[v]iew the arguments: ");
        enum err_code r = line_input_read(u->console, scope, &u->pending, &scratch, &line, err);
        if (r || parse_approval(line, out))
            return question_end(u, echo, r);
        if (strcasecmp(line, "v") == 0 || strcasecmp(line, "view") == 0)
            show_arguments(u, request->arguments);
    }
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
