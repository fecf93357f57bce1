/* The studio: a streamed conversation about the prompt of an image. One message in;
 * conversational text streams out, the metadata behind its "---" becomes the current prompt and
 * its settings, and where the model says so the image is made.
 *
 * What a turn leaves is in the conversation: the user's message and the accepted answer are stored
 * only together, each assistant message carries its raw text (the format example that later
 * prompts show) and the state after it; the current image prompt, and whether a person edited it,
 * is in the context under STUDIO_CONTEXT_KEY. Levels 1 and 2 of the ladder are the engine's; level
 * 3 is here: the exact sentence, a marker in front of which nothing is live, the whole history in
 * an event . Users see no trace of a failed attempt.
 *
 * The prompt outlives more than the history does. An answer with an empty one says that it is not
 * ready yet and takes nothing away, and a fresh start goes on from it: it may be the person's own.
 * What the person wrote into it stays until a message of theirs asks for something else: an answer
 * that drops it unasked is taken without its prompt, and the person is told.
 */
#ifndef APPLICATION_STUDIO_STUDIO_H
#define APPLICATION_STUDIO_STUDIO_H

#include "application/runs/run_session.h"
#include "domain/contract/image_prompt.h"
#include "domain/entities/conversation.h"
#include "domain/tool/step_result.h"

#define STUDIO_CONTEXT_KEY                                                                         \
    CONVERSATION_STUDIO_KEY /* {"image":{five fields},"edited":bool,"edit":text} there */
/* Word for word what users of the studio know. */
#define STUDIO_RESET_TEXT "I'm having trouble understanding the format. Let's start fresh."

/* What the person has before and after a turn. */
struct studio_state {
    struct image_prompt image;
    bool edited;      /* by the person, since the model last saw it */
    const char *edit; /* the prompt as they last wrote it themselves, seen or not; NULL: never */
};

struct studio {
    struct run_session *session; /* its toolbox is NULL where no tool is configured */
    struct engine *engine;
};

enum studio_end { STUDIO_ANSWERED, STUDIO_RESET, STUDIO_FAILED };

struct studio_result {
    enum studio_end end;
    const char *text;     /* to be shown: the conversational text (what became of the prompt when
                             the model gave only the metadata), STUDIO_RESET_TEXT, or why it failed */
    const char *adjusted; /* "Settings adjusted: …", or NULL */
    const char *kept;     /* that the person's own prompt stays, and what the answer had instead; or
                             NULL */
    struct studio_state state;
    const char *image;         /* what generation gave, one line; NULL when there was none */
    const char *not_generated; /* why not, although the model asked for it; or NULL */
    struct err err; /* why it was no answer, or why the image could not be made (ERR_DENIED: it was
                       not allowed); ERR_NONE when all went well or no tool is configured */
    struct err not_saved; /* why the session was not saved; ERR_NONE when it was, or none is kept */
    unsigned attempts;
};

struct studio_state studio_state_of(struct arena *arena, const struct conversation *conversation);
void studio_state_store(struct conversation *conversation, const struct studio_state *state);
/* The person's own words for the prompt: the next request tells the model. */
void studio_edit_prompt(struct arena *arena, struct conversation *conversation, const char *text,
                        int64_t now_ms);
/* Whether this prompt of an answer drops words that the person wrote into theirs, although the
 * message neither names what is replaced there, nor what replaces it, nor asks for a prompt that is
 * written anew. Words are compared, not meanings; scripts without blanks between words are not
 * judged. */
bool studio_state_overrides(struct arena *arena, const struct studio_state *before,
                            const char *prompt, const char *message);

/* One turn; changes the conversation, which the caller loads and saves. ERR_NONE whenever *out
 * tells how it ended; otherwise (a broken contract, cancelled, out of time) nothing was changed.
 * STUDIO_FAILED changes nothing either: the same message may be sent again. An answer stands
 * whatever becomes of its image, even when the turn is cancelled meanwhile. */
awaits MUST_CHECK enum err_code studio_turn(struct studio *studio,
                                            struct conversation *conversation, const char *message,
                                            struct studio_result *out, struct err *err);

/* Makes the image of the current prompt with studio.image_tool, its arguments mapped by the
 * settings; events generation_started and image_ready. ERR_NONE: out->image says what there is, or
 * out->not_generated that no tool is configured; the rest of *out stays as it is. ERR_FAILED: the
 * tool said so (isError); else as toolbox_find and invoke. */
awaits MUST_CHECK enum err_code studio_generate(struct run_session *session,
                                                const struct image_prompt *image,
                                                struct studio_result *out, struct err *err);

/* What a tool that makes images gave, in one line. Tools answer in three ways: with a sentence that
 * names a file, with a link, or with the image itself. */

#define IMAGE_MADE_MAX_COLUMNS 400

/* The first line of its text, else the address of what it links to or embeds, else "image/png
 * 12,345 bytes"; "an image" when it says nothing at all. Foreign text, safe to show; in the arena.
 */
const char *image_made_text(struct arena *arena, const struct step_result *made);

#endif
