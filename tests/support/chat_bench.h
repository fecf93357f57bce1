/* A conversation with the orchestrator among fakes: a model with a script, one tool server, stores
 * in memory. A test says what the model answers, takes turns, and looks at what was asked, called
 * and logged. Prompts, schemas and the orchestrator are the real ones. */
#ifndef TESTS_SUPPORT_CHAT_BENCH_H
#define TESTS_SUPPORT_CHAT_BENCH_H

#include "application/use_cases/mistral_chat.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"

/* The tools of a server "files". */
#define CHAT_BENCH_FILES                                                                           \
    "[{\"name\":\"read_file\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":"         \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"lines\":{\"type\":\"integer\"}}," \
    "\"required\":[\"path\"]},\"annotations\":{\"readOnlyHint\":true}},"                           \
    "{\"name\":\"write_file\",\"description\":\"Writes a file\",\"inputSchema\":{\"type\":"        \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}},"   \
    "\"required\":[\"path\",\"text\"]}}]"

struct chat_bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_model *model;
    struct fake_tool_server *server;
    struct mistral_chat *chat;
    struct arena arena;
    struct turn_result result; /* of the last turn */
    struct err err;
};

struct chat_bench *chat_bench_create(const char *server, const char *tools);
/* For cmocka, with whatever chat_bench_create gave. */
int chat_bench_tear_down(void **state);

/* One turn in the session "s". */
enum err_code chat_bench_say(struct chat_bench *bench, const char *message);
enum err_code chat_bench_send(struct chat_bench *bench, const struct turn_request *request);

/* Scripts an intent and its plan in one answer. tools and steps: what stands between the brackets
 * of the lists; parameters: an object. */
void chat_bench_propose(struct chat_bench *bench, const char *tools, const char *parameters,
                        const char *steps);
/* Scripts the same answer several times. */
void chat_bench_repeat(struct chat_bench *bench, const char *text, int times);

/* The data of the first event of a kind; NULL when there is none. */
const json_t *chat_bench_event(const struct chat_bench *bench, enum event_kind kind);
bool chat_bench_warned_of(const struct chat_bench *bench, const char *words);

#endif
