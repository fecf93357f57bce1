/* What a command of the command line works with: the parsed words, the services of the
 * application, the console, and the process it runs in. Commands turn words into calls of use
 * cases and results into output; they decide nothing else. */
#ifndef PRESENTATION_CLI_CLI_H
#define PRESENTATION_CLI_CLI_H

#include "application/journal.h"
#include "application/ports/console.h"
#include "application/ports/rpc_endpoint.h"
#include "application/services.h"
#include "domain/repositories/person_repository.h"
#include "presentation/cli/arguments.h"
#include "presentation/cli/style.h"

struct cli_host;
struct serve_options;

/* A server for the user's file; command or url is NULL. */
struct new_server {
    const char *name, *command, *url;
    const char *const *arguments; /* of the command */
    size_t n_arguments;
    const char *const *pairs; /* NAME=value for a command, 'Name: value' for a url */
    size_t n_pairs;
};

/* What is copied from other clients into the user's file. */
struct client_import {
    const char *const *names; /* NAME or OLD=NEW */
    size_t n_names;           /* 0: all */
    const char *from;         /* or NULL */
    bool with_secrets, dry_run;
};

/* What mistro is to another client that it is to be a tool of. */
struct client_setup {
    const char *file, *snippet; /* its settings, and what they should have */
    bool is_there, was_written;
    const char *backup;  /* of what was there; NULL: none */
    const char *why_not; /* it cannot be written; NULL: it can */
};

/* A part of what a project brings that waits for approval. */
struct project_item {
    const char *name;   /* of a server; NULL: settings and other files */
    const char *text;   /* in full, escaped */
    const char *before; /* what was approved last; NULL: nothing */
    size_t index;       /* private */
};

/* Things of the process that no use case knows: where the configuration is, serving, trust. The
 * composition root implements it. */
struct cli_host_ops {
    /* Paths for `config path` and doctor, as label and value; NULL where there is none. */
    size_t (*paths)(struct cli_host *h, struct arena *arena, const char ***out_labels,
                    const char ***out_values);
    const char *(*state_dir)(struct cli_host *h);    /* history of the chat; may be NULL */
    const char *(*project_risk)(struct cli_host *h); /* what waits for approval, or NULL */
    const char *(*project_hash)(struct cli_host *h); /* of that, for --approve-folder */
    enum err_code (*approve_project)(struct cli_host *h, struct scope *sc, struct err *err);
    /* The parts of what waits; and one of its servers approved by itself. */
    size_t (*project_items)(struct cli_host *h, struct project_item **out);
    enum err_code (*approve_item)(struct cli_host *h, struct scope *sc,
                                  const struct project_item *item, struct err *err);
    enum err_code (*add_server)(struct cli_host *h, const struct new_server *server,
                                const char **out_file, struct err *err);
    enum err_code (*remove_server)(struct cli_host *h, const char *name, const char **out_file,
                                   struct err *err);
    /* Writes into the file of a server whether one process of it may serve several commands. */
    enum err_code (*share_server)(struct cli_host *h, const struct server_config *server,
                                  bool is_shared, struct err *err);
    /* The keeper of servers (mistro servers keep): starts it where there is none and sets how long
     * it stays unused; ends it, with how many servers it had; is it, and says so when others can
     * reach it. */
    enum err_code (*start_keeper)(struct cli_host *h, int64_t idle_ms, struct err *err);
    enum err_code (*stop_keeper)(struct cli_host *h, int64_t *out_n, struct err *err);
    enum err_code (*run_keeper)(struct cli_host *h, struct scope *sc, int64_t idle_ms,
                                void (*on_ready)(void *context), void *context, struct err *err);
    /* Servers of other clients as JSON without secrets (infrastructure/config/client_files.h); a
     * new reference. from: one client, or NULL. */
    enum err_code (*find_clients)(struct cli_host *h, const char *from, json_t **out,
                                  struct err *err);
    enum err_code (*import_clients)(struct cli_host *h, const struct client_import *import,
                                    json_t **out, struct err *err);
    /* write: puts it into the file where it is not there. Texts are in the arena. */
    enum err_code (*set_up_client)(struct cli_host *h, const char *name, bool write,
                                   struct arena *arena, struct client_setup *out, struct err *err);
    enum err_code (*workspace)(struct cli_host *h, const char *root, bool write,
                               struct tool_server **out, struct err *err);
    /* The tools of a fixture, and what it says of serving them; on standard input and output
     * through the rpc that plays what only a process can do. */
    enum err_code (*mock)(struct cli_host *h, json_t *fixture, struct tool_server **out,
                          struct serve_options *options, struct err *err);
    struct rpc *(*mock_rpc)(struct cli_host *h, struct tool_server *mock);
    /* The tools of a cassette; server: one of those that it has, or NULL. */
    enum err_code (*replayed)(struct cli_host *h, const char *file, const char *server,
                              struct tool_server **out, struct err *err);
    /* From now on servers and models are those that a run left in its cassette, and nothing is
     * logged or kept. ERR_NOT_FOUND: it left none. */
    enum err_code (*replay_run)(struct cli_host *h, const char *run_id, struct err *err);
    /* What was not in its cassette first; its code is ERR_NONE when all was. */
    const struct err *(*replay_miss)(struct cli_host *h);
    struct rpc *(*stdio_rpc)(struct cli_host *h);
    /* "ADDRESS:PORT" is listened at; whether others than this machine reach it. */
    enum err_code (*listen)(struct cli_host *h, const char *address, struct web_server **out,
                            bool *out_is_loopback, struct err *err);
    struct rpc_endpoint *(*rpc_endpoint)(struct cli_host *h,
                                         const struct rpc_endpoint_options *options);
    /* Who may use what is served over HTTP. ERR_INVALID: there is no home folder to keep them in.
     */
    enum err_code (*persons)(struct cli_host *h, struct person_repository **out, struct err *err);
    /* The services of a person ("": of the process) with sessions, runs, approvals, pins, logins
     * and server processes of their own. Nobody is there to be asked but through a tool call. They
     * are made when a person first comes, and stay until release_services was called as often as
     * this, and then as long as there is room. May wait, for the end of what another person had who
     * has not come for the longest time. ERR_LIMIT: too many persons have something running. */
    enum err_code (*services_of)(struct cli_host *h, const char *person, struct services **out,
                                 struct err *err);
    /* Once more for services that were not released yet; and back. */
    void (*hold_services)(struct cli_host *h, struct services *services);
    void (*release_services)(struct cli_host *h, struct services *services);
    /* The text as a person leaves it in their editor ($VISUAL, $EDITOR, else vi), which has the
     * terminal meanwhile; file: what it is called there. In the arena. Waits. */
    enum err_code (*edit_text)(struct cli_host *h, const char *file, const char *text,
                               struct arena *arena, const char **out, struct err *err);
};

struct cli_host {
    const struct cli_host_ops *ops;
    const char *version;
};

struct cli {
    const struct arguments *args;
    struct services *services;
    struct console *console;
    struct cli_host *host;
    struct style style;        /* of stderr */
    struct style answer_style; /* of stdout */
    bool answers_aside;        /* stdout is read by a program: answers go to stderr */
    struct scope *scope;       /* ends with --timeout and Ctrl-C */
    struct arena *arena;       /* lives as long as the command */
    bool in_chat;              /* a turn of the conversation: the next message answers */
    bool takes_keys;           /* that is typed in a line editor, where keys have meanings */
    struct err told;           /* the latest failure that was printed */
    struct event_lines *lines; /* activity on stderr; NULL when nothing watches */
};

#endif
