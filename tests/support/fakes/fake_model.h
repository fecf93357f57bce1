/* A model for tests: answers in the order of its script, records what it was asked. Stream,
 * errors and silence are scripted as well; nothing waits unless a delay is asked for. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_MODEL_H
#define TESTS_SUPPORT_FAKES_FAKE_MODEL_H

#include "application/ports/model.h"
#include "application/ports/runtime.h"

#define FAKE_MODEL_MAX 32

struct fake_reply {
    const char *text;      /* streamed in two halves when the request watches */
    enum model_stop stop;  /* MODEL_STOP_END unless said */
    enum err_code fails;   /* other than ERR_NONE: no reply */
    size_t after_bytes;    /* of text that are streamed before it fails */
    int64_t delay_ms;      /* slept before anything else */
    int64_t prompt_tokens; /* told with the reply; 0 = 10 */
    const struct model_schema_note *notes;
    size_t n_notes;
};

struct fake_request {
    const char *purpose, *system, *user;
    const char *image; /* Base64 of the first one; NULL: none */
    json_t *schema;    /* owned; NULL when unconstrained */
    double temperature;
    int64_t seed;
    int max_tokens;
};

struct fake_model {
    struct model base;
    struct runtime *runtime; /* NULL: no delays, and the clock stands at 0 */
    struct fake_reply replies[FAKE_MODEL_MAX];
    size_t n_replies;
    struct fake_request requests[FAKE_MODEL_MAX];
    size_t n_requests;
    int in_flight, max_in_flight;
    enum err_code check_fails;
    int64_t context_tokens; /* 0: it does not know */
    const char *base_url;   /* NULL: "" */
    enum model_schema_support schema_support;
    int64_t counted;   /* tokens of any text; 0: it cannot count, and says so */
    unsigned n_counts; /* how often it was asked to */
    unsigned n_warmed;
    const char *warmed; /* the last system text; in the arena */
    struct arena arena;
};

/* Asked more often than scripted it answers ERR_UNAVAILABLE "the script is over". */
void fake_model_init(struct fake_model *fake, struct runtime *runtime);
void fake_model_finish(struct fake_model *fake);
void fake_model_reply(struct fake_model *fake, const char *text);
void fake_model_push(struct fake_model *fake, struct fake_reply reply);

#endif
