#include "application/use_cases/settle_calls.h"
#include "application/execution/executor.h"
#include "application/execution/forked_calls.h"
#include "application/tools/consent.h"
#include "application/use_cases/plan_state.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include "domain/schema/json_schema.h"
#include "domain/text/redact.h"
#include <string.h>

#define ARGUMENTS_SHOWN_BYTES 300
#define KEYS_SHOWN_BYTES 180

static const char *const words[] = {
#define X(choice, word) word,
    UNCERTAIN_CHOICES(X)
#undef X
};

bool uncertain_choice_parse(const char *word, enum uncertain_choice *out)
{
    int found = text_find(word, words, ARRAY_LENGTH(words));
    *out = found < 0 ? UNCERTAIN_ASK : (enum uncertain_choice)found;
    return found >= 0;
}

struct settling {
    struct run_session *session;
    const struct kept_plan *plans;
    size_t n_plans;
    const struct run_contents *contents;
    const struct resume_request *request;
    struct question *open;
    size_t n_open, capacity;
};

/* One call, with who decided. */
struct decision {
    struct call_record *call;
    const struct kept_plan *of; /* the plan that it is a call of, */
    size_t step;                /* and the index of its step */
    enum uncertain_choice choice;
    const json_t *result; /* that somebody gives it, or NULL */
    const char *by;
};

/* Whether somebody may say what became of the call, once more where it was settled as failed. What
 * a fork knows of another run's calls is not its own to settle. */
static bool may_be_settled(const struct call_record *call)
{
    return call && (call_is_uncertain(call) || call_was_settled_as_failed(call)) &&
           !strchr(call->path, FORKED_PATH_SEPARATOR);
}

static const char *key_of(struct arena *arena, const struct call_record *call)
{
    return arena_printf(arena, UNCERTAIN_KEY "%s", call->path);
}

static enum err_code check_path(struct arena *arena, const struct run_contents *contents,
                                const char *path, struct err *err)
{
    const char *keys = NULL;
    if (may_be_settled(run_contents_call(contents, path)))
        return ERR_NONE;
    for (size_t i = 0; i < contents->n_calls; i++) {
        const struct call_record *call = &contents->calls[i];
        if (may_be_settled(call) && (!keys || strlen(keys) < KEYS_SHOWN_BYTES))
            keys = arena_printf(arena, "%s%s" UNCERTAIN_KEY "%s", keys ? keys : "",
                                keys ? ", " : "", call->path);
    }
    err_set(err, ERR_INVALID, 0, "%.80s is no call whose outcome is uncertain", path);
    return err_hint(err, ERR_INVALID, "the keys there are: %.180s", keys ? keys : "none");
}

static enum err_code check_answer(const struct resume_request *request, const char *key,
                                  const char *word, struct err *err)
{
    const char *path = key + strlen(UNCERTAIN_KEY);
    enum uncertain_choice choice;
    if (!uncertain_choice_parse(word, &choice) || choice == UNCERTAIN_ASK)
        return err_set(err, ERR_INVALID, 0, "--answer %.80s: repeat, done or fail?", key);
    if (choice != UNCERTAIN_DONE && json_object_get(request->results, path))
        return err_set(err, ERR_INVALID, 0,
                       "--answer %.80s=%s and --set %.80s: a result belongs to a call that is done",
                       key, word, path);
    return ERR_NONE;
}

enum err_code settle_calls_check(struct arena *arena, const struct run_contents *contents,
                                 const struct resume_request *request, struct err *err)
{
    const char *key;
    const json_t *value;
    enum err_code r = ERR_NONE;
    json_each_member (request->results, key, value)
        r = r ? r : check_path(arena, contents, key, err);
    json_each_member (request->answers, key, value) {
        if (!r && text_starts_with(key, APPROVE_KEY))
            continue;
        if (!r && !text_starts_with(key, UNCERTAIN_KEY))
            r = err_set(err, ERR_INVALID, 0,
                        "--answer %.80s: a key is " UNCERTAIN_KEY "STEP or " APPROVE_KEY "STEP",
                        key);
        r = r ? r : check_path(arena, contents, key + strlen(UNCERTAIN_KEY), err);
        r = r ? r : check_answer(request, key, json_string_value(value), err);
    }
    return r;
}

/* The arguments as the run log has them: without secrets. */
static const char *describe(struct arena *arena, const struct call_record *call)
{
    char at[RFC3339_SIZE];
    json_auto_t *value = NULL;
    if (json_parse(call->args, strlen(call->args), JSON_OURS, &value, NULL))
        value = json_null();
    json_auto_t *clean = redact_json(value);
    const char *all = json_print_in(arena, clean);
    const char *args = arena_strndup(arena, all, text_cut(all, strlen(all), ARGUMENTS_SHOWN_BYTES));
    const char *cut = strlen(args) < strlen(all) ? "…" : "";
    return arena_printf(
        arena, "%s: %s %s%s was sent at %s, and no answer is kept: it may have taken effect",
        call->path, call->tool, args, cut, rfc3339_print(call->sent_at_ms, at));
}

static void add_question(struct settling *settling, const struct call_record *call,
                         const char *text)
{
    struct arena *arena = settling->session->arena;
    struct question *question =
        arena_push(arena, settling->open, settling->n_open, settling->capacity);
    *question = (struct question){ .key = key_of(arena, call), .text = text };
    question->choices = arena_array(arena, const char *, UNCERTAIN_ASK);
    for (size_t i = 0; i < UNCERTAIN_ASK; i++)
        question->choices[question->n_choices++] = words[i];
}

struct looking {
    int step;
    bool is_found;
};

static bool look(void *context, const char *path, const struct reference *reference)
{
    struct looking *looking = context;
    (void)path;
    looking->is_found |= reference->root == REFERENCE_STEP && reference->step == looking->step;
    return !looking->is_found;
}

/* A step that only waits for another one needs nothing of what it gave. */
static bool is_named_only(const struct step *step, const struct plan *plan, size_t other)
{
    for (size_t i = 0; i < step->n_needs; i++)
        if (strcmp(step->needs[i], plan->steps[other].id) == 0)
            return true;
    return false;
}

/* Whether a step that is still to come refers to the result of this one, or an output does. An
 * element of a loop may do without: it gives null. */
static bool is_needed(const struct settling *settling, const struct decision *decision)
{
    const struct plan *plan = decision->of->plan;
    struct arena *arena = settling->session->arena;
    struct looking looking = { .step = (int)decision->step };
    const struct reference_place behind = reference_place_behind(plan, 0);
    if (plan->steps[decision->step].loop)
        return false;
    bool *needs = arena_array(arena, bool, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps && !looking.is_found; i++)
        if (i != decision->step &&
            !kept_plan_is_over(arena, settling->contents, decision->of, &plan->steps[i])) {
            plan_step_needs(arena, plan, i, needs);
            looking.is_found =
                needs[decision->step] && !is_named_only(&plan->steps[i], plan, decision->step);
        }
    if (!looking.is_found && plan->outputs)
        (void)references_visit_at(arena, &behind, plan->outputs, look, &looking);
    return looking.is_found;
}

static enum err_code ask_person(struct settling *settling, struct decision *decision,
                                struct err *err)
{
    struct run_session *session = settling->session;
    struct arena *arena = session->arena;
    const struct form_field field = { .key = "outcome",
                                      .label = "what is to be done about it",
                                      .note = "repeat: call it again; done: it took effect; fail: "
                                              "it did not",
                                      .kind = FORM_CHOICE,
                                      .choices = words,
                                      .n_choices = UNCERTAIN_ASK,
                                      .required = true };
    const struct form form = { .title = describe(arena, decision->call),
                               .fields = &field,
                               .n_fields = 1 };
    json_t *answers = NULL;
    enum err_code r =
        user_ask(session->services->user, &session->scope, &form, arena, &answers, err);
    if (r)
        return r;
    (void)uncertain_choice_parse(json_get_string(answers, field.key), &decision->choice);
    decision->by = "person";
    return ERR_NONE;
}

/* What is wrong with a result in the place of the one that was lost, or NULL. A schema that cannot
 * be used says nothing about it. */
static const char *misfit(struct arena *arena, const json_t *schema, const json_t *value)
{
    struct problems problems = { .arena = arena };
    bool is_accepted = true;
    if (!schema || json_schema_check(schema, value, &problems, &is_accepted, NULL) || is_accepted)
        return NULL;
    return problems.n ? problem_print(&problems, problems.list) : "it does not fit the schema";
}

static const char *misfit_of_text(const void *schema, struct arena *arena, size_t field,
                                  const json_t *answer)
{
    const char *text = json_string_value(answer);
    json_t *value = NULL;
    struct err err;
    (void)field;
    if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        return arena_strdup(arena, err.message);
    return misfit(arena, schema, arena_keep_json(arena, value));
}

/* Of the tool that was called; NULL where it promises none. */
awaits static const json_t *output_schema(struct settling *settling, const struct call_record *call)
{
    struct run_session *session = settling->session;
    const struct tool *tool = NULL;
    bool is_there = !toolbox_find(session->toolbox, &session->scope, call->tool, &tool, NULL, NULL);
    return is_there ? tool->output_schema : NULL;
}

awaits static enum err_code ask_result(struct settling *settling, struct decision *decision,
                                       struct err *err)
{
    struct run_session *session = settling->session;
    struct arena *arena = session->arena;
    const struct form_field field = { .key = "result",
                                      .label = "its result, as JSON",
                                      .note = "a later step refers to it",
                                      .kind = FORM_TEXT,
                                      .required = true };
    const struct form form = { .title = arena_printf(arena, "%s is done", decision->call->path),
                               .fields = &field,
                               .n_fields = 1,
                               .check = misfit_of_text,
                               .context = output_schema(settling, decision->call) };
    json_t *answers = NULL, *value = NULL;
    enum err_code r =
        user_ask(session->services->user, &session->scope, &form, arena, &answers, err);
    const char *text = json_get_string(answers, field.key);
    if (!r)
        r = json_parse(text, strlen(text), JSON_OURS, &value, err);
    if (!r)
        decision->result = arena_keep_json(arena, value);
    return r;
}

/* Whether policy or an approval permits the call to be made again. */
awaits static bool may_repeat(struct settling *settling, const struct decision *decision)
{
    struct run_session *session = settling->session;
    const char *args = decision->call->args;
    json_t *value = NULL;
    struct invoke_request request = {
        .step_id = kept_plan_step(decision->call->path),
        .path = decision->call->path,
        .is_repeatable = decision->of->plan->steps[decision->step].is_repeatable,
        .named_by_user = plan_state_is_own(settling->contents),
    };
    if (toolbox_find(session->toolbox, &session->scope, decision->call->tool, &request.tool, NULL,
                     NULL) ||
        json_parse(args, strlen(args), JSON_OURS, &value, NULL))
        return false;
    request.arguments = arena_keep_json(session->arena, value);
    return consent_may_repeat(&session->invoker, &session->scope, session->arena, &request,
                              decision->call->argument);
}

static enum err_code decide(struct settling *settling, struct decision *decision, struct err *err)
{
    const struct resume_request *request = settling->request;
    struct run_session *session = settling->session;
    const char *said = json_get_string(request->answers, key_of(session->arena, decision->call));
    decision->result = json_object_get(request->results, decision->call->path);
    decision->choice = request->uncertain;
    decision->by = "--uncertain";
    if (said || decision->result) {
        decision->by = said ? "--answer" : "--set";
        decision->choice = UNCERTAIN_DONE;
        if (said)
            (void)uncertain_choice_parse(said, &decision->choice);
    } else if (may_repeat(settling, decision)) {
        decision->by = "policy";
        decision->choice = UNCERTAIN_REPEAT;
    } else if (decision->choice == UNCERTAIN_ASK && user_present(session->services->user)) {
        return ask_person(settling, decision, err);
    }
    return ERR_NONE;
}

/* A result in the place of the one that was lost. */
static void give_result(struct arena *arena, struct call_record *call, const json_t *value)
{
    struct step_result result;
    const char *text =
        json_is_string(value) ? json_string_value(value) : json_print_in(arena, value);
    step_result_from_text(arena, text, json_is_object(value) ? json_share(value) : NULL, false,
                          &result);
    call->result = result.bytes;
    call->result_length = result.length;
}

static void apply(struct settling *settling, const struct decision *decision)
{
    struct run_session *session = settling->session;
    struct call_record *call = decision->call;
    static const enum call_state states[] = { [UNCERTAIN_REPEAT] = CALL_PENDING,
                                              [UNCERTAIN_DONE] = CALL_DONE,
                                              [UNCERTAIN_FAIL] = CALL_FAILED };
    call->state = states[decision->choice];
    call->error = call->task = NULL;
    if (call->state == CALL_FAILED)
        call->error = CALL_SETTLED_AS_FAILED;
    if (call->state == CALL_DONE && decision->result)
        give_result(session->arena, call, decision->result);
    run_state_put_call(session->state, call);
    journal_emit(&session->journal, EVENT_CALL_SETTLED,
                 json_pack("{s:s, s:s, s:s, s:s, s:s}", "step", kept_plan_step(call->path), "path",
                           call->path, "tool", call->tool, "as", words[decision->choice], "by",
                           decision->by));
}

static enum err_code settle(struct settling *settling, struct decision decision, struct err *err)
{
    const char *path = decision.call->path;
    struct run_session *session = settling->session;
    enum err_code r = decide(settling, &decision, err);
    bool lacks_result = !r && decision.choice == UNCERTAIN_DONE && !decision.result &&
                        is_needed(settling, &decision);
    bool is_asked = lacks_result && user_present(session->services->user);
    if (is_asked)
        r = ask_result(settling, &decision, err);
    if (r)
        return r;
    if (decision.choice == UNCERTAIN_ASK)
        add_question(settling, decision.call, describe(session->arena, decision.call));
    else if (lacks_result && !is_asked)
        add_question(settling, decision.call,
                     arena_printf(session->arena,
                                  "%s is done, but a later step refers to its result: give it with "
                                  "--set %s=JSON, or choose otherwise",
                                  path, path));
    else
        apply(settling, &decision);
    return ERR_NONE;
}

/* The calls that a plan made, in the order in which they are kept; *out_step is the step of the one
 * that comes. NULL: there is no further one. */
static struct call_record *next_call(const struct settling *settling, const struct kept_plan *of,
                                     size_t *at, size_t *out_step)
{
    while (*at < settling->contents->n_calls) {
        struct call_record *call = &settling->contents->calls[(*at)++];
        int step = strchr(call->path, FORKED_PATH_SEPARATOR) ? -1 : kept_plan_find(of, call->path);
        if (step < 0)
            continue;
        *out_step = (size_t)step;
        return call;
    }
    return NULL;
}

/* The server is asked what became of it, unless somebody says it of this very call. */
static bool is_left_to_its_task(const struct resume_request *request,
                                const struct call_record *call)
{
    AUTO(arena) scratch = { 0 };
    return call->task && !json_object_get(request->results, call->path) &&
           !json_object_get(request->answers, key_of(&scratch, call));
}

/* What somebody gives as results, before any of it is kept. */
static enum err_code check_results(struct settling *settling, const struct kept_plan *of,
                                   struct err *err)
{
    struct arena *arena = settling->session->arena;
    const struct call_record *call;
    for (size_t at = 0, step; (call = next_call(settling, of, &at, &step));) {
        const json_t *value = json_object_get(settling->request->results, call->path);
        const char *why = value ? misfit(arena, output_schema(settling, call), value) : NULL;
        if (why)
            return err_set(err, ERR_INVALID, 0, "--set %.80s, the result of %.150s: %.300s",
                           call->path, call->tool, why);
    }
    return ERR_NONE;
}

/* A call that was settled as failed stays so, unless it is to be tried again or somebody says more
 * of it: it may have taken effect, and is asked about like any other then. */
static bool is_to_be_settled(const struct resume_request *request, const struct call_record *call,
                             const struct step *step)
{
    AUTO(arena) scratch = { 0 };
    if (!may_be_settled(call) || is_left_to_its_task(request, call))
        return false;
    bool is_said = json_object_get(request->results, call->path) ||
                   json_object_get(request->answers, key_of(&scratch, call));
    if (step->verify && call_is_uncertain(call)) /* the step finds it out when its turn comes */
        return is_said || request->uncertain != UNCERTAIN_ASK;
    return call_is_uncertain(call) || request->retries_failed || is_said;
}

static enum err_code settle_plan(struct settling *settling, const struct kept_plan *of,
                                 struct err *err)
{
    enum err_code r = ERR_NONE;
    struct call_record *call;
    for (size_t at = 0, step; !r && (call = next_call(settling, of, &at, &step));)
        if (is_to_be_settled(settling->request, call, &of->plan->steps[step]))
            r = settle(settling, (struct decision){ .call = call, .of = of, .step = step }, err);
    return r;
}

/* Of the last plan: another one was made because an earlier one failed. */
static void retry_failed(struct settling *settling)
{
    const struct kept_plan *of = &settling->plans[settling->n_plans - 1];
    struct call_record *call;
    for (size_t at = 0, step; (call = next_call(settling, of, &at, &step));) {
        if (call->state != CALL_FAILED || call_was_settled_as_failed(call))
            continue;
        call->state = CALL_PENDING;
        call->result = call->error = NULL;
        call->result_length = 0;
        run_state_put_call(settling->session->state, call);
        journal_emit(&settling->session->journal, EVENT_CALL_SETTLED,
                     json_pack("{s:s, s:s, s:s, s:s, s:s}", "step", kept_plan_step(call->path),
                               "path", call->path, "tool", call->tool, "as",
                               words[UNCERTAIN_REPEAT], "by", "--failed"));
    }
}

static const struct intent *intent_of(const struct settling *settling)
{
    struct intent *intent = arena_new(settling->session->arena, struct intent);
    *intent = (struct intent){ .primary_goal = settling->plans[0].plan->goal,
                               .reported_confidence = -1,
                               .questions = settling->open,
                               .n_questions = settling->n_open };
    journal_emit(
        &settling->session->journal, EVENT_QUESTIONS,
        json_pack("{s:o}", "questions", questions_to_json(settling->open, settling->n_open)));
    return intent;
}

enum err_code settle_calls(struct run_session *session, const struct kept_plan *plans,
                           size_t n_plans, const struct resume_request *request,
                           const struct intent **out_open, struct err *err)
{
    struct settling settling = { .session = session,
                                 .plans = plans,
                                 .n_plans = n_plans,
                                 .contents = session->kept,
                                 .request = request };
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < n_plans; i++)
        r = kept_plan_compare_tools(session, &plans[i], request->accepts_changes,
                                    request->retries_failed && i == n_plans - 1, err);
    for (size_t i = 0; !r && i < n_plans; i++)
        r = check_results(&settling, &plans[i], err);
    for (size_t i = 0; !r && i < n_plans; i++)
        r = settle_plan(&settling, &plans[i], err);
    if (!r && request->retries_failed && n_plans)
        retry_failed(&settling);
    enum err_code kept = run_state_commit(session->state, &session->scope, true, r ? NULL : err);
    if (r || kept)
        return r ? r : kept;
    if (settling.n_open)
        *out_open = intent_of(&settling);
    return ERR_NONE;
}
