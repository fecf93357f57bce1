#include "application/structured/reminder.h"
#include "application/structured/defuse.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

/* The reply is quoted back as data: cut at a character, control tokens defused. */
static bool add_quote(struct buf *text, struct arena *arena, const char *reply)
{
    size_t length = strlen(reply), kept = text_cut(reply, length, REMINDER_MAX_QUOTE_BYTES);
    const char *quoted = defuse_text(arena, arena_strndup(arena, reply, kept));
    return buf_printf(text, "\n\nYour last answer was:\n<answer>\n%s%s\n</answer>\n", quoted,
                      kept < length ? " [...]" : "");
}

static const char *instruction(struct problems *problems, const struct problem *problem)
{
    const char *fix = problem->fix;
    if (!fix)
        return arena_printf(problems->arena, "- Correct this: %s.\n",
                            problem_print(problems, problem));
    return arena_printf(problems->arena, "- %c%s%s%s.\n", toupper((unsigned char)fix[0]), fix + 1,
                        problem->path && problem->path[0] ? ", at " : "",
                        problem->path ? problem->path : "");
}

/* Problems quote what the model wrote and what a tool's schema says. */
static bool add_instruction(struct buf *text, struct problems *problems,
                            const struct problem *problem)
{
    return buf_puts(text, defuse_text(problems->arena, instruction(problems, problem)));
}

static bool add_instructions(struct buf *text, struct problems *problems)
{
    bool ok = buf_puts(text, "It cannot be used. Answer again, with one complete JSON object and "
                             "nothing else. This time:\n");
    for (size_t i = 0; i < problems->n && i < REMINDER_MAX_INSTRUCTIONS; i++)
        ok = ok && add_instruction(text, problems, &problems->list[i]);
    return ok;
}

const char *reminder_text(struct arena *arena, const struct contract *contract, const char *user,
                          const char *reply, struct problems *problems)
{
    AUTO(buf) text = { 0 };
    buf_init(&text, REMINDER_MAX_BYTES);
    bool ok = buf_puts(&text, user) && add_quote(&text, arena, reply) &&
              add_instructions(&text, problems);
    if (contract->good)
        ok = ok && buf_printf(&text, "A good answer has this form: %s\n", contract->good);
    return ok ? arena_strdup(arena, buf_string(&text)) : user;
}
