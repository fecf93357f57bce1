/* A model adapter, a scripted endpoint behind it and the runtime both live on: what the tests of
 * the adapters share. Nothing here asserts: what came is recorded. */
#ifndef TESTS_SUPPORT_FULL_MODEL_FIXTURE_H
#define TESTS_SUPPORT_FULL_MODEL_FIXTURE_H

#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/full/mock_endpoint.h"

#define TAGS "{\"models\":[{\"name\":\"mistral:7b\"},{\"name\":\"other:latest\"}]}"
#define SHOW "{\"model_info\":{\"llama.context_length\":32768}}"
#define LIST                                                                                       \
    "{\"object\":\"list\",\"data\":[{\"id\":\"mistral:7b\",\"owned_by\":\"llamacpp\",\"meta\":{"   \
    "\"n_ctx\":4096}}]}"
#define NDJSON_END                                                                                 \
    "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","                      \
    "\"prompt_eval_count\":26,\"eval_count\":3}\n"
#define NDJSON                                                                                     \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"H\xc3\xa9l\"},\"done\":false}\n"           \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"lo\"},\"done\":false}\n" NDJSON_END
#define SSE_TEXT                                                                                   \
    ": ping\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n"    \
    "data: {\"choices\":[{\"delta\":{\"content\":\"H\xc3\xa9l\"}}]}\r\n\r\n"                       \
    "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n"
#define SSE                                                                                        \
    SSE_TEXT "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"                 \
             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":3,"      \
             "\"prompt_tokens_details\":{\"cached_tokens\":20}}}\n\n"                              \
             "data: [DONE]\n\n"

enum model_action { MODEL_CHAT, MODEL_CHECK, MODEL_FIND, MODEL_LISTS, MODEL_CHAT_TWICE };

struct model_fixture {
    struct uv_runtime *runtime;
    struct mock_endpoint *endpoint;
    struct settings settings;
    struct model *model;
    struct scope scope;
    struct arena arena;
    struct err err;
    enum model_action action;
    bool is_unheard; /* nobody wants to know why it could not be found */
    const json_t *schema;
    int64_t first_token_ms;
    double temperature;
    const struct model_part *image; /* after the user's text; or NULL */
    bool (*on_token)(void *context, const char *text, size_t length);
    bool (*is_complete)(void *context);
    struct model_reply reply, second;
    struct model_status status;
    struct endpoint found;
    size_t tokens;
    char shown[64];
};

/* The adapter for a server of which nothing but its address and its dialect is known. */
struct model *ollama_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings);
struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings);

/* Without a model: for discovery. */
void model_fixture_init(struct model_fixture *f);
/* With the adapter and the endpoint's list of models (TAGS and SHOW, LIST). */
void model_fixture_use_ollama(struct model_fixture *f);
void model_fixture_use_openai(struct model_fixture *f);
void model_fixture_finish(struct model_fixture *f);
/* The next answer of any path that has none of its own. */
void model_fixture_answer(struct model_fixture *f, struct mock_answer answer);
/* Does it as a task; results are in the fixture. */
enum err_code model_fixture_run(struct model_fixture *f, enum model_action action);
/* The watcher of the stream unless a test sets another: counts, keeps what it was shown. */
bool model_fixture_count(void *context, const char *text, size_t length);

#endif
