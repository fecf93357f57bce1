/* What the parts of the orchestrator pass from hand to hand during one turn. */
#ifndef APPLICATION_ORCHESTRATORS_TURN_H
#define APPLICATION_ORCHESTRATORS_TURN_H

#include "application/execution/arguments.h"
#include "application/execution/executor.h"
#include "application/finding/request_verbs.h"
#include "application/finding/shortlist.h"
#include "application/orchestrators/mistral_orchestrator.h"
#include "application/orchestrators/prompt_template.h"
#include "domain/plan/confidence.h"
#include "domain/plan/value_origin.h"

#define TURN_ANALYST_MODEL "model"
#define TURN_ANALYST_LEXICAL "lexical"

#define TURN_HISTORY_BYTES 2000           /* of one message in the history that a prompt shows */
#define TURN_SAID_BYTES (4 * 1024 * 1024) /* of what turn_hear gathers, newest first */

struct turn {
    struct mistral_orchestrator *orchestrator;
    struct run_session *session;
    struct arena *arena; /* the session's */
    struct conversation *conversation;
    const struct turn_request *request;
    const char *message; /* what the turn is about: the message, or the one a question was about */
    size_t n_history;    /* messages that were there before this turn */
    struct shortlist shortlist;
    struct intent *intent;
    struct request_verbs deeds, earlier_deeds; /* see asked_deeds.h */
    bool has_chosen_tool;                      /* the person answered which tool is meant */
    const json_t *answered;        /* the questions that this turn's message answered; or NULL */
    const json_t *said_parameters; /* the intent's before earlier results were bound; or NULL */
    const json_t *proposal;        /* steps that the intent came with; NULL when it came alone */
    /* Object: what earlier turns and failed attempts left, as {vars.…} of a plan. */
    const json_t *known_results;
    const struct said *said;
    struct argument_notes proposal_notes; /* what was changed in their arguments */
    const json_t *words, *claims;         /* by which the answer is judged; or NULL */
    const char *claim;                    /* that such an answer made all the same */
    struct turn_result *result;
};

static inline const struct settings *turn_settings(const struct turn *turn)
{
    return turn->session->services->settings;
}

/* Days since 1970-01-01 where the process runs, when the turn began: "tomorrow" is meant in local
 * time. */
int64_t turn_today(const struct turn *turn);
/* The parameters of the intent as a prompt shows them: {vars.r1} instead of an earlier result. */
static inline const json_t *turn_parameters(const struct turn *turn)
{
    return turn->said_parameters ? turn->said_parameters : turn->intent->parameters;
}

/* The first message that a prompt shows. */
size_t turn_window_start(const struct turn *turn);
/* Gathers where a text of the model may come from (turn->said): what was said in this turn and in
 * the ones that a prompt shows, and the results that a new plan knows of. */
void turn_hear(struct turn *turn);
struct turn_prompt {
    const char *contract;              /* its words */
    const char *task_path, *user_path; /* of the templates */
    const struct prompt_value *values; /* beside those of every prompt */
    size_t n_values;
};

/* The prompt of one request: three templates of config/prompts/. The opening has the rules and the
 * tools: it is the same bytes for everything that a turn asks, and while the tools stay the same
 * for every turn, so that a server evaluates it once. The task says what is asked for and has the
 * words of the contract; it is the same bytes in every turn. The user's template is what the turn
 * is about. All may use message, history, tools_list, primary_goal, tools_needed, parameters,
 * contract and the given values. What a small context can do without are parts of their own: every
 * message of the history, every tool the intent does not need, every result. */
MUST_CHECK
enum err_code turn_make_prompt(const struct turn *turn, const struct turn_prompt *wanted,
                               struct prompt *out, struct err *err);
/* The opening of every request while these are the tools, as far as it is known without a turn. In
 * the arena. */
MUST_CHECK
enum err_code turn_opening(struct arena *arena, struct assets *assets, const char *tools_list,
                           const char **out, struct err *err);
/* The needed tools under the names that prompts show, or "none". In the arena. */
const char *turn_print_needed(const struct turn *turn);
/* Asks the model for what a contract describes and counts what it cost. */
awaits MUST_CHECK enum err_code turn_ask(struct turn *turn, const struct contract *contract,
                                         const struct ask_prompt *prompt, struct ask_outcome *out,
                                         struct err *err);
/* The JSON of a file of config/words/, which is read once. The path must outlive the assets, which
 * keep the words under it. */
MUST_CHECK
enum err_code turn_load_words(const struct turn *turn, const char *path, const json_t **out,
                              struct err *err);
/* What the lines of tools may take of a prompt. */
int64_t turn_tool_tokens(const struct turn *turn);
/* The shortlist for the turn's message; the named tools (full names) are in it. */
MUST_CHECK
enum err_code turn_make_shortlist(struct turn *turn, const char *const *always, size_t n_always,
                                  struct err *err);
/* What was said, and the parameters of the intent. In the arena. */
const struct said *turn_said_or_known(const struct turn *turn);
/* The arguments for these tools without the values that certainly no one said (value_is_invented),
 * where a tool requires the parameter or changes something. In a plan, where the intent's
 * parameters count as said (turn_said_or_known), what is required stays, for the planner to ask
 * about. Notes tell what was left out. In the arena. */
const json_t *turn_leave_out_inventions(const struct turn *turn, const struct tool *const *tools,
                                        size_t n, const json_t *args, const struct said *said,
                                        struct argument_notes *notes);
/* What the confidence rule judges an intent by. */
struct confidence_input turn_confidence_input(const struct turn *turn);

#endif
