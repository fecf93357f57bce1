/* Stands in until compaction.c, repair.c and native_calls.c land: whoever lands them deletes this
 * file. */
#include "application/structured/compaction.h"
#include "application/structured/native_calls.h"
#include "application/structured/repair.h"
#include <string.h>

const char *compaction_text(struct arena *arena, const struct contract *contract,
                            const struct compaction_input *input)
{
    const char *wishes = "";
    for (size_t i = input->n_wishes; i-- > 0;)
        wishes = arena_printf(arena, "%s%s%s", wishes, *wishes ? "; " : "", input->wishes[i]);
    return arena_printf(arena,
                        "%s%sUser wants: %s. Respond with ONLY JSON (no conversational text): %s",
                        input->state ? input->state : "", input->state ? "\n" : "", wishes,
                        contract->good ? contract->good : "{…}");
}

bool repair_json(struct arena *arena, const char *text, size_t length, const char **out_text,
                 size_t *out_length)
{
    (void)arena;
    (void)text;
    (void)length;
    (void)out_text;
    (void)out_length;
    return false;
}

const json_t *native_calls_find(struct arena *arena, const char *text, size_t length)
{
    (void)arena;
    (void)text;
    (void)length;
    return NULL;
}
