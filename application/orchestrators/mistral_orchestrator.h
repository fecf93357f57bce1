/* The heart of mistro: one message of a conversation becomes an answer, a question or an honest
 * failure.
 *
 *   message -> intent -> confidence -> questions, or plan -> check -> run -> answer
 *
 * Each arrow is a module beside this one: intent_parser, clarifier, planner, executor, responder.
 * What code can decide no model is asked: the confidence is computed, the plan is checked before
 * anything runs, references are resolved by the host, receipts are written by the host. Without a
 * model the lexical analyst stands in for intent and answer.
 *
 * One orchestrator serves one turn; it owns nothing but its frame. */
#ifndef APPLICATION_ORCHESTRATORS_MISTRAL_ORCHESTRATOR_H
#define APPLICATION_ORCHESTRATORS_MISTRAL_ORCHESTRATOR_H

#include "application/orchestrators/turn_result.h"
#include "application/runs/run_session.h"
#include "domain/entities/conversation.h"

struct mistral_orchestrator {
    struct run_session *session; /* its tools were refreshed, and the index was built of them */
    struct tool_index *index;
    struct engine engine;   /* set by initialize; without a model: the lexical analyst */
    int64_t context_tokens; /* of the model; 0 or less: unknown */
    /* The lexical analyst stands in for a model that failed or refused: it may only read. */
    bool took_over;
};

struct turn_answer {
    const char *key, *value; /* --answer KEY=VALUE */
};

/* What a person, or a host in their name, asks of a turn. */
struct turn_request {
    const char *message;    /* may be NULL when there are answers */
    const char *attached;   /* text piped in beside the message, or attached to it; may be NULL */
    const char *session_id; /* NULL: a new one is made */
    bool no_session;        /* nothing is loaded and nothing is kept */
    const struct turn_answer *answers;
    size_t n_answers;
    bool interactive; /* a turn of `chat`, not `ask` */
    bool plan_only;   /* stop after the checked plan */
    bool dry_run;     /* bind and check every call, make none */
};

/* Chooses who thinks: the model when it is there, the lexical analyst when none was named and none
 * was found or the settings fall back to it (with one warning). Otherwise the model's absence is
 * the error. */
awaits MUST_CHECK enum err_code mistral_orchestrator_initialize(
    struct mistral_orchestrator *orchestrator, struct err *err);

/* One turn. The message, which includes what was attached, and what came of it are added to the
 * conversation, which the caller loads and saves. ERR_NONE: *out says how the turn ended.
 * Otherwise it did not get as far as an intent; *out and the conversation are then of no use.
 * Everything is in the session's arena. */
awaits MUST_CHECK enum err_code mistral_orchestrator_handle_message(
    struct mistral_orchestrator *orchestrator, struct conversation *conversation,
    const struct turn_request *request, struct turn_result *out, struct err *err);

#endif
