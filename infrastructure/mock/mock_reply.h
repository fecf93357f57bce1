/* Which reply of a fixture answers a call, and what it says then. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_REPLY_H
#define INFRASTRUCTURE_MOCK_MOCK_REPLY_H

#include "domain/tool/step_result.h"
#include "infrastructure/mock/mock_fixture.h"

#define MOCK_MAX_EXPANDED_BYTES 1048576 /* of one string after its templates were filled in */

/* The first reply that is not used up and whose `when` fits; counts as used. NULL when none. */
struct mock_reply *mock_reply_pick(struct mock_tool *tool, const json_t *arguments);

/* The result with {args.name} and the like filled in: known is an object whose members can be
 * named (`args`, and the answers to questions). What is put in is data: it is not looked at again.
 * An `error` with a code is the err of a server that refuses (origin = the code). */
MUST_CHECK
enum err_code mock_reply_render(const struct mock_reply *reply, const json_t *known,
                                struct arena *arena, struct step_result *out, struct err *err);

/* A new value: a copy with {args.name} and the like filled in in every text. The depth of a fixture
 * is bounded by whoever parsed it. */
json_t *mock_reply_expand(const json_t *value, const json_t *known);

#endif
