/* `doctor`: looks at everything a request needs, the model endpoint, every server, the stores,
 * and says of each whether it works, how long that took and what to do where it does not. It
 * changes nothing. */
#ifndef APPLICATION_USE_CASES_DIAGNOSE_H
#define APPLICATION_USE_CASES_DIAGNOSE_H

#include "application/services.h"

enum check_verdict { CHECK_OK, CHECK_WARNING, CHECK_FAILED };

struct check {
    const char *name; /* "model", "server files", "conversations", "run log" */
    enum check_verdict verdict;
    const char *detail; /* one line: what was found, or the error */
    const char *hint;   /* what to do, or "" */
    int64_t duration_ms;
};

struct diagnosis {
    struct check *checks;
    size_t n_checks;
    size_t n_failed;
};

/* Only cancelling makes it fail. Everything is in the arena. */
awaits MUST_CHECK enum err_code diagnose(struct services *services, struct scope *scope,
                                         struct arena *arena, struct diagnosis *out,
                                         struct err *err);
/* Owned by the caller. */
json_t *diagnosis_to_json(const struct diagnosis *diagnosis);
const char *check_verdict_name(enum check_verdict verdict);

struct model_listing {
    enum model_choice choice;
    struct model_status status; /* zeroed for the lexical analyst */
    const char **names;
    size_t n_names;
    struct err problem; /* the endpoint is there, the model is not: code NONE when it is */
};

/* ERR_UNAVAILABLE and the like when no endpoint answers. Everything is in the arena. */
awaits MUST_CHECK enum err_code list_models(struct services *services, struct scope *scope,
                                            struct arena *arena, struct model_listing *out,
                                            struct err *err);
/* Owned by the caller. */
json_t *model_listing_to_json(const struct model_listing *listing);

#endif
