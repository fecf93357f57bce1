/* `mistro studio`: prepares a studio turn and puts it away, as mistral_chat does for the
 * orchestrator: checks the message, loads and saves the conversation, opens and closes the run. */
#ifndef APPLICATION_USE_CASES_STUDIO_CHAT_H
#define APPLICATION_USE_CASES_STUDIO_CHAT_H

#include "application/services.h"
#include "application/studio/studio.h"
#include "application/use_cases/job_state.h"

#define RUN_KIND_OF_STUDIO "studio" /* in the log */

struct studio_chat;

struct studio_request {
    const char *message;
    const char *session_id; /* NULL: a new one is made */
    bool no_session;
};

struct studio_chat *studio_chat_create(struct services *services);
void studio_chat_destroy(struct studio_chat *chat); /* NULL is fine */

/* *out_session_id (in the arena) is NULL with no_session; the conversation then lives in the
 * studio_chat. ERR_LIMIT above studio.max_message_bytes, ERR_UNAVAILABLE without a model, since a
 * studio cannot do without. A turn that began ends with the event done or error, one that was done
 * and not saved with both. */
awaits MUST_CHECK enum err_code studio_chat_turn(struct studio_chat *chat, struct scope *scope,
                                                 struct arena *arena,
                                                 const struct studio_request *request,
                                                 const char **out_session_id,
                                                 struct studio_result *out, struct err *err);
struct studio_resumed {
    struct studio_result result; /* empty where calls have to be settled first, or after an error */
    const char *session_id;      /* NULL where none is kept */
    struct job_end end;
};

/* Goes on with a turn that has a state. */
awaits MUST_CHECK enum err_code studio_chat_resume(struct studio_chat *chat, struct scope *scope,
                                                   struct arena *arena,
                                                   const struct resumption *resumed,
                                                   struct studio_resumed *out, struct err *err);
/* `/prompt TEXT`: edits the current prompt of a session, beginning one where session_id is NULL;
 * event prompt_update. ERR_LIMIT above IMAGE_PROMPT_MAX_BYTES. */
awaits MUST_CHECK enum err_code studio_chat_edit_prompt(struct studio_chat *chat,
                                                        struct scope *scope, struct arena *arena,
                                                        const struct studio_request *request,
                                                        const char **out_session_id,
                                                        struct studio_state *out, struct err *err);
/* The state of a session; where it is NULL that of no_session. The default one where there is none.
 */
awaits MUST_CHECK enum err_code studio_chat_state(struct studio_chat *chat, struct scope *scope,
                                                  struct arena *arena, const char *session_id,
                                                  struct studio_state *out, struct err *err);
/* The conversation of no_session, its prompt included, begins anew; sessions are untouched. */
void studio_chat_forget(struct studio_chat *chat);
/* While the person types: loads the model and evaluates the static part of the prompt. Ends with
 * its scope; a failure is not reported. */
awaits void studio_chat_warm(struct studio_chat *chat, struct scope *scope);

#endif
