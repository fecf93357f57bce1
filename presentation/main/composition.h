/* The composition root: the one place that knows every layer. It reads what was configured, makes
 * adapters when they are first needed, hands them to the command and takes everything down in
 * reverse order. It decides nothing that a layer could decide.
 *
 * Its parts, which share this header: compose.c (life), compose_settings.c (configuration and
 * trust), compose_services.c (adapters on demand), compose_models.c (models), compose_cassettes.c
 * (recording and replaying), compose_host.c (what the command line needs of the process),
 * compose_jobs.c (mistro's own jobs and plans as tools), compose_persons.c (a composition for each
 * person who is served, beside that of the process). */
#ifndef PRESENTATION_MAIN_COMPOSITION_H
#define PRESENTATION_MAIN_COMPOSITION_H

#include "application/journal.h"
#include "infrastructure/config/config.h"
#include "infrastructure/mcp/keeper/lease.h"
#include "infrastructure/mcp/server/replay.h"
#include "infrastructure/models/choose_model.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/user_queue.h"
#include "presentation/cli/cli.h"
#include "presentation/cli/command.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/events/traffic_lines.h"
#include "presentation/cli/plan_files.h"
#include "presentation/cli/terminal/terminal_user.h"

#define COMPOSITION_MAX_SERVERS 1003
#define COMPOSITION_PROGRAM "/proc/self/exe" /* the one that runs, whatever PATH says */

struct cassette;
struct cassette_recorder;
struct cassette_tape;
struct endpoint_memory;
struct era_memory;
struct http_client;
struct token_store;
struct launched_server;
struct postgres_database;
struct postgres_process;
struct served_persons;
struct uv_runtime;

/* Hands events on to the observer of that moment: a command may put itself in front of the others
 * for as long as it runs, and a launched server outlives it. */
struct watcher_relay {
    struct observer base;
    const struct services *services;
};

struct composition {
    struct services services; /* first: services and composition are cast to each other */
    /* Whose runtime, model, memories, HTTP client and recorder are used: itself, but for one that
     * is a person's. */
    struct composition *process;
    const char *person; /* "": the process itself */
    struct cli_host host;
    struct arena arena; /* settings, paths: as long as the process */
    const struct arguments *arguments;
    const struct command *command;
    struct uv_runtime *runtime;
    struct console *console;
    struct settings settings;
    struct config_paths paths;
    struct cli cli;
    struct event_lines lines;
    struct traffic_lines traffic;
    struct terminal_user user;
    struct user_queue questions; /* in front of it */
    struct scope scope;
    struct scope closing;        /* of servers and models, once the command is over */
    bool project_reviewed;       /* a person approved the folder for good */
    const char **approved_items; /* else servers of it that count by themselves */
    size_t n_approved_items;
    const char *project_hash; /* "sha256:…" of paths.project_risk; NULL where it brings none */
    struct end_signals *end_signals;
    int end_status; /* that a shell expects of a process which a signal ended; 0: none came */
    int64_t interrupted_at_ms;
    int status;
    /* Made on first use. */
    struct tool_server *servers[COMPOSITION_MAX_SERVERS];
    size_t n_servers;
    bool has_servers;
    struct plans_folder plans; /* of plans.dir */
    struct era_memory *eras;
    struct keeper_access keeper;
    struct token_store *logins;
    struct http_client *http;         /* of servers behind a URL */
    struct task_lock choosing;        /* a chat warms its model while the first turn asks for it */
    struct launched_server *launched; /* NULL unless model.launch counts */
    struct journal launching;         /* the events of its start, */
    struct watcher_relay watcher;     /* and who is told of them */
    struct endpoint_memory *endpoints;
    struct model *model;
    enum model_choice model_choice;
    bool has_model;
    struct named_models named;              /* beside it */
    struct postgres_database *database;     /* of the process, for everybody, */
    struct postgres_process *known_process; /* and as which it is known there */
    struct conversation_repository *conversations;
    struct run_repository *runs;
    struct run_queue *queue;
    struct approval_repository *approvals;
    struct pin_repository *pins;
    struct person_repository *persons;
    struct replay_store replays;   /* of all who are served */
    struct served_persons *served; /* who has services of their own; NULL: nobody yet */
    struct tool_index *index;
    struct renderer *renderer;
    struct candidate_checker *checker;
    struct cassette_recorder *recorder; /* NULL unless --record or runs.keep_state want one */
    struct cassette_tape *tape;         /* of --record */
    struct run_tapes run_tapes;         /* of runs.keep_state: always; raw, beside the states */
    struct cassette *cassette;          /* NULL unless something is replayed */
    struct approval_repository *kept_approvals; /* of a run that is replayed; of the cassette */
};

/* The services' ops over the composition, and the end of everything they made. */
void composition_provide_services(struct composition *c);
awaits void composition_close_services(struct composition *c);
/* The database of the process where storage.backend is postgres, else NULL. */
MUST_CHECK
enum err_code composition_database(struct composition *c, struct postgres_database **out,
                                   struct err *err);
/* Where servers and the state of runs are, and who shares the places, once settings and paths are
 * known. */
void composition_open_state(struct composition *c);
/* What a person's composition made, and what it borrowed stays. It ends with the outer scope, which
 * may be NULL. */
awaits void composition_close_own(struct composition *c, const struct scope *outer);
/* persons, services_of, hold_services and release_services of the host (presentation/cli/cli.h). */
MUST_CHECK
enum err_code composition_persons(struct cli_host *host, struct person_repository **out,
                                  struct err *err);
awaits MUST_CHECK enum err_code composition_services_of(struct cli_host *host, const char *person,
                                                        struct services **out, struct err *err);
void composition_hold_services(struct cli_host *host, struct services *services);
void composition_release_services(struct cli_host *host, struct services *services);
/* Closes what all persons have, at once. A task. */
enum err_code composition_close_persons(struct runtime *runtime, struct scope *scope, void *c);
/* Behind the others: mistro's own jobs as tools, where the settings want them. */
void composition_add_jobs(struct composition *c);
/* The plans of plans.dir as tools, likewise. */
void composition_add_plans(struct composition *c);
/* The folder in which a keeper listens; NULL where there is no home. In the composition's arena. */
const char *composition_keeper(struct composition *c);
/* --servers names it, or nothing is said of servers. */
bool composition_may_have_server(const struct composition *c, const char *name);
/* services_model and services_model_of. */
awaits MUST_CHECK enum err_code composition_model(struct services *services, struct scope *scope,
                                                  struct model **out, enum model_choice *out_choice,
                                                  struct err *err);
awaits MUST_CHECK enum err_code composition_model_of(struct services *services, struct scope *scope,
                                                     const char *name, const char *base_url,
                                                     struct model **out, struct err *err);
/* Gets ready for requests to a model, where the command will make some. */
void composition_expect_model(const struct composition *c);
awaits void composition_close_models(struct composition *c);
/* --record and --replay: opens the cassette; and puts it in the place of what was made. */
MUST_CHECK
enum err_code composition_open_cassette(struct composition *c, struct err *err);
MUST_CHECK
enum err_code composition_read_cassette(struct composition *c, const char *path,
                                        struct cassette **out, struct err *err);
/* `runs replay`: as --replay of what the run left beside its state. */
MUST_CHECK
enum err_code composition_replay_run(struct composition *c, const char *run_id, struct err *err);
/* Whether that side (what --live names) is replayed. */
bool composition_is_taped(const struct composition *c, const char *side);
/* Also for `runs replay`, where runs.keep_state says so. */
void composition_record_servers(struct composition *c);
void composition_replay_servers(struct composition *c);
/* The model of the process as it was made; NULL for none. */
void composition_record_model(struct composition *c);
MUST_CHECK
enum err_code composition_replay_model(struct composition *c, struct model **out,
                                       enum model_choice *out_choice, struct err *err);
MUST_CHECK
enum err_code composition_replay_model_of(struct composition *c, const char *name,
                                          const char *base_url, struct model **out,
                                          struct err *err);
/* Reports a recording that ended early, or what was not in the recording: the exit status is then
 * not that of success. */
int composition_judge_cassette(struct composition *c, int status);
void composition_close_cassette(struct composition *c);
/* The composition behind a host; and the host of the command line over the composition. */
struct composition *composition_of_host(struct cli_host *host);
void composition_provide_host(struct composition *c);
/* Settings from files, environment and flags; asks the approvals about the project folder. */
awaits MUST_CHECK enum err_code composition_configure(struct composition *c, struct err *err);
/* What approving the project folder means: it as a whole, so that any change asks again. */
struct approval composition_project_approval(const struct composition *c);

/* What approving one of the project's servers means. */
struct approval composition_item_approval(struct composition *c, const struct config_item *item);
/* Where the text of an item is kept that was approved; NULL without a home folder. */
const char *composition_item_file(struct composition *c, const struct config_item *item);

/* Runs the command within a fresh composition; returns the exit status. */
int compose_and_run(const struct arguments *arguments, const struct command *command);

#endif
