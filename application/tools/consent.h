/* May this call be made? The policy of the settings decides; where it says "ask", an approval that
 * was given before counts (this session's, or the stored one, both bound to the definition of the
 * tool), then `--yes`, then the person. Where no one is there, the answer is no. */
#ifndef APPLICATION_TOOLS_CONSENT_H
#define APPLICATION_TOOLS_CONSENT_H

#include "application/tools/invoke.h"
#include "domain/policy/policy.h"

/* What the rules say, before anyone is asked. */
enum policy_effect consent_policy(struct invoker *invoker, struct arena *arena,
                                  const struct invoke_request *request);
/* What they say about making the call again when its outcome is unknown. */
enum hint consent_repeats(struct invoker *invoker, struct arena *arena,
                          const struct invoke_request *request);
/* Whether the call may be made again when its outcome is unknown: the rules say so, or name the
 * argument that its effect id was sent in (sent_in; NULL: in none), by which the server knows a
 * repetition, or a person approved the tool's definition, readOnlyHint and all, for that. When in
 * doubt, not. */
awaits bool consent_may_repeat(struct invoker *invoker, struct scope *scope, struct arena *arena,
                               const struct invoke_request *request, const char *sent_in);
/* The argument that takes the effect id, for a call that the state of its run keeps; *out_name is
 * NULL where the rules name none. ERR_INVALID: they name one that the tool does not have. */
MUST_CHECK
enum err_code consent_idempotency_argument(struct invoker *invoker, struct arena *arena,
                                           const struct invoke_request *request,
                                           const char **out_name, struct err *err);
/* A person was shown that the definition says that it only reads, and agreed. */
awaits MUST_CHECK enum err_code consent_store_repeat(struct services *services,
                                                     struct tool_server *server,
                                                     struct scope *scope, struct arena *arena,
                                                     const struct tool *tool, struct err *err);
/* The identity an approval is bound to; hash is DIGEST_HEX_SIZE bytes. */
void consent_definition_hash(struct digest *digest, const struct tool *tool, char *out_hash);
/* Whether a person allowed the tool for good. */
awaits MUST_CHECK enum err_code consent_is_stored(struct services *services,
                                                  struct tool_server *server, struct scope *scope,
                                                  struct arena *arena, const struct tool *tool,
                                                  bool *out_approved, struct err *err);
/* ERR_NONE: it may be made. ERR_DENIED says who said no, or that no one was there to ask. */
awaits MUST_CHECK enum err_code consent_get(struct invoker *invoker, struct scope *scope,
                                            struct arena *arena,
                                            const struct invoke_request *request, struct err *err);

#endif
