/* Which reply of a fixture answers a call, what it asks the client first, and what it says then.
 *
 * A reply may ask before it is given: `elicit` a person, once or several times, with a form or for
 * a visit to a URL, and `sample` a model. What comes back can be named in the reply: {elicited.…}
 * is what was filled in, {sampled} is the model's text. A prompt may ask in the same way. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_REPLY_H
#define INFRASTRUCTURE_MOCK_MOCK_REPLY_H

#include "application/ports/tool_server.h"
#include "infrastructure/mock/mock_fixture.h"

/* spec: a reply or a prompt; ERR_INVALID names the faulty member. */
MUST_CHECK
enum err_code mock_check_questions(struct arena *arena, const char *path, const json_t *spec,
                                   struct err *err);

/* The first reply that is not used up and whose `when` fits; counts as used. NULL when none fits.
 */
struct mock_reply *mock_reply_pick(struct mock_tool *tool, const json_t *arguments);

/* What the questions of one call share. */
struct mock_asking {
    const struct answerer *answerer; /* may be NULL */
    struct scope *scope;
    struct arena *arena;
    json_t *known; /* values that texts can name; answers are added */
};

/* Asks what the reply or the prompt wants to know, in order. *out_refusal: how a person or a client
 * refused, else NULL. Fails where the client takes no such questions. */
awaits MUST_CHECK enum err_code mock_ask(const struct mock_asking *asking, const json_t *spec,
                                         const char **out_refusal, struct err *err);

/* The result with {args.name} and the like filled in: known is an object whose members can be
 * named (`args`, and the answers to questions). What is put in is data and is not expanded again.
 * An `error` with a code becomes the err of a server that refuses (origin = the code). */
MUST_CHECK
enum err_code mock_reply_render(const struct mock_reply *reply, const json_t *known,
                                struct arena *arena, struct step_result *out, struct err *err);

/* A new value: a copy in which {args.name} and the like are filled in in every text; NULL when one
 * grows to more than MOCK_MAX_EXPANDED_BYTES, which is mock_too_long. The parser of the fixture has
 * bounded its depth. */
json_t *mock_reply_expand(const json_t *value, const json_t *known);
/* ERR_LIMIT. */
MUST_CHECK enum err_code mock_too_long(struct err *err);

#endif
