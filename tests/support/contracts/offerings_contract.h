/* What every tool_server with resources, prompts, completions and updates owes its callers,
 * whatever is behind it. The server under test must have what OFFERINGS_FIXTURE says (a fixture of
 * docs/mock.md). */
#ifndef TESTS_SUPPORT_CONTRACTS_OFFERINGS_CONTRACT_H
#define TESTS_SUPPORT_CONTRACTS_OFFERINGS_CONTRACT_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

#define OFFERINGS_RESOURCES                                                                        \
    "[{\"uri\":\"a:1\",\"name\":\"one\",\"title\":\"First\"},"                                     \
    "{\"uri\":\"a:2\",\"name\":\"two\",\"mimeType\":\"image/png\"}]"
#define OFFERINGS_FIXTURE                                                                          \
    "{\"page_size\":1,\"resources\":[{\"uri\":\"a:1\",\"name\":\"one\",\"title\":\"First\","       \
    "\"versions\":[\"text of one\",\"text of "                                                     \
    "two\"]},{\"uri\":\"a:2\",\"name\":\"two\",\"mimeType\":\"image/png\",\"blob\":\"aGk=\"}],"    \
    "\"prompts\":[{\"name\":\"p\",\"arguments\":[{\"name\":\"who\",\"required\":true,\"values\":[" \
    "\"Ada\",\"Bo\",\"Al\"]}],"                                                                    \
    "\"messages\":"                                                                                \
    "[{\"text\":\"hello Ada\"}]}]}"

struct offerings_trial {
    struct tool_server *server;
    struct arena arena;

    /* What was seen. */
    enum err_code list_codes[OFFERING_KINDS];
    struct offerings found; /* resources, then templates, then prompts */
    enum err_code watch_code, watch_unknown_code, read_code, read_again_code, unknown_uri_code,
        prompt_code, unknown_prompt_code, ended_code;
    struct offering_result resource, changed_resource, prompt;
    enum err_code complete_code, complete_nothing_code;
    struct completion_values values, nothing;
    struct runtime *runtime;
    struct scope *waiting; /* for the update; ended when it comes */
    size_t n_updates;
    char updated[20];                 /* the URI that was told first */
    struct tool_server_status status; /* afterwards; only its flags count */
};

/* A task_fn: asks for everything and records it. argument: the trial. */
awaits enum err_code offerings_try(struct runtime *runtime, struct scope *scope, void *argument);
/* On the main stack: was it as the contract says? */
void offerings_check(struct offerings_trial *trial);

#endif
