/* The tools that take turns and run plans: `ask`, `plan` and `run_plan`. Arguments become a request
 * of the chat or of a plan, questions that come back are put to the person where there is one, and
 * the turn becomes a result: the result object as structuredContent, and the text that a model or a
 * person reads first. */
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/agent_tools_internal.h"
#include "application/orchestrators/turn_result.h"
#include "application/use_cases/make_plan.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/sessions.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define MAX_ROUNDS 5       /* of questions within one call */
#define MAX_CALL_BYTES 400 /* of the arguments of a call that the text of a result shows */

static const char *question_text(struct arena *arena, const struct question *question)
{
    return arena_printf(arena, "%s: %s%s", question->key, question_say(arena, question),
                        question_choices(arena, question));
}

static const char *questions_text(struct arena *arena, const struct turn_result *turn)
{
    const char *text = "";
    for (size_t i = 0; turn->intent && i < turn->intent->n_questions; i++)
        text =
            arena_printf(arena, "%s%s\n", text, question_text(arena, &turn->intent->questions[i]));
    return arena_printf(arena,
                        "%sNothing was done yet. Call again with session_id \"%s\" and answers by "
                        "key.",
                        text, turn->session_id ? turn->session_id : "");
}

const char *agent_error_text(struct arena *arena, const struct err *err)
{
    const char *message = *err->message ? err->message : err_name(err->code);
    return *err->hint ? arena_printf(arena, "%s; %s", message, err->hint) : message;
}

/* One line for each problem; a single one is what the error says already. */
static const char *problems_text(struct arena *arena, const struct problems *problems)
{
    struct problems scratch = { .arena = arena };
    const char *text = "";
    for (size_t i = 0; problems && problems->n > 1 && i < problems->n; i++)
        text = arena_printf(arena, "%s\n%s", text, problem_print(&scratch, &problems->list[i]));
    return text;
}

/* The calls that were refused, and those that were not made because of that. */
static const char *calls_text(struct arena *arena, const struct turn_result *turn)
{
    const char *text = "";
    for (size_t i = 0; turn->status == RUN_REFUSED && i < turn->n_steps; i++) {
        const struct step_outcome *outcome = &turn->steps[i];
        if ((outcome->state != STEP_ERROR && outcome->state != STEP_SKIPPED) ||
            outcome->step->kind != STEP_TOOL)
            continue;
        const char *args =
            json_print_in(arena, outcome->args ? outcome->args : outcome->step->args);
        int shown = (int)text_cut(args, strlen(args), MAX_CALL_BYTES);
        text =
            arena_printf(arena, "%s\nnot called: %s %.*s", text, outcome->step->tool, shown, args);
    }
    return text;
}

const char *agent_turn_text(struct arena *arena, const struct turn_result *turn)
{
    const char *answer = turn_has_answer(turn) && turn->answer ? turn->answer : "";
    if (turn->status == RUN_NEEDS_ANSWER)
        return questions_text(arena, turn);
    if (turn->status == RUN_COMPLETED)
        return turn->dropped
                   ? arena_printf(arena, "%s%s%s", turn->dropped, *answer ? "\n\n" : "", answer)
                   : answer;
    return arena_printf(arena, "%s%s%s: %s%s%s", answer, *answer ? "\n\n" : "",
                        run_status_name(turn->status), agent_error_text(arena, &turn->err),
                        problems_text(arena, turn->problems), calls_text(arena, turn));
}

void agent_result_failed(struct arena *arena, const struct err *err, struct step_result *out)
{
    json_t *value = json_pack("{s:i, s:s, s:o}", "version", TURN_RESULT_VERSION, "status",
                              run_status_name(run_status_of(err->code)), "error", err_to_json(err));
    step_result_from_text(arena, agent_error_text(arena, err), value, true, out);
}

static const char *check_text(const void *context, struct arena *arena, size_t field,
                              const json_t *answer)
{
    (void)context;
    (void)arena;
    (void)field;
    return json_string_has_nul(answer) ? "U+0000 is not allowed" : NULL;
}

static struct form form_of(struct arena *arena, const struct intent *intent)
{
    struct form_field *fields = arena_array(arena, struct form_field, intent->n_questions);
    for (size_t i = 0; i < intent->n_questions; i++) {
        const struct question *question = &intent->questions[i];
        bool is_choice = question->n_choices && !question->n_more_choices;
        fields[i] = (struct form_field){ .key = question->key,
                                         .label = question->text,
                                         .note = question_shape(arena, question),
                                         .kind = is_choice ? FORM_CHOICE : FORM_TEXT,
                                         .choices = question->choices,
                                         .n_choices = is_choice ? question->n_choices : 0,
                                         .required = true };
    }
    const char *goal = intent->primary_goal;
    return (struct form){ .title = goal && *goal
                                       ? arena_printf(arena, "mistro has to know more: %s", goal)
                                       : "mistro has to know more",
                          .fields = fields,
                          .n_fields = intent->n_questions,
                          .check = check_text };
}

/* Puts the questions of a turn to the person behind the host while the call goes on, and fills in
 * the session and the answers of the next request. False when the person is not there, declines or
 * leaves the form: the questions stay the result, and a later call can answer them. */
awaits MUST_CHECK static bool ask_questions(struct user *user, struct scope *scope,
                                            struct arena *arena, const struct turn_result *turn,
                                            struct turn_request *out)
{
    const struct intent *intent = turn->intent;
    json_t *given = NULL;
    if (!intent || !intent->n_questions || !turn->session_id || !user_present(user))
        return false;
    const struct form form = form_of(arena, intent);
    if (user_ask(user, scope, &form, arena, &given, NULL))
        return false;
    struct turn_answer *answers = arena_array(arena, struct turn_answer, intent->n_questions);
    for (size_t i = 0; i < intent->n_questions; i++)
        answers[i] = (struct turn_answer){
            .key = intent->questions[i].key,
            .value = json_get_string(given, intent->questions[i].key),
        };
    out->session_id = turn->session_id;
    out->answers = answers;
    out->n_answers = intent->n_questions;
    return true;
}

static enum err_code take_answers(struct arena *arena, const json_t *arguments,
                                  struct turn_request *request, struct err *err)
{
    const json_t *given = json_object_get(arguments, "answers");
    struct turn_answer *answers =
        arena_array(arena, struct turn_answer, json_object_size(given) + 1);
    const char *key;
    json_t *value;
    json_each_member (given, key, value) {
        if (json_string_has_nul(value))
            return err_set(err, ERR_INVALID, 0, "/answers/%.60s: U+0000 is not allowed", key);
        const char *text =
            json_is_string(value) ? json_string_value(value) : json_print_in(arena, value);
        answers[request->n_answers++] = (struct turn_answer){ .key = key, .value = text };
    }
    request->answers = answers;
    return ERR_NONE;
}

static enum err_code read_chat(struct arena *arena, const json_t *arguments,
                               struct turn_request *out, struct err *err)
{
    enum err_code r = job_take_text(arguments, "request", &out->message, err);
    if (!r)
        r = job_take_text(arguments, "session_id", &out->session_id, err);
    if (!r)
        r = take_answers(arena, arguments, out, err);
    if (r)
        return r;
    if (!out->message && !out->n_answers)
        return err_set(err, ERR_INVALID, 0, "/request: missing; say what is to be done");
    if (out->n_answers && !out->session_id)
        return err_set(err, ERR_INVALID, 0,
                       "/session_id: missing; answers belong to the session that asked");
    return ERR_NONE;
}

/* Every turn is a result: completed and asking back are the tool's results, the rest is its
 * failure. */
static void give_turn(struct arena *arena, const struct turn_result *turn, struct step_result *out)
{
    bool is_error = turn->status != RUN_COMPLETED && turn->status != RUN_NEEDS_ANSWER;
    step_result_from_text(arena, agent_turn_text(arena, turn), turn_result_to_json(turn), is_error,
                          out);
}

/* Takes turns until there is nothing to ask, or no one who answers: then the result has the
 * questions. The plan of a turn that stops after it is its answer. */
awaits MUST_CHECK static enum err_code converse(struct services *services, struct scope *scope,
                                                struct arena *arena, struct turn_request *request,
                                                struct step_result *out, struct err *err)
{
    struct turn_result turn = { 0 };
    const json_t *plan = NULL;
    enum err_code r = choose_session(services, scope, arena, request->session_id,
                                     /* latest */ false, &request->session_id, err);
    if (r)
        return err_prefix(err, r, "/session_id");
    struct mistral_chat *chat = mistral_chat_create(services);
    for (unsigned i = 0;; i++) {
        r = request->plan_only ? make_plan(chat, scope, arena, request, &turn, &plan, err)
                               : mistral_chat_turn(chat, scope, arena, request, &turn, err);
        struct turn_request next = { .plan_only = request->plan_only };
        if (r || turn.status != RUN_NEEDS_ANSWER || i == MAX_ROUNDS ||
            !ask_questions(services->user, scope, arena, &turn, &next))
            break;
        *request = next;
    }
    mistral_chat_destroy(chat);
    if (r)
        return r;
    if (plan)
        turn.answer = json_print_in(arena, plan);
    give_turn(arena, &turn, out);
    return ERR_NONE;
}

enum err_code agent_ask(struct services *services, struct scope *scope, struct arena *arena,
                        const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_request request = { 0 };
    enum err_code r = read_chat(arena, arguments, &request, err);
    return r ? r : converse(services, scope, arena, &request, out, err);
}

enum err_code agent_plan(struct services *services, struct scope *scope, struct arena *arena,
                         const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_request request = { .plan_only = true };
    enum err_code r = read_chat(arena, arguments, &request, err);
    return r ? r : converse(services, scope, arena, &request, out, err);
}

static enum err_code read_plan(const struct services *services, struct arena *arena,
                               const json_t *given, struct document *out, struct err *err)
{
    size_t length = json_string_length(given);
    *out = (struct document){ .value = given };
    if (!json_is_string(given))
        return ERR_NONE;
    if (length > AGENT_TOOLS_MAX_PLAN_BYTES)
        return err_set(err, ERR_LIMIT, 0, "/plan: %zu bytes, at most %d are allowed", length,
                       AGENT_TOOLS_MAX_PLAN_BYTES);
    enum err_code r =
        documents_parse(services->documents, json_string_value(given), length, arena, out, err);
    return r ? err_prefix(err, ERR_BAD_PLAN, "/plan") : ERR_NONE;
}

enum err_code agent_run_plan(struct services *services, struct scope *scope, struct arena *arena,
                             const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_result turn = { 0 };
    struct linked_plan linked = { 0 };
    struct run_plan_request request = { .vars = json_object_get(arguments, "vars"),
                                        .dry_run = json_get_bool(arguments, "dry_run", false),
                                        .is_foreign = true };
    enum err_code r =
        read_plan(services, arena, json_object_get(arguments, "plan"), &linked.document, err);
    request.plan = linked.document.value;
    request.linked = linked.document.places ? &linked : NULL;
    if (!r)
        r = run_plan(services, scope, arena, &request, &turn, err);
    if (!r)
        give_turn(arena, &turn, out);
    return r;
}
