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

/* {example} in the contract's own sentence. */
static bool add_own_sentence(struct buf *text, const struct contract *contract)
{
    const char *sentence = contract->reminder, *gap = strstr(sentence, "{example}");
    if (!gap)
        return buf_printf(text, "%s\n", sentence);
    return buf_append(text, sentence, (size_t)(gap - sentence)) &&
           buf_printf(text, "%s%s\n", contract->good ? contract->good : "",
                      gap + strlen("{example}"));
}

/* The sentence before the instructions. */
static bool add_opening(struct buf *text, const struct contract *contract)
{
    static const char *const ask[] = {
        [CONTRACT_OBJECT] = "with one complete JSON object and nothing else",
        [CONTRACT_TEXT_AND_OBJECT] = "with text, a line with --- alone, and one JSON object",
        [CONTRACT_TEXT] = "in plain words",
    };
    if (contract->reminder)
        return add_own_sentence(text, contract) && buf_puts(text, "This time:\n");
    return buf_printf(text, "It cannot be used. Answer again, %s. This time:\n",
                      ask[contract->shape]);
}

static bool add_instructions(struct buf *text, struct problems *problems)
{
    bool ok = true;
    for (size_t i = 0; i < problems->n && i < REMINDER_MAX_INSTRUCTIONS; i++)
        ok = ok && add_instruction(text, problems, &problems->list[i]);
    return ok;
}

/* A sentence of the contract's own that shows the example has done so. */
static bool add_example(struct buf *text, const struct contract *contract)
{
    bool shown = contract->reminder && strstr(contract->reminder, "{example}");
    if (shown || !contract->good)
        return true;
    return buf_printf(text, "A good answer has this form: %s\n", contract->good);
}

const char *reminder_text(struct arena *arena, const struct contract *contract, const char *reply,
                          struct problems *problems)
{
    AUTO(buf) text = { 0 };
    buf_init(&text, REMINDER_MAX_BYTES);
    bool ok = add_quote(&text, arena, reply) && add_opening(&text, contract) &&
              add_instructions(&text, problems) && add_example(&text, contract);
    return ok ? arena_strdup(arena, buf_string(&text)) : "";
}
