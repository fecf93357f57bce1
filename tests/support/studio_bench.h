/* A studio among fakes: a model with a script, one server that draws, a conversation store and a
 * run log in memory. A test says what the model answers, takes turns, and looks at what is left. */
#ifndef TESTS_SUPPORT_STUDIO_BENCH_H
#define TESTS_SUPPORT_STUDIO_BENCH_H

#include "application/use_cases/studio_chat.h"
#include "domain/base/buf.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"

#define STUDIO_BENCH_SESSION "s1"

/* A reply in its full form. */
#define STUDIO_REPLY(text, prompt, generate)                                                       \
    text "\n---\n{\"prompt\": \"" prompt "\", \"generate_image\": " generate                       \
         ", \"steps\": 4, \"cfg\": 1.0, \"seed\": -1}"

/* What a person has on the screen of the conversational text. */
struct studio_screen {
    struct observer base;
    struct buf text;
    size_t settled; /* bytes that no attempt_discarded can take back */
};

struct studio_bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server; /* "art", with the tool "draw" */
    struct studio_screen screen;
    struct studio_chat *chat;
    struct arena arena;
    struct scope scope;
    const char *session_id; /* of the last turn */
    struct studio_result result;
    struct err err;
};

/* For cmocka; --yes is given, studio.image_tool is not set. */
int studio_bench_set_up(void **state);
int studio_bench_tear_down(void **state);

/* One turn in the session STUDIO_BENCH_SESSION. */
enum err_code studio_bench_turn(struct studio_bench *bench, const char *message);
enum err_code studio_bench_edit(struct studio_bench *bench, const char *prompt);
struct studio_state studio_bench_state(struct studio_bench *bench);
/* The stored conversation, in the arena; NULL when there is none. */
struct conversation *studio_bench_stored(struct studio_bench *bench);
/* What the n-th request asked. */
const char *studio_bench_asked(const struct studio_bench *bench, size_t n);
/* The data of the n-th event of a kind, over all runs; NULL when there is none. */
const json_t *studio_bench_event(const struct studio_bench *bench, enum event_kind kind, size_t n);
/* The screen's text over all turns. */
const char *studio_bench_shown(const struct studio_bench *bench);

#endif
