/* `ask` and `chat`: one message in, one turn of the orchestrator, one result out. This is
 * where a turn is prepared and put away: the request is checked, the conversation is loaded and
 * saved (with the clarification it may wait for), the run is opened and closed in the log. What
 * happens in between is the orchestrator's. */
#ifndef APPLICATION_USE_CASES_MISTRAL_CHAT_H
#define APPLICATION_USE_CASES_MISTRAL_CHAT_H

#include "application/orchestrators/mistral_orchestrator.h"
#include "application/services.h"

#define RUN_KIND_OF_ASK "ask" /* in the log */
#define RUN_KIND_OF_CHAT "chat"

struct resumption;

struct mistral_chat; /* what outlives a turn: the approvals of this session */

/* services is borrowed. */
struct mistral_chat *mistral_chat_create(struct services *services);
void mistral_chat_destroy(struct mistral_chat *chat); /* NULL is fine */
struct services *mistral_chat_services(const struct mistral_chat *chat);

/* One turn. ERR_NONE: *out tells how it ended, whatever its status (the exit status follows from
 * out->status and out->err.code). Anything else: it did not get as far as a result (no model, no
 * server, a request that is none, cancelled); of *out only run_id and is_resumable are set.
 * Everything is in the arena. */
awaits MUST_CHECK enum err_code mistral_chat_turn(struct mistral_chat *chat, struct scope *scope,
                                                  struct arena *arena,
                                                  const struct turn_request *request,
                                                  struct turn_result *out, struct err *err);

/* Begins a turn for a worker: its request and its conversation are kept, and nobody is asked
 * anything. ERR_NONE: *out has status QUEUED. ERR_INVALID: nothing is kept of runs here. */
awaits MUST_CHECK enum err_code mistral_chat_queue(struct mistral_chat *chat, struct scope *scope,
                                                   struct arena *arena,
                                                   const struct turn_request *request,
                                                   struct turn_result *out, struct err *err);

/* Goes on with a turn that has a state: everything that was answered is taken from it, and the
 * conversation gets what it did not get before. The resumption is the session's from here on.
 * Without a request in it, the turn runs once more from its beginning, and leaves nothing in its
 * conversation. ERR_MISMATCH: the turn comes to another plan although calls of the one before were
 * made, or its model or one of its tools is another one. Else as mistral_chat_turn; the status is
 * also NEEDS_ANSWER while calls are uncertain. */
awaits MUST_CHECK enum err_code mistral_chat_resume(struct mistral_chat *chat, struct scope *scope,
                                                    struct arena *arena,
                                                    const struct resumption *resumed,
                                                    struct turn_result *out, struct err *err);

struct warm_up_tool {
    const char *server;
    const json_t *definition;
};

/* Has the model evaluate what a turn's requests begin with. tools: that there are to choose from.
 * Nothing without model.warm_up; ends with its scope; a failure is not reported: the request itself
 * will fail. */
awaits void warm_up_chat(struct services *services, struct scope *scope,
                         const struct warm_up_tool *tools, size_t n_tools);

#endif
