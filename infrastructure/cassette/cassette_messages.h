/* What passes the ports of models, renderers, checkers and people, as messages of a cassette: a row
 * for each has both directions, so that what is recorded is what a replay reads. And errors, which
 * are the same for all. What is read lives in the arena; members that are missing or of another
 * type become what the port has for "unknown". */
#ifndef INFRASTRUCTURE_CASSETTE_CASSETTE_MESSAGES_H
#define INFRASTRUCTURE_CASSETTE_CASSETTE_MESSAGES_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <jansson.h>

/* asked and out are what the port's function takes and fills. */
struct cassette_message {
    const char *method;
    bool repeats;                         /* a replay gives the last answer again and again */
    json_t *(*params)(const void *asked); /* owned by the caller; NULL: {} */
    json_t *(*result)(const void *out);   /* owned by the caller; NULL: {} */
    /* False: it is not what was recorded. The result lives as long as the arena. NULL: nothing is
     * filled. */
    bool (*read)(struct arena *arena, const json_t *result, void *out);
};

extern const struct cassette_message cassette_model_check; /* out: struct model_status */
extern const struct cassette_message cassette_chat; /* struct model_request; struct model_reply */
extern const struct cassette_message cassette_count_tokens; /* a text; int64_t */
extern const struct cassette_message cassette_available;
extern const struct cassette_message cassette_render;    /* struct drawing; struct picture */
extern const struct cassette_message cassette_trial;     /* struct candidate_trial; const char * */
extern const struct cassette_message cassette_present;   /* bool[2]: there, and says yes to all */
extern const struct cassette_message cassette_form;      /* struct form; json_t * */
extern const struct cassette_message cassette_confirm;   /* struct confirmation */
extern const struct cassette_message cassette_approve;   /* name of the tool; approval_answer */
extern const struct cassette_message cassette_open_page; /* a URL */
extern const struct cassette_message cassette_approved;  /* struct approval; bool */

/* A JSON-RPC error, which has the whole err in its data; owned by the caller. */
json_t *cassette_error_json(const struct err *err);
/* Fills *err and returns its code. An error without such data is what its JSON-RPC code says. */
enum err_code cassette_error_from(const json_t *error, struct err *err);

#endif
