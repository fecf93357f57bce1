/* Everything that can be configured, as plain structs with defaults and bounds.
 *
 * SETTINGS below is the one list of scalar settings: the struct, the defaults, the bounds, the
 * configuration file's keys, `mistro config show` and the tests at the bounds are made from it.
 * The loader (infrastructure/config) fills the struct; flags and environment win over files. */
#ifndef APPLICATION_SETTINGS_H
#define APPLICATION_SETTINGS_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/policy/policy.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds: INT(member, key, default, low, high, what), NUM (double), BOOL, TEXT, CHOICE. Keys are
 * paths below the root key `mistral_orchestrator`. Times are in the unit their name says. The
 * first eight have the names that mistro's first versions gave them. */
#define SETTINGS(INT, NUM, BOOL, TEXT, CHOICE)                                                     \
    TEXT(model_name, "model_name", "mistral", "the model, through model.aliases")                  \
    NUM(temperature, "temperature", 0.2, 0, 2, "of decisions, plans and the studio")               \
    INT(max_tokens, "max_tokens", 2048, 16, 131072, "longest answer of the model")                 \
    NUM(confidence_threshold, "confidence_threshold", 0.7, 0, 1, "below it mistro asks")           \
    INT(max_clarifying_questions, "max_clarifying_questions", 3, 1, 10, "asked at once")           \
    INT(conversation_memory_size, "conversation_memory_size", 10, 1, 1000,                         \
        "last messages of a session that a turn and /history see")                                 \
    INT(max_plan_steps, "max_plan_steps", 10, 1, 1000, "steps of one plan")                        \
    INT(timeout_seconds, "timeout_seconds", 60, 1, 3600, "silence of a model or a tool")           \
    INT(prompt_window, "prompt_window", 5, 0, 1000, "messages a decision prompt sees")             \
    TEXT(model_base_url, "model.base_url", "", "endpoint; empty = discover on this machine")       \
    CHOICE(model_api, "model.api", "auto", "auto ollama openai", "dialect of the endpoint")        \
    TEXT(model_api_key, "model.api_key", "", "sent as bearer token; better in the environment")    \
    INT(model_connect_timeout_ms, "model.connect_timeout_ms", 2000, 50, 60000, "to connect")       \
    INT(model_first_token_timeout_seconds, "model.first_token_timeout_seconds", 60, 1, 3600,       \
        "silence before the first token: loading and queueing count")                              \
    INT(model_context_tokens, "model.context_tokens", 8192, 512, 1048576, "num_ctx of Ollama")     \
    INT(model_max_response_bytes, "model.max_response_bytes", 4194304, 1024, 67108864,             \
        "longest answer in bytes")                                                                 \
    INT(model_seed, "model.seed", 1, -1, 2147483647, "of sampling; -1 = none")                     \
    INT(model_parallel, "model.parallel", 0, 0, 1000,                                              \
        "requests to the endpoint at once; 0 = any number")                                        \
    TEXT(model_keep_alive, "model.keep_alive", "30m", "how long Ollama keeps the model loaded")    \
    CHOICE(model_fallback, "model.fallback", "none", "none lexical",                               \
           "what answers when a named model cannot")                                               \
    INT(model_attempts, "model.attempts", 3, 1, 10, "per request, transport failures only")        \
    BOOL(model_stream, "model.stream", true,                                                       \
         "stream answers; without, cancelling frees a server late")                                \
    CHOICE(model_schema, "model.schema", "auto", "auto on off",                                    \
           "hold answers to a schema; auto asks the endpoint once")                                \
    CHOICE(model_turns, "model.turns", "single", "single chat",                                    \
           "how a studio sends what was said: within one user turn, or as turns")                  \
    BOOL(model_warm_up, "model.warm_up", true, "in a chat, load the model while the person types") \
    INT(model_launch_timeout_seconds, "model.launch_timeout_seconds", 120, 1, 3600,                \
        "until a launched server is healthy")                                                      \
    TEXT(storage_dir, "storage.dir", "", "empty = see docs/configuration.md")                      \
    CHOICE(storage_backend, "storage.backend", "json", "json sqlite postgres",                     \
           "of conversations; postgres: of runs, approvals and pins as well")                      \
    TEXT(storage_postgres, "storage.postgres", "", "URL of the database; not from a project")      \
    INT(storage_max_conversation_bytes, "storage.max_conversation_bytes", 16777216, 65536,         \
        268435456, "one conversation")                                                             \
    INT(storage_result_bytes, "storage.result_bytes", 65536, 0, 4194304,                           \
        "of results that a conversation keeps for later turns")                                    \
    BOOL(runs_enabled, "runs.enabled", true, "keep a log of runs")                                 \
    BOOL(runs_store_text, "runs.store_text", true, "prompts and answers in full; else hashes")     \
    INT(runs_keep_days, "runs.keep_days", 30, 0, 36500, "0 keeps all")                             \
    INT(runs_max_mb, "runs.max_mb", 256, 1, 1048576, "size of the run log")                        \
    CHOICE(runs_keep_state, "runs.keep_state", "failed", "failed always never",                    \
           "what plans need to go on: until they complete, for ever, or not at all")               \
    INT(runs_max_state_mb, "runs.max_state_mb", 256, 1, 1048576,                                   \
        "of it: results of one run, and all runs together")                                        \
    INT(cassettes_max_bytes, "cassettes.max_bytes", 268435456, 1024, 1073741824,                   \
        "of a recording, written or read")                                                         \
    INT(cassettes_max_line_bytes, "cassettes.max_line_bytes", 67108864, 1024, 1073741824,          \
        "of one message in it")                                                                    \
    INT(tools_shortlist, "tools.shortlist", 0, 0, 1000,                                            \
        "lines of tools in a prompt, at most; 0 = as tools.prompt_tokens has room")                \
    INT(tools_prompt_tokens, "tools.prompt_tokens", 1500, 64, 131072,                              \
        "of the lines of tools in a prompt; a third of the context at most")                       \
    INT(tools_max_parallel, "tools.max_parallel", 16, 1, 64, "steps that run at once")             \
    INT(tools_max_result_bytes, "tools.max_result_bytes", 8388608, 1024, 67108864,                 \
        "one result that a model may see")                                                         \
    INT(tools_cli_result_bytes, "tools.cli_result_bytes", 67108864, 1024, 1073741824,              \
        "one result of call or run, which ask no model")                                           \
    INT(tools_prompt_result_bytes, "tools.prompt_result_bytes", 6000, 256, 1048576,                \
        "of one result in the answer prompt")                                                      \
    INT(tools_attempts, "tools.attempts", 3, 1, 10, "of a call that may be repeated")              \
    INT(tools_retry_delay_ms, "tools.retry_delay_ms", 250, 0, 60000, "before the second attempt")  \
    INT(tools_max_definition_bytes, "tools.max_definition_bytes", 4194304, 1024, 67108864,         \
        "one tool's, without _meta; a longer one is left out")                                     \
    INT(tools_max_per_server, "tools.max_per_server", 2000, 1, 100000,                             \
        "listed by one server; resources and prompts likewise")                                    \
    INT(tools_call_max_seconds, "tools.call_max_seconds", 600, 1, 86400,                           \
        "one call in all, however much progress it reports")                                       \
    INT(tools_plan_at_once, "tools.plan_at_once", 1500, 0, 131072,                                 \
        "tokens of all tools' lines up to which intent and plan are one call")                     \
    BOOL(tools_jobs, "tools.jobs", true,                                                           \
         "offer consensus and figure as tools of the server mistro")                               \
    TEXT(plans_dir, "plans.dir", "", "folder of plans, tools of the server plan; empty = none")    \
    INT(plans_max, "plans.max", 200, 1, 2000, "plans of one folder that are tools")                \
    INT(mcp_max_servers, "mcp.max_servers", 256, 1, 1000, "that may be configured")                \
    INT(mcp_kept_servers, "mcp.kept_servers", 64, 1, 1000, "processes that a keeper has at most")  \
    INT(mcp_start_timeout_ms, "mcp.start_timeout_ms", 60000, 100, 600000, "start and handshake")   \
    INT(mcp_first_probe_timeout_ms, "mcp.first_probe_timeout_ms", 20000, 10, 60000,                \
        "silence of a new server before it counts as legacy")                                      \
    INT(mcp_probe_timeout_ms, "mcp.probe_timeout_ms", 5000, 10, 60000,                             \
        "the same of a server that was reached before")                                            \
    INT(mcp_max_message_bytes, "mcp.max_message_bytes", 67108864, 1024, 1073741824,                \
        "one message of a server")                                                                 \
    INT(mcp_max_values, "mcp.max_values", 1000000, 1000, 100000000,                                \
        "JSON values made of one message; objects and arrays count twice")                         \
    INT(mcp_max_pages, "mcp.max_pages", 64, 1, 10000, "pages of one list")                         \
    INT(mcp_max_junk_lines, "mcp.max_junk_lines", 1000, 0, 1000000, "then the server is ended")    \
    INT(mcp_max_restarts, "mcp.max_restarts", 5, 0, 1000, "within five minutes")                   \
    INT(mcp_close_wait_ms, "mcp.close_wait_ms", 2000, 0, 60000, "between the steps of shutdown")   \
    INT(mcp_stderr_bytes, "mcp.stderr_bytes", 65536, 1024, 16777216, "kept of a server's stderr")  \
    INT(mcp_list_changed_delay_ms, "mcp.list_changed_delay_ms", 200, 0, 10000, "debounce")         \
    INT(mcp_task_poll_ms, "mcp.task_poll_ms", 1000, 10, 600000,                                    \
        "between looks at a task whose server names no time")                                      \
    INT(mcp_task_ttl_seconds, "mcp.task_ttl_seconds", 3600, 1, 604800,                             \
        "how long a server is asked to keep a task")                                               \
    INT(mcp_sampling_max_tokens, "mcp.sampling_max_tokens", 1024, 1, 131072,                       \
        "longest answer of the model for a server")                                                \
    INT(mcp_sampling_requests, "mcp.sampling_requests", 10, 1, 1000, "of one call to the model")   \
    INT(mcp_login_seconds, "mcp.login_seconds", 300, 5, 3600, "until a person is back from it")    \
    CHOICE(mcp_keyring, "mcp.keyring", "auto", "auto off",                                         \
           "keep logins in the desktop's keyring, where there is one")                             \
    INT(http_requests_per_minute, "http.requests_per_minute", 600, 1, 1000000,                     \
        "of one person; beyond it 429")                                                            \
    INT(http_requests_at_once, "http.requests_at_once", 64, 1, 100000,                             \
        "of one person being answered; beyond it 429")                                             \
    INT(http_max_connections, "http.max_connections", 1000, 1, 100000, "at once")                  \
    INT(http_max_body_bytes, "http.max_body_bytes", 16777216, 1024, 1073741824, "of one request")  \
    INT(http_request_seconds, "http.request_seconds", 30, 1, 3600,                                 \
        "for a request to come in whole")                                                          \
    INT(http_drain_seconds, "http.drain_seconds", 30, 0, 3600,                                     \
        "for what runs when the server is to end")                                                 \
    INT(http_replay_events, "http.replay_events", 256, 0, 10000,                                   \
        "kept of each session for streams that are resumed")                                       \
    INT(http_max_sessions, "http.max_sessions", 1000, 1, 100000, "of legacy clients at once")      \
    INT(http_session_seconds, "http.session_seconds", 3600, 10, 604800, "an unused one lives")     \
    INT(worker_jobs, "worker.jobs", 4, 1, 256, "runs that a worker has at once")                   \
    INT(worker_queue_jobs, "worker.queue_jobs", 0, 0, 100000,                                      \
        "runs of its queue that all workers have at once; 0 = any number")                         \
    INT(worker_lease_seconds, "worker.lease_seconds", 10, 3, 3600,                                 \
        "without a heartbeat, until others take a worker for dead")                                \
    INT(worker_drain_seconds, "worker.drain_seconds", 30, 0, 3600,                                 \
        "for calls under way when a worker is to end")                                             \
    TEXT(http_hosts, "http.hosts", "", "names beside its own that requests may call it by")        \
    NUM(lexical_threshold, "lexical.threshold", 0.5, 0, 1, "less likely tools are refused")        \
    CHOICE(clarification_wording, "clarification.wording", "template", "template model",           \
           "who words the questions")                                                              \
    TEXT(studio_image_tool, "studio.image_tool", "", "server/tool that makes the image")           \
    TEXT(studio_prompt_argument, "studio.prompt_argument", "prompt",                               \
         "its argument for the prompt")                                                            \
    TEXT(studio_steps_argument, "studio.steps_argument", "steps",                                  \
         "for the steps; empty = not passed")                                                      \
    TEXT(studio_cfg_argument, "studio.cfg_argument", "cfg", "for the scale; empty = not passed")   \
    TEXT(studio_seed_argument, "studio.seed_argument", "seed", "for the seed; empty = not passed") \
    INT(studio_max_message_bytes, "studio.max_message_bytes", 10240, 64, 1048576, "one message")   \
    INT(studio_history_messages, "studio.history_messages", 100, 2, 1000,                          \
        "the live context of a studio")                                                            \
    TEXT(consensus_role_set, "consensus.role_set", "writer_physicist",                             \
         "who agrees where no --roleset says so")                                                  \
    INT(consensus_max_rounds, "consensus.max_rounds", 8, 1, 100,                                   \
        "of two agents, then there is no consensus")                                               \
    INT(consensus_max_unreadable, "consensus.max_unreadable", 4, 1, 200,                           \
        "turns in a row that cannot be read, then the run ends")                                   \
    INT(consensus_max_tokens, "consensus.max_tokens", 1024, 64, 131072,                            \
        "of one envelope; twice that after one that was cut off")                                  \
    INT(consensus_peer_bytes, "consensus.peer_bytes", 6000, 256, 262144,                           \
        "of the peer's words in a prompt")                                                         \
    NUM(consensus_vote_temperature, "consensus.vote_temperature", 0.7, 0, 2,                       \
        "of the samples of --vote")                                                                \
    INT(consensus_check_ms, "consensus.check_ms", 2000, 10, 60000,                                 \
        "for running a candidate against its examples")                                            \
    INT(consensus_check_rows, "consensus.check_rows", 1000, 1, 100000,                             \
        "that a candidate's SQL may give")                                                         \
    INT(figure_max_rounds, "figure.max_rounds", 3, 1, 20, "of drawing and criticism")              \
    TEXT(figure_style, "figure.style", "plain", "config/styles/NAME.yml")                          \
    INT(figure_references, "figure.references", 5, 1, 10, "of the pool that the planner is shown") \
    INT(figure_max_context_bytes, "figure.max_context_bytes", 262144, 64, 16777216,                \
        "of the text that is drawn")                                                               \
    INT(figure_max_nodes, "figure.max_nodes", 300, 1, 300,                                         \
        "in a picture; a larger graph is told in words")                                           \
    INT(figure_max_data_bytes, "figure.max_data_bytes", 16777216, 64, 268435456,                   \
        "of the data of a plot")                                                                   \
    INT(figure_render_seconds, "figure.render_seconds", 20, 1, 600, "for drawing one picture")     \
    INT(figure_render_mb, "figure.render_mb", 1024, 64, 65536, "of memory for drawing")            \
    INT(figure_max_picture_bytes, "figure.max_picture_bytes", 67108864, 1024, 1073741824,          \
        "of one picture in all formats")                                                           \
    TEXT(figure_image_tool, "figure.image_tool", "", "server/tool that draws instead of Graphviz") \
    TEXT(figure_image_argument, "figure.image_argument", "prompt",                                 \
         "its argument for the description")                                                       \
    BOOL(workspace_enabled, "workspace.enabled", true, "the built-in server files")                \
    BOOL(workspace_write, "workspace.write", false, "offer write_file and edit_file")              \
    INT(workspace_max_file_bytes, "workspace.max_file_bytes", 4194304, 1024, 268435456,            \
        "one file read or written")                                                                \
    INT(workspace_max_entries, "workspace.max_entries", 2000, 1, 1000000, "one listing or search") \
    INT(workspace_max_rows, "workspace.max_rows", 1000, 1, 1000000, "rows of one query")           \
    INT(workspace_query_ms, "workspace.query_ms", 5000, 10, 600000, "time of one query")           \
    INT(limits_request_bytes, "limits.request_bytes", 262144, 64, 67108864, "one request")         \
    INT(limits_turn_bytes, "limits.turn_bytes", 268435456, 1048576, 4294967296,                    \
        "memory of a turn")                                                                        \
    INT(limits_run_seconds, "limits.run_seconds", 0, 0, 604800, "a whole run; 0 = no bound")       \
    INT(limits_run_calls, "limits.run_calls", 10000, 1, 100000000, "calls of one plan")            \
    INT(limits_run_result_bytes, "limits.run_result_bytes", 67108864, 1024, 4294967296,            \
        "results of all loops of a plan")                                                          \
    INT(limits_finally_seconds, "limits.finally_seconds", 30, 1, 3600,                             \
        "the steps of `finally`, also after Ctrl-C")

enum setting_kind { SETTING_INT, SETTING_NUM, SETTING_BOOL, SETTING_TEXT, SETTING_CHOICE };

enum setting_origin {
    ORIGIN_DEFAULT,
    ORIGIN_USER_FILE,
    ORIGIN_PROJECT_FILE,
    ORIGIN_ENVIRONMENT,
    ORIGIN_FLAG,
};

enum setting_id {
#define X(member, ...) SETTING_##member,
    SETTINGS(X, X, X, X, X)
#undef X
        SETTING_COUNT
};

struct model_alias {
    const char *name, *target;
};

#define MODEL_LAUNCH_MAX_WORDS 128

/* A command of the settings: model.launch, of a model server that mistro starts itself, or
 * figure.renderer, of what draws instead of Graphviz. `${VAR}` is expanded already. */
struct model_launch {
    const char *const *words; /* the program and its arguments; NULL-terminated */
    const char *const *shown; /* the same as the file has them: a variable may be a secret */
    size_t n_words;           /* 0: nothing is started */
    enum setting_origin origin;
    const char *origin_name; /* the file; NULL for none */
};

enum server_era {
    ERA_AUTO,
    ERA_MODERN,
    ERA_LEGACY,
    ERA_SSE, /* legacy, carried by HTTP+SSE of 2024-11-05; only behind a url */
};
enum server_approval {
    SERVER_APPROVAL_DEFAULT,
    SERVER_APPROVAL_ALLOW,
    SERVER_APPROVAL_ASK,
    SERVER_APPROVAL_DENY
};

/* Are a server's tools held against what they were when it was first used? */
enum server_pinning { SERVER_PINNING_TOOLS, SERVER_PINNING_OFF };

/* May a server ask mistro's own model (MCP sampling)? */
enum server_sampling { SERVER_SAMPLING_OFF, SERVER_SAMPLING_ASK, SERVER_SAMPLING_ALLOW };

/* How mistro identifies itself to the authorization server of an MCP server (OAuth 2.1); every
 * member may be NULL. */
struct server_oauth {
    const char *client_id, *client_secret; /* registered beforehand */
    const char *client_metadata_url;       /* an https URL that is the client_id (CIMD) */
    const char *scope;                     /* instead of what the server asks for */
    const char *issuer;      /* the client_id is known there; NULL: to the first that is found */
    bool is_machine;         /* client credentials: no person logs in */
    const char *private_key; /* PEM text: signs instead of a secret */
    const char *algorithm;   /* of the key: "ES256" (default) or "RS256" */
    int64_t callback_port;   /* 0 = any */
};

/* One configured MCP server. `${VAR}` is expanded already. */
struct server_config {
    const char *name;
    const char *command;          /* NULL for a URL */
    const char *const *arguments; /* without the command */
    size_t n_arguments;
    const char *const *environment; /* "NAME=value" beside the minimal environment */
    size_t n_environment;
    const char *directory;    /* cwd, or NULL */
    const char *const *roots; /* absolute folders it is told; NULL = it is not told any */
    size_t n_roots;
    const char *url;            /* or NULL */
    const char *const *headers; /* "Name: value" */
    size_t n_headers;
    bool enabled;
    bool is_shared;        /* one that a keeper has running may be used, after another command */
    bool says_share;       /* or not: it is written there */
    unsigned max_parallel; /* calls under way; 0 = any number */
    int64_t timeout_ms, start_timeout_ms; /* 0 = the general setting */
    enum server_era era;
    const char *const *allowed_tools; /* globs; NULL = all */
    size_t n_allowed_tools;
    const char *const *disabled_tools; /* globs */
    size_t n_disabled_tools;
    enum server_approval approval;
    enum server_pinning pinning;
    enum server_sampling sampling;
    struct server_oauth oauth; /* of a URL */
    const char *file;          /* where it is written */
    bool from_project;         /* must not start before that file was approved */
};

/* Whether the server may ask the model, if there is one. */
static inline bool server_may_sample(const struct server_config *server, bool has_consent)
{
    return server->sampling == SERVER_SAMPLING_ALLOW ||
           (server->sampling == SERVER_SAMPLING_ASK && has_consent);
}

struct settings {
#define INT(member, key, fallback, low, high, what) int64_t member;
#define NUM(member, key, fallback, low, high, what) double member;
#define BOOL(member, key, fallback, what) bool member;
#define TEXT(member, key, fallback, what) const char *member;
#define CHOICE(member, key, fallback, choices, what) const char *member;
    SETTINGS(INT, NUM, BOOL, TEXT, CHOICE)
#undef INT
#undef NUM
#undef BOOL
#undef TEXT
#undef CHOICE
    enum setting_origin origins[SETTING_COUNT];
    const char *origin_names[SETTING_COUNT]; /* the file, variable or flag; NULL for a default */
    const struct model_alias *aliases;
    size_t n_aliases;
    struct model_launch launch, renderer;
    const struct policy_rule *policy;
    size_t n_policy;
    const struct server_config *servers;
    size_t n_servers;
    const char *const *waiting_servers; /* names of the project's that nobody approved yet */
    size_t n_waiting_servers;
};

/* ERR_DENIED about one of the waiting servers. */
enum err_code settings_server_waits(const char *name, struct err *err);

/* How many of the last messages a turn may look at. */
static inline size_t settings_recent_messages(const struct settings *settings)
{
    int64_t chat = settings->conversation_memory_size, studio = settings->studio_history_messages;
    return (size_t)(chat > studio ? chat : studio);
}

struct setting {
    const char *key;
    enum setting_kind kind;
    size_t offset;        /* of the member in struct settings */
    double low, high;     /* INT and NUM */
    const char *choices;  /* CHOICE: separated by blanks */
    const char *fallback; /* the default as it stands in a file */
    const char *what;     /* one line for people */
};

/* By setting_id. */
extern const struct setting settings_table[SETTING_COUNT];

/* Everything at its default; no servers, the alias mistral -> mistral:7b. */
void settings_init(struct settings *settings);
/* Sets one from a parsed value. ERR_INVALID (with the bound or the choices) leaves it as it was.
 * Text is copied into the arena. */
MUST_CHECK
enum err_code settings_set(struct settings *settings, struct arena *arena, enum setting_id id,
                           const json_t *value, enum setting_origin origin, const char *origin_name,
                           struct err *err);
/* As above, from text as it stands in a flag or variable. */
MUST_CHECK
enum err_code settings_set_text(struct settings *settings, struct arena *arena, enum setting_id id,
                                const char *text, enum setting_origin origin,
                                const char *origin_name, struct err *err);
/* The present value; owned by the caller. */
json_t *settings_value(const struct settings *settings, enum setting_id id);
/* Whether the model is the one of model.launch: it is set, and nothing that counts for more than
 * its file, such as a flag, names an endpoint. */
bool settings_launch_counts(const struct settings *settings);
/* SETTING_COUNT when there is no such key. */
enum setting_id settings_find(const char *key);

#endif
