/* What the model is sent for one turn of the studio: the static system text; the live history, one
 * part per message, the oldest first to leave where the context is short; the message with what
 * the person did to the prompt since; and at the end the prompt as it is now. Earlier answers are
 * shown in the full form with their JSON, since a model keeps to a format that it sees.
 *
 * Everything that was said is sanitized: neither people nor models write control tokens here. */
#ifndef APPLICATION_STUDIO_STUDIO_PROMPT_H
#define APPLICATION_STUDIO_STUDIO_PROMPT_H

#include "application/ports/assets.h"
#include "application/settings.h"
#include "application/structured/engine.h"
#include "application/studio/studio.h"

#define STUDIO_SYSTEM_PATH "config/prompts/studio_system.txt"
/* Metadata of a message that belongs to a studio; of a person's: {"edited_prompt":…} where they
 * had edited it, of an answer: {"raw":…,"image":…}, of a reset: {"reset":true}. */
#define STUDIO_METADATA_KEY "studio"

/* What of a conversation a studio still sees: its messages behind the last fresh start, at most
 * studio.history_messages of them, oldest first. */
struct studio_history {
    const struct message **messages;
    size_t n;
    bool as_turns; /* model.turns: chat; else the request holds a transcript */
};

struct studio_history studio_history_of(struct arena *arena, const struct settings *settings,
                                        const struct conversation *conversation);

/* *out lives in the arena. ERR_NOT_FOUND without the system text. */
MUST_CHECK
enum err_code studio_prompt_make(struct arena *arena, struct assets *assets,
                                 const struct studio_history *history,
                                 const struct studio_state *state, const char *message,
                                 struct ask_prompt *out, struct err *err);

#endif
