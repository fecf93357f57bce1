/* The words of the command line, sorted: the command, its operands, the flags. Flags are accepted
 * before and after the command, long ones also as --name=value, short ones also bundled (-vv);
 * `--` ends them. Pure: nothing is looked up here, and the strings are those of argv. */
#ifndef PRESENTATION_CLI_ARGUMENTS_H
#define PRESENTATION_CLI_ARGUMENTS_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <stdbool.h>
#include <stddef.h>

/* FLAG(member, "long", 'short' or 0, "help", commands): present or not.
 * COUNT: how often. VALUE: the last one given. LIST: all of them. commands are those that
 * understand it, each between blanks; with a * in front everybody does, and they are those whose
 * help names it because it matters there. */
#define FOR_SERVERS                                                                                \
    "* ask plan run plans chat runs tools tool call resources read prompts prompt servers doctor " \
    "submit worker "
#define FOR_MODELS "* ask plan run chat runs consensus figure studio models serve doctor worker "
#define FOR_TURNS "* ask plan chat studio "
#define FOR_QUEUES " submit worker runs "
#define OPTIONS(FLAG, COUNT, VALUE, LIST)                                                          \
    VALUE(model, "model", 'm', "NAME", "model; or none, or script:FILE (canned answers)",          \
          FOR_MODELS)                                                                              \
    VALUE(base_url, "base-url", 0, "URL", "model endpoint", FOR_MODELS)                            \
    VALUE(config, "config", 0, "FILE", "settings file",                                            \
          FOR_SERVERS FOR_MODELS " config sessions ")                                              \
    VALUE(mcp_config, "mcp-config", 0, "FILE", "file with mcpServers", FOR_SERVERS " serve ")      \
    FLAG(no_builtin, "no-builtin", 0, "without the built-in servers files and data",               \
         "* ask chat tools servers serve ")                                                        \
    VALUE(servers, "servers", 0, "A,B", "only these servers", FOR_SERVERS " serve ")               \
    LIST(headers, "header", 'H', "HEADER", "'Name: value', said to the server with a url",         \
         "* tools call read prompt servers ")                                                      \
    VALUE(session, "session", 0, "ID", "conversation to go on with; new:NAME begins one",          \
          FOR_TURNS " submit ")                                                                    \
    FLAG(continue_last, "continue", 'c', "go on with the latest conversation",                     \
         FOR_TURNS " submit ")                                                                     \
    FLAG(no_session, "no-session", 0, "keep no conversation", FOR_TURNS " submit ")                \
    FLAG(json, "json", 0, "one JSON object on stdout",                                             \
         FOR_SERVERS " consensus figure studio models config sessions serve ")                     \
    FLAG(events, "events", 0, "one JSON event per line on stdout while it runs",                   \
         FOR_TURNS " run call read prompt runs consensus figure worker ")                          \
    VALUE(                                                                                         \
        output, "output", 'o', "FILE", "write the result there",                                   \
        " ask plan run plans schema call read prompt runs sessions chat studio consensus figure ") \
    FLAG(quiet, "quiet", 'q', "no activity on stderr", FOR_MODELS " call read prompt ")            \
    COUNT(verbose, "verbose", 'v', "say more; -vv shows the traffic", FOR_SERVERS FOR_MODELS)      \
    VALUE(timeout, "timeout", 0, "SECONDS", "bound of the whole run", FOR_SERVERS FOR_MODELS)      \
    VALUE(max_steps, "max-steps", 0, "N", "most steps of a plan",                                  \
          "* ask plan run plans chat serve ")                                                      \
    FLAG(dry_run, "dry-run", 0, "check everything, call nothing",                                  \
         " ask run call chat runs servers ")                                                       \
    FLAG(yes, "yes", 'y', "approve what the policy would ask about",                               \
         "* ask run chat runs call servers serve studio worker ")                                  \
    VALUE(approve_folder, "approve-folder", 0, "HASH",                                             \
          "this once, use what the folder's settings bring", "* ask plan run runs call serve ")    \
    LIST(answers, "answer", 0, "KEY=VALUE", "answer to a clarifying question",                     \
         " ask plan consensus runs run ")                                                          \
    VALUE(color, "color", 0, "WHEN", "auto, always or never",                                      \
          FOR_TURNS " run runs tools consensus ")                                                  \
    FLAG(plain, "plain", 0, "for screen readers: no colour, nothing redrawn", " chat studio ")     \
    FLAG(help, "help", 'h', "help on the command", "* ")                                           \
    FLAG(version, "version", 0, "version of mistro", "* ")                                         \
    VALUE(keep_for, "for", 0, "TIME", "keep: until so long unused (90s, 10m, 2h)", " servers ")    \
    FLAG(stop, "stop", 0, "keep: end what is kept", " servers ")                                   \
    FLAG(foreground, "foreground", 0, "keep: be the keeper, until Ctrl-C", " servers ")            \
    FLAG(watch, "watch", 0, "again whenever the server says that it changed", " read ")            \
    VALUE(complete, "complete", 0, "KEY[=TYPED]", "what an argument could be", " prompt read ")    \
    VALUE(record, "record", 0, "FILE", "record what passes between mistro and others",             \
          " ask plan run call consensus figure ")                                                  \
    VALUE(live, "live", 0, "SIDE", "model or tools: that side is asked again", " runs ")           \
    VALUE(replay, "replay", 0, "FILE", "answers of a recording, nothing else is asked",            \
          " ask plan run call consensus figure ")                                                  \
    LIST(vars, "var", 0, "NAME=VALUE", "variable of the plan", " run runs plans submit ")          \
    FLAG(offline, "offline", 0, "start no server: check shape and references only", " plans ")     \
    FLAG(batch, "batch", 0, "one JSON object of arguments per line on stdin", " call ")            \
    VALUE(schema, "schema", 0, "FILE", "definition the tool must still have", " call ")            \
    VALUE(schema_mode, "schema-mode", 0, "MODE", "strict (default) or compatible", " call ")       \
    VALUE(parallel, "jobs", 'j', "N", "calls in flight", " call worker ")                          \
    VALUE(ask, "ask", 0, "REQUEST", "in the place of a plan: what is wanted, in words",            \
          " submit ")                                                                              \
    VALUE(queue, "queue", 0, "NAME", "of this name; default where none is given", FOR_QUEUES)      \
    VALUE(at, "at", 0, "TIME", "not before: 2030-12-31T06:00:00Z, or in 10m, 2h", " submit ")      \
    VALUE(key, "key", 0, "TEXT", "the same one means the same run", " submit ")                    \
    VALUE(root, "root", 0, "DIR", "folder to serve", " serve ")                                    \
    VALUE(server, "server", 0, "NAME", "of the recording, where it has several", " serve ")        \
    VALUE(http, "http", 0, "ADDRESS:PORT", "over HTTP instead; port 0: any", " serve ")            \
    FLAG(open, "open", 0, "over HTTP without a token", " serve ")                                  \
    VALUE(plans, "plans", 0, "DIR", "folder of plans that agent offers as well", " serve ")        \
    FLAG(write, "write", 0, "serve tools that write; setup: change the file", " serve setup ")     \
    VALUE(fixture, "fixture", 0, "FILE", "what the mock answers", " serve ")                       \
    VALUE(expires, "expires", 0, "TIME", "token: counts so long (12h, 30d) or to that day",        \
          " serve ")                                                                               \
    FLAG(admin, "admin", 0, "token: sees and approves everybody's runs", " serve ")                \
    VALUE(from, "from", 0, "CLIENT", "the servers of this client only", " servers ")               \
    FLAG(with_secrets, "with-secrets", 0, "copy secrets instead of naming variables", " servers ") \
    LIST(environment, "env", 'e', "NAME=VALUE", "environment of the server", " servers ")          \
    VALUE(limit, "limit", 'n', "N", "at most so many", " runs sessions tools ")                    \
    VALUE(search, "search", 0, "WORDS", "the tools that a request like this would find",           \
          " tools ")                                                                               \
    VALUE(roleset, "roleset", 0, "NAME|FILE", "who is to agree; list shows the names",             \
          " consensus ")                                                                           \
    FLAG(list, "list", 0, "show the role sets", " consensus ")                                     \
    VALUE(task, "task", 0, "TEXT", "what is to be agreed on", " consensus ")                       \
    VALUE(prompt, "prompt", 0, "TEXT", "the same", " consensus ")                                  \
    FLAG(mock, "mock", 0, "no model: --answer TEXT is what both say", " consensus ")               \
    VALUE(agent_a, "agent-a", 0, "AGENT", "model, mock_rule, mock_echo, or a model's name",        \
          " consensus ")                                                                           \
    VALUE(agent_b, "agent-b", 0, "AGENT", "likewise", " consensus ")                               \
    VALUE(examples, "examples", 0, "FILE", "what every candidate is tried on", " consensus ")      \
    VALUE(vote, "vote", 0, "K", "beside it ask one model K times and count", " consensus ")        \
    VALUE(max_rounds, "max-rounds", 0, "N", "at most so many rounds", " consensus figure ")        \
    VALUE(out, "out", 0, "DIR", "folder for the files of the run", " consensus figure ")           \
    VALUE(uncertain, "uncertain", 0, "HOW", "unanswered calls: ask, repeat, done or fail",         \
          " runs ")                                                                                \
    LIST(results, "set", 0, "STEP=JSON|@FILE", "the result of a call that is done", " runs ")      \
    FLAG(accept_changes, "accept-changes", 0, "resume with tools as they are now", " runs ")       \
    FLAG(retry_failed, "failed", 0, "resume with the steps that failed as well", " runs ")         \
    VALUE(plan_file, "plan", 0, "FILE", "the plan of a forked run", " runs ")                      \
    FLAG(resume_all, "all", 0, "resume every interrupted run", " runs ")                           \
    VALUE(as, "as", 0, "FORM", "form of what is written", " plans run runs ")                      \
    FLAG(with_texts, "with-texts", 0, "prompts and results in otlp-json too", " runs ")            \
    FLAG(html, "html", 0, "show as a page for a browser", " runs ")                                \
    VALUE(context, "context", 0, "FILE", "the text that is drawn; - is standard input",            \
          " figure ")                                                                              \
    VALUE(caption, "caption", 0, "TEXT", "what stands below the figure", " figure ")               \
    VALUE(intent, "intent", 0, "TEXT", "what a reader should take from it", " figure ")            \
    VALUE(mode, "mode", 0, "MODE", "diagram_image (default) or plot_code", " figure ")             \
    VALUE(data, "data", 0, "FILE", "data of a plot: CSV or JSON, or server/tool", " figure ")      \
    VALUE(figure_style, "style", 0, "NAME", "how it looks: config/styles/NAME.yml", " figure ")    \
    VALUE(width, "width", 0, "WIDTH", "inches it is printed on (7), slides or column", " figure ") \
    VALUE(refs, "refs", 0, "A,B", "references to learn from, instead of a search", " figure ")     \
    FLAG(as_list, "as-list", 0, "list the sentences where rules cannot draw them", " figure ")     \
    VALUE(case_name, "name", 0, "CASE", "of the folder in DIR", " figure ")                        \
    VALUE(role, "role", 0, "ROLE", "stage whose payload is validated", " figure ")                 \
    VALUE(input, "input", 0, "FILE", "what that stage was given", " figure ")                      \
    FLAG(allow_description_drift, "allow-description-drift", 0,                                    \
         "rounds need not draw what was asked for", " figure ")

struct argument_list {
    const char **values;
    size_t n, capacity;
};

struct arguments {
    const char *command;   /* NULL when none was given */
    const char **operands; /* what follows the command */
    size_t n_operands, capacity;
    size_t n_before_dashes; /* operands that stand before `--` */
#define FLAG(member, ...) bool member;
#define COUNT(member, ...) unsigned member;
#define VALUE(member, ...) const char *member;
#define LIST(member, ...) struct argument_list member;
    OPTIONS(FLAG, COUNT, VALUE, LIST)
#undef FLAG
#undef COUNT
#undef VALUE
#undef LIST
};

enum option_kind { OPTION_FLAG, OPTION_COUNT, OPTION_VALUE, OPTION_LIST };

/* A row of OPTIONS. */
struct option {
    const char *name;
    char letter; /* or 0 */
    enum option_kind kind;
    const char *value_name; /* NULL: it takes none */
    const char *help;
    const char *commands;
    size_t offset;
};

const struct option *arguments_options(size_t *out_n);
/* By its long name, without dashes; NULL when there is none. */
const struct option *arguments_option(const char *name, size_t length);
/* Whether the word is in a list that has one blank around each. */
bool arguments_names(const char *list, const char *word);

/* argv[0] is skipped. ERR_INVALID for an unknown flag (with the nearest), a missing value, or a
 * flag that the command does not understand. */
MUST_CHECK
enum err_code arguments_parse(struct arena *arena, int argc, const char *const *argv,
                              struct arguments *out, struct err *err);
/* The words in front of one that is still typed: what would be an error is passed over.
 * *out_waiting: the flag whose value comes next, or NULL. */
void arguments_parse_begun(struct arena *arena, int argc, const char *const *argv,
                           struct arguments *out, const struct option **out_waiting,
                           bool *out_flags_ended);

/* The number from 1 to most that a flag was given. A flag that was not given (word is NULL) leaves
 * *out as it is. */
MUST_CHECK
enum err_code arguments_count(const char *flag, const char *word, unsigned most, unsigned *out,
                              struct err *err);

/* The operands with a blank between them; NULL when there is none. */
const char *arguments_joined(struct arena *arena, const struct arguments *arguments);

#endif
