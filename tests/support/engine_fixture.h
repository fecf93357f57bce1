/* The structured-output engine with a scripted model, a journal and what it told. */
#ifndef TESTS_SUPPORT_ENGINE_FIXTURE_H
#define TESTS_SUPPORT_ENGINE_FIXTURE_H

#include "application/structured/engine.h"
#include "tests/support/fakes/fake_model.h"
#include "tests/support/immediate_runtime.h"

struct event_recorder {
    struct observer observer;
    json_t *events; /* array of {event, …data}; model_token is left out */
};

struct engine_fixture {
    struct immediate_runtime runtime;
    struct fake_model model;
    struct settings settings;
    struct journal journal;
    struct digest digest;
    struct ids ids;
    struct event_recorder recorder;
    struct engine engine;
    struct contract contract; /* the one that is asked for; a test changes it as it likes */
    struct prompt_part user;
    struct ask_prompt prompt;
    struct scope scope;
    struct arena arena;
    struct ask_outcome out;
    struct err err;
};

/* Contract "intent", version 3: an object with tool (read, write) and n (at most 9). The request is
 * "Read the file." to the system "You plan.", with 100 tokens and no wishes. Must not move. */
void engine_fixture_init(struct engine_fixture *f);
void engine_fixture_finish(struct engine_fixture *f);
/* schema: JSON, NULL for none. */
void engine_fixture_shape(struct engine_fixture *f, enum contract_shape shape, const char *schema,
                          const char *good);
enum err_code engine_fixture_ask(struct engine_fixture *f);
/* "generate:ok reminder:wrong_type …": the ladder as the run log has it. In the fixture's arena. */
const char *engine_fixture_attempts(struct engine_fixture *f);
/* What a screen would show of tokens (event `token` or `answer_token`): "text|-2-|text" where
 * attempt 2 was discarded. */
const char *engine_fixture_screen(struct engine_fixture *f);
/* The n-th event of a kind (0, 1, …), or NULL. */
const json_t *engine_fixture_event(struct engine_fixture *f, const char *kind, size_t n);

#endif
