#include "presentation/cli/terminal/terminal_user.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/terminal/line_input.h"
#include "presentation/cli/terminal/terminal_confirmation.h"
#include "presentation/cli/terminal/terminal_form.h"
#include <stdio.h>
#include <string.h>

static struct terminal_user *of(struct user *user)
{
    return (struct terminal_user *)user;
}

static void say(struct terminal_user *u, const char *text)
{
    (void)console_write(u->console, CONSOLE_ERR, text, strlen(text));
}

static bool present(struct user *user)
{
    struct terminal_user *u = of(user);
    return console_is_terminal(u->console, CONSOLE_IN) &&
           console_is_terminal(u->console, CONSOLE_ERR);
}

static const char *shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
}

static void show_arguments(struct terminal_user *u, const json_t *arguments)
{
    auto_str text = json_print_pretty(arguments);
    AUTO(buf) escaped;
    buf_init(&escaped, 1024 * 1024);
    if (text_append_escaped(&escaped, text, strlen(text)))
        say(u, buf_string(&escaped));
    else
        say(u, "(too long to show)");
    say(u, "\n");
}

static void show_request(struct terminal_user *u, const struct approval_request *request)
{
    AUTO(arena) scratch = { 0 };
    auto_str arguments = json_print(request->arguments);
    say(u, arena_printf(&scratch, "%s%s%s wants to run with\n  %s\n", u->style.bold,
                        shown(&scratch, request->tool->full_name, 120), u->style.reset,
                        shown(&scratch, arguments, 400)));
    if (request->reason)
        say(u, arena_printf(&scratch, "  (%s)\n", shown(&scratch, request->reason, 400)));
    if (request->always)
        say(u, arena_printf(&scratch, "  (%s)\n", shown(&scratch, request->always, 400)));
}

/* Ctrl-C and the end of input leave the cursor behind the question. */
static enum err_code read_line(struct terminal_user *u, struct scope *scope, struct arena *arena,
                               const char **out, struct err *err)
{
    enum err_code r = line_input_read(u->console, scope, &u->pending, arena, out, err);
    if (r)
        say(u, "\n");
    return r;
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

static enum err_code approve(struct user *user, struct scope *scope,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    struct terminal_user *u = of(user);
    AUTO(arena) scratch = { 0 };
    event_lines_pause(u->lines, true);
    bool echo = console_set_echo(u->console, true);
    show_request(u, request);
    enum err_code r = ERR_NONE;
    for (const char *line = "";;) {
        say(u, "Allow? [y]es once, this [s]ession, [a]lways, [n]o, [v]iew the arguments: ");
        r = read_line(u, scope, &scratch, &line, err);
        if (r || parse_approval(line, out))
            break;
        if (strcasecmp(line, "v") == 0 || strcasecmp(line, "view") == 0)
            show_arguments(u, request->arguments);
    }
    (void)console_set_echo(u->console, echo);
    event_lines_pause(u->lines, false);
    return r;
}

static enum err_code ask(struct user *user, struct scope *scope, const struct form *form,
                         struct arena *arena, json_t **out_answers, struct err *err)
{
    struct terminal_user *u = of(user);
    event_lines_pause(u->lines, true);
    bool echo = console_set_echo(u->console, true);
    enum err_code r = terminal_form_ask(u, scope, form, arena, out_answers, err);
    if (r == ERR_CANCELLED || r == ERR_UNAVAILABLE)
        say(u, "\n");
    (void)console_set_echo(u->console, echo);
    event_lines_pause(u->lines, false);
    return r;
}

static enum err_code confirm(struct user *user, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    struct terminal_user *u = of(user);
    event_lines_pause(u->lines, true);
    bool echo = console_set_echo(u->console, true);
    enum err_code r = terminal_confirmation_ask(u, scope, confirmation, err);
    if (r == ERR_CANCELLED || r == ERR_UNAVAILABLE)
        say(u, "\n");
    (void)console_set_echo(u->console, echo);
    event_lines_pause(u->lines, false);
    return r;
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
