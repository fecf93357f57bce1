#include "presentation/cli/terminal/terminal_words.h"
#include "presentation/cli/terminal/line_input.h"
#include <ctype.h>
#include <string.h>

static const char *const words[N_WORDS] = { "yes", "no", "cancel", "edit" };

enum err_code terminal_words_ask(struct terminal_user *user, struct scope *scope,
                                 const char *question, enum terminal_word n,
                                 enum terminal_word *out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    for (;;) {
        const char *line = "";
        (void)console_write(user->console, CONSOLE_ERR, question, strlen(question));
        enum err_code r =
            line_input_read(user->console, scope, &user->pending, &scratch, &line, err);
        if (r)
            return r;
        for (enum terminal_word i = 0; i < n; i++)
            if (strcasecmp(line, words[i]) == 0 ||
                (tolower((unsigned char)line[0]) == words[i][0] && !line[1])) {
                *out = i;
                return ERR_NONE;
            }
    }
}

enum err_code terminal_words_left(enum terminal_word word, struct err *err)
{
    if (word == WORD_NO)
        return err_set(err, ERR_DENIED, 0, "the question was declined");
    return err_set(err, ERR_UNAVAILABLE, 0, "the question was left unanswered");
}

enum err_code terminal_words_end(const struct scope *scope, enum err_code r, struct err *err)
{
    bool is_over = scope_check(scope, INT64_MIN, NULL) != ERR_NONE;
    return r == ERR_CANCELLED && !is_over ? terminal_words_left(WORD_CANCEL, err) : r;
}
