#include "presentation/cli/terminal/terminal_confirmation.h"
#include "domain/base/text.h"
#include "presentation/cli/terminal/terminal_words.h"
#include "presentation/cli/terminal_quote.h"
#include <string.h>

/* Of one byte: \x1b; of three: \u202e. */
#define ESCAPE_MAX_COLUMNS 4

static void say(struct terminal_user *u, const char *text)
{
    (void)console_write(u->console, CONSOLE_ERR, text, strlen(text));
}

static const char *escaped(struct arena *arena, const char *text, size_t length)
{
    return text_one_line(arena, text, length, ESCAPE_MAX_COLUMNS * length + 1);
}

static void show_url(struct terminal_user *u, const struct confirmation *c)
{
    AUTO(arena) scratch = { 0 };
    const char *host = c->url + c->host_at, *after = host + c->host_length;
    say(u, arena_printf(&scratch, "  %s%s%s%s%s\n", escaped(&scratch, c->url, c->host_at),
                        u->style.bold, escaped(&scratch, host, c->host_length), u->style.reset,
                        escaped(&scratch, after, strlen(after))));
    if (c->host_length)
        say(u, arena_printf(&scratch, "  (the page is at %s%s%s)\n", u->style.bold,
                            escaped(&scratch, host, c->host_length), u->style.reset));
}

enum err_code terminal_confirmation_ask(struct terminal_user *user, struct scope *scope,
                                        const struct confirmation *c, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    enum terminal_word word = WORD_NO;
    if (c->title)
        say(user, arena_printf(&scratch, "%s\n",
                               text_one_line(&scratch, c->title, strlen(c->title), 500)));
    if (c->message)
        terminal_quote(user->console, c->message, SIZE_MAX);
    if (c->url)
        show_url(user, c);
    for (size_t i = 0; i < c->n_warnings; i++)
        say(user, arena_printf(&scratch, "  %s%s%s\n", user->style.yellow,
                               text_one_line(&scratch, c->warnings[i], strlen(c->warnings[i]), 300),
                               user->style.reset));
    const char *question = arena_printf(&scratch, "%s [y]es, [n]o, [c]ancel: ",
                                        escaped(&scratch, c->question, strlen(c->question)));
    enum err_code r = terminal_words_end(
        scope, terminal_words_ask(user, scope, question, WORD_EDIT, &word, err), err);
    return r || word == WORD_YES ? r : terminal_words_left(word, err);
}
