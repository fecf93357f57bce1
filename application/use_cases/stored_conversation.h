/* The conversation of one turn: its end is loaded before it, and what was said is put behind it
 * after it, although other processes may write to it meanwhile. Then the messages of this turn go
 * behind theirs, and the context is merged by the use case, which knows which part of it belongs to
 * the turn. A turn that is resumed takes the conversation as it was when the turn began; messages
 * that an earlier process of it stored already are known by its run in their metadata. */
#ifndef APPLICATION_USE_CASES_STORED_CONVERSATION_H
#define APPLICATION_USE_CASES_STORED_CONVERSATION_H

#include "application/services.h"

/* Attempts to save while other processes write to the same session. Each attempt that fails means
 * that one of them succeeded, so with 24 writers 10 attempts were too few for one turn in six. */
#define STORED_CONVERSATION_SAVES 100

struct stored_conversation {
    struct conversation_repository *repository; /* NULL: nothing is kept of this turn */
    struct conversation *conversation;
    int64_t version_ms;    /* 0: it is new */
    size_t n_messages;     /* when it was loaded */
    const json_t *context; /* as it was then; NULL when it is new */
    const char *run_id;    /* of a turn that is resumed; else NULL */
};

/* Changes `theirs`, which has this turn's messages already, as this turn changed the context. Any
 * error but ERR_MISMATCH: both changed what only one of them can change, and this turn must not be
 * saved. */
typedef enum err_code merge_context_fn(const struct stored_conversation *ours,
                                       struct conversation *theirs, struct err *err);

struct session_choice {
    const char *id;  /* NULL: a new conversation */
    size_t recent;   /* messages of it that the turn looks at */
    bool no_session; /* also a new one, which is not kept */
    bool must_exist; /* a conversation that does not exist is an error, and does not begin now */
};

/* All in the arena. */
awaits MUST_CHECK enum err_code stored_conversation_load(struct services *services,
                                                         struct scope *scope, struct arena *arena,
                                                         const struct session_choice *choice,
                                                         struct stored_conversation *out,
                                                         struct err *err);
/* The conversation as it was loaded, for the state of a run. Owned by the caller. */
json_t *stored_conversation_to_json(const struct stored_conversation *stored);
/* The same again in the process that goes on with the run. All in the arena. ERR_UNAVAILABLE: it
 * cannot be read. */
MUST_CHECK
enum err_code stored_conversation_resume(struct services *services, struct arena *arena,
                                         const json_t *value, const char *run_id,
                                         struct stored_conversation *out, struct err *err);
/* ERR_UNAVAILABLE when it was not saved, whatever the reason, which the message says. */
awaits MUST_CHECK enum err_code stored_conversation_save(const struct stored_conversation *stored,
                                                         struct scope *scope, struct arena *arena,
                                                         merge_context_fn *merge, struct err *err);
/* NULL when nothing is kept. */
static inline const char *stored_conversation_id(const struct stored_conversation *stored)
{
    return stored->repository ? stored->conversation->id : NULL;
}

#endif
