/* A tool server for unit tests: tools from JSON text, replies by tool in the order they were
 * added, and a record of what was called, when at once and with what. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_TOOL_SERVER_H
#define TESTS_SUPPORT_FAKES_FAKE_TOOL_SERVER_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

#define FAKE_TOOL_SERVER_MAX 128

struct fake_tool_reply {
    const char *tool;
    const char *text;       /* of the one block; may be NULL when there is structured */
    const char *structured; /* JSON text, or NULL */
    bool is_error;
    bool is_lost;        /* when it fails, after the call went out */
    bool is_whole;       /* text is the JSON text of the whole result */
    enum err_code fails; /* other than ERR_NONE: no result at all */
    int64_t delay_ms;
    bool used;
};

struct fake_tool_call {
    const char *tool;
    const char *arguments; /* JSON text */
};

/* What reading a resource or getting a prompt gives. */
struct fake_offering_reply {
    enum offering_kind kind; /* OFFERING_RESOURCE or OFFERING_PROMPT */
    const char *key;
    const char *result;  /* JSON text */
    enum err_code fails; /* other than ERR_NONE: instead of a result */
    const char *then; /* the result from the second time on, or NULL; who watches is told of it */
    unsigned n_asked;
};

/* What an argument could be. */
struct fake_completion {
    const char *argument, *values[4];
};

struct fake_tool_server {
    struct tool_server base; /* hand this to the code under test */
    struct runtime *runtime;
    const char *name;
    struct tool_catalogue *catalogue;
    struct fake_tool_reply replies[FAKE_TOOL_SERVER_MAX];
    size_t n_replies;
    struct fake_tool_call calls[FAKE_TOOL_SERVER_MAX];
    size_t n_calls;
    const char *traceparents[2];         /* of the first calls */
    const char *tracestate;              /* of the latest call */
    const char *offered[OFFERING_KINDS]; /* JSON arrays; NULL: it has none and says so */
    struct fake_offering_reply offering_replies[FAKE_TOOL_SERVER_MAX];
    size_t n_offering_replies;
    size_t n_offering_requests;
    struct fake_completion completions[2];
    int64_t completion_delay_ms;
    struct completion_request completed; /* the latest request; its strings are the caller's */
    const char *watched[8];
    size_t n_watched;
    enum err_code watch_fails;
    size_t in_flight, max_in_flight;
    int64_t delay_ms; /* of every call that has no delay of its own */
    const char *task; /* every call becomes one with this id, over at once; NULL: none does */
    enum err_code list_fails;
    unsigned n_lists;
    bool offers_person; /* whether the latest request could have asked somebody */
    bool offers_model;  /* … or the model, if it was a call */
    bool is_builtin;
    const char *login_page; /* that a login opens; NULL: nobody logs in to it */
    enum err_code login_fails;
    bool is_logged_in;
    const char *offer;    /* what it is told that it may ask for; NULL: nothing */
    const char *identity; /* of its configuration; NULL: one that all fakes share */
    const char *identity_without_folder, *folder_path; /* as in struct tool_server_status */
    struct tool_server_listener listener;              /* empty when nobody listens */
    enum tool_server_state state; /* … that the status gives, unless it is IDLE */
    struct arena arena;
};

/* definitions: JSON array as in tools/list; borrowed until the end of the call. */
void fake_tool_server_init(struct fake_tool_server *fake, struct runtime *runtime, const char *name,
                           const char *definitions);
/* From now on it lists others. */
void fake_tool_server_redefine(struct fake_tool_server *fake, const char *definitions);
void fake_tool_server_finish(struct fake_tool_server *fake);
/* Used once; a tool without a reply left answers "ok". */
void fake_tool_server_reply(struct fake_tool_server *fake, struct fake_tool_reply reply);
/* For every time it is asked. Other resources are unknown, other prompts refused. */
void fake_tool_server_offer(struct fake_tool_server *fake, struct fake_offering_reply reply);
/* A resource changed: who listens is told, if it or one above it is watched. NULL: any may have. */
void fake_tool_server_update(struct fake_tool_server *fake, const char *uri);

#endif
