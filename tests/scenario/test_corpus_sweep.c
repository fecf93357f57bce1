/* Each plan of the corpus, over the tools it was written for, while each call to a port goes wrong
 * once, in each way. A plan must end cleanly then and say why, carry out its `finally`, and do
 * nothing twice. Where it did not come to its end all the same it is resumed over sound ports, by
 * somebody who knows what the server did: then it gives what it gives undisturbed, and no call is
 * made again that was answered.
 *
 * MISTRO_SEEDS in the environment, or the first argument, says how much of that: below 1000 it is
 * every tenth call, beginning with another one in each plan, for programs that are slow because
 * they are watched; each further 1000 are everything once more, in another order of what runs at
 * once. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/plans/broken_run.h"
#include "tests/support/full/plans/plan_corpus.h"
#include <stdlib.h>
#include <string.h>

enum { PLANS = 60, SEEDS_FOR_ALL = 1000, LARGE_STRIDE = 10, MOST_CALLS = 1000, RESUMES_MAX = 3 };

/* What is tried. */
struct trial {
    const struct corpus_plan *plan;
    enum fault fault;
    unsigned n; /* the call that goes wrong */
    uint64_t round;
    bool may_repeat_reads; /* policy lets what only reads be called again */
};

struct session {
    struct broken_run run; /* first, so that either can be had from the other */
    const struct trial *trial;
    const struct corpus_plan *plan;
    struct tool_server *mock;
    struct policy_rule rules[16];
    json_t *carried_out; /* path of a call -> how often it was */
    json_t *values;      /* … -> what it gave */
    json_t *answered;    /* … -> that its answer came through */
    json_t *given;       /* … -> what the person who resumes said that it gave */
    const char *broken;  /* the rule that was; NULL: none */
};

static struct plan_corpus corpus;
static unsigned stride = 1;
static uint64_t rounds = 1;
static struct {
    unsigned faults, ended_all_the_same, resumed, without_words, not_begun;
} count;

static void break_rule(struct session *session, const char *rule)
{
    if (rule && !session->broken)
        session->broken = rule;
}

/* Whether a step, or one in it, has the member with this value, as JSON. */
static bool has(const json_t *step, const char *member, const char *value)
{
    const char *key;
    const json_t *inner, *own = json_object_get(step, member);
    auto_str text = own ? json_print(own) : NULL;
    bool has_it = text_equal(text, value);
    json_each_member (step, key, inner)
        has_it = has_it || has(inner, member, value);
    for (size_t i = 0; i < json_array_size(step); i++)
        has_it = has_it || has(json_array_get(step, i), member, value);
    return has_it;
}

static const json_t *step_of(const struct session *session, const char *path)
{
    return path ? corpus_plan_step(session->plan, path) : NULL;
}

/* By its nature, or because the plan says so: also where its `verify` finds that a call was not
 * carried out, which the tools of the corpus, who remember nothing, let it find of each. */
static bool may_be_repeated(const struct session *session, const char *tool, const char *path)
{
    const json_t *step = step_of(session, path);
    return plan_corpus_only_reads(session->mock, tool) || has(step, "repeatable", "true") ||
           json_object_get(step, "verify");
}

static void note(struct session *session, const char *path, struct arena *arena,
                 const struct step_result *result)
{
    json_int_t n = json_integer_value(json_object_get(session->carried_out, path));
    const json_t *structured = step_result_structured(result);
    json_object_set_new(session->carried_out, path, json_integer(n + 1));
    if (!result->is_error)
        json_object_set_new(session->values, path,
                            structured ? json_share(structured)
                                       : json_string(step_result_text(arena, result)));
}

/* What may be repeated is called again where it could not be written that it had been answered. */
static enum err_code serve(struct broken_run *run, struct scope *scope,
                           const struct tool_call *call, const char *path, struct arena *arena,
                           struct step_result *out, struct err *err)
{
    struct session *session = (struct session *)run;
    bool may_repeat = may_be_repeated(session, call->name, path);
    bool is_unwritten = run->hit == BROKEN_STATE && may_repeat;
    if (json_object_get(session->answered, path) && !is_unwritten)
        break_rule(session, "a call was made again that had been answered");
    enum err_code r = tool_server_call(session->mock, scope, call, arena, out, err);
    if (r)
        return r;
    note(session, path, arena, out);
    if (!may_repeat && json_integer_value(json_object_get(session->carried_out, path)) > 1)
        break_rule(session, "a call took effect twice");
    return ERR_NONE;
}

static enum err_code note_answer(struct broken_run *run, struct scope *scope,
                                 const struct tool_call *call, const char *path,
                                 struct arena *arena, struct step_result *out, struct err *err)
{
    (void)scope, (void)call, (void)arena, (void)err;
    if (!out->is_error)
        json_object_set_new(((struct session *)run)->answered, path, json_true());
    return ERR_NONE;
}

static void permit_repeating(struct session *session)
{
    struct tool_catalogue *catalogue = NULL;
    size_t n = 0;
    assert_int_equal(tool_server_list(session->mock, &session->run.scope, &catalogue, NULL), 0);
    for (size_t i = 0; i < catalogue->n_tools; i++) {
        assert_true(n < ARRAY_LENGTH(session->rules));
        if (catalogue->tools[i].read_only == HINT_YES)
            session->rules[n++] =
                (struct policy_rule){ .effect = POLICY_UNSAID,
                                      .repeat = HINT_YES,
                                      .tool = arena_strdup(&session->run.arena,
                                                           catalogue->tools[i].name) };
    }
    tool_catalogue_unref(catalogue);
    session->run.services.settings.policy = session->rules;
    session->run.services.settings.n_policy = n;
}

static void begin(struct session *session, const struct trial *trial)
{
    json_t **const notes[] = { &session->carried_out, &session->values, &session->answered,
                               &session->given };
    *session = (struct session){ .trial = trial, .plan = trial->plan };
    for (size_t i = 0; i < ARRAY_LENGTH(notes); i++)
        *notes[i] = json_object();
    broken_run_init(&session->run, trial->round * MOST_CALLS + trial->n, trial->fault, trial->n);
    session->mock =
        plan_corpus_server(&corpus, session->run.services.base.runtime, BROKEN_RUN_SERVER);
    session->run.listed = session->mock;
    session->run.serve = serve;
    session->run.answered = note_answer;
    session->run.services.base.approve_all = true;
    if (trial->may_repeat_reads)
        permit_repeating(session);
}

static void end(struct session *session)
{
    json_decref(session->carried_out);
    json_decref(session->values);
    json_decref(session->answered);
    json_decref(session->given);
    broken_run_finish(&session->run);
    tool_server_destroy(session->mock);
}

/* How a step of the plan's own lists ended at last; NULL: it never did. */
static const char *status_of(const struct session *session, const char *id)
{
    const char *status = NULL;
    const struct event *event;
    for (size_t i = 0;
         (event = fake_run_repository_event(&session->run.services.runs, EVENT_STEP_FINISHED, i));
         i++)
        if (text_equal(json_get_string(event->data, "step"), id))
            status = json_get_string(event->data, "status");
    return status;
}

/* Whether it refers to a step that gave nothing, so that it cannot be carried out. */
static bool lacks_a_value(struct session *session, const json_t *step)
{
    struct arena *arena = &session->run.arena;
    const json_t *steps = json_object_get(session->plan->linked.value, "steps");
    const char *args = json_print_in(arena, json_object_get(step, "args"));
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *id = json_get_string(json_array_get(steps, i), "id");
        if (id && strstr(args, arena_printf(arena, "{%s.", id)) &&
            !text_equal(status_of(session, id), "ok"))
            return true;
    }
    return false;
}

/* When the state cannot be written nothing is called any more, the end neither. */
static const char *undone(struct session *session)
{
    const struct broken_run *run = &session->run;
    const json_t *steps = json_object_get(session->plan->linked.value, "finally");
    if (!json_object_size(session->carried_out) || run->hit == BROKEN_STATE)
        return NULL;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *id = json_get_string(step, "id");
        if (!text_equal(status_of(session, id), "ok") && step_of(session, run->hit_in) != step &&
            !lacks_a_value(session, step))
            return arena_printf(&session->run.arena, "step %s of its finally was not carried out",
                                id);
    }
    return NULL;
}

/* What a person gives as a result is a value, without the words that the server said with it: a
 * plan that prints these prints the value then. */
static bool is_expected(struct session *session)
{
    const char *answer = session->run.result.answer, *path;
    const json_t *value;
    bool is_expected = text_equal(answer, session->plan->expected);
    json_each_member (session->given, path, value)
        is_expected =
            is_expected || (json_is_object(value) &&
                            text_equal(answer, json_print_in(&session->run.arena, value)));
    count.without_words += !text_equal(answer, session->plan->expected) && is_expected;
    return is_expected;
}

/* Of a run that came to its end. A plan may go on after the failure of a step, and gives something
 * else then; one that could not close its state is complete and leaves it behind. */
static const char *wrong_end(struct session *session)
{
    const struct broken_run *run = &session->run;
    const json_t *step = step_of(session, run->hit_in);
    bool goes_on =
        has(step, "on_error", "\"continue\"") || has(step, "on_item_error", "\"continue\"");
    bool was_resumed = !run->ports.hit_at;
    if (fake_run_states_kept(&run->states) && (was_resumed || run->hit != BROKEN_STATE))
        return "the state of a complete run is still there";
    if (!goes_on && run->hit_in && !json_object_get(session->answered, run->hit_in) &&
        !json_object_get(session->given, run->hit_in))
        return "it is complete although a call failed";
    if ((was_resumed || !goes_on) && !is_expected(session))
        return arena_printf(&session->run.arena, "it gives %s", run->result.answer);
    return NULL;
}

/* What somebody says about calls of which nobody knows what became, and who looks at the server. */
static void answer(struct session *session, struct resume_request *request)
{
    const struct intent *intent = session->run.result.intent;
    json_t *answers = arena_keep_json(&session->run.arena, json_object());
    for (size_t i = 0; intent && i < intent->n_questions; i++) {
        const char *key = intent->questions[i].key;
        const char *path = key + strlen(UNCERTAIN_KEY);
        json_t *value = json_object_get(session->values, path);
        if (json_object_get(session->answered, path) && session->run.hit != BROKEN_STATE)
            break_rule(session, "it was asked about a call that had been answered");
        if (value)
            json_object_set(session->given, path, value);
        else
            json_object_set_new(answers, key, json_string("repeat"));
    }
    request->answers = answers;
    request->results = session->given;
}

static void resume(struct session *session)
{
    struct broken_run *run = &session->run;
    struct resume_request request = { .uncertain = UNCERTAIN_ASK, .retries_failed = true };
    for (int n = 0; n < RESUMES_MAX && !session->broken; n++) {
        broken_run_resume(run, &request);
        break_rule(session, broken_run_leftover(run));
        bool is_unknown = run->code == ERR_NOT_FOUND;
        if (is_unknown && json_object_size(session->carried_out))
            break_rule(session, "the plan is lost although a call was made");
        count.not_begun += is_unknown;
        if (is_unknown)
            return;
        if (broken_run_is_complete(run)) {
            break_rule(session, wrong_end(session));
            count.resumed += !session->broken;
            return;
        }
        if (run->code || run->result.status != RUN_NEEDS_ANSWER)
            break_rule(session, "resumed over sound ports it does not come to its end");
        answer(session, &request);
    }
    break_rule(session, "it asks again and again");
}

static void tell(const struct session *session)
{
    const struct trial *trial = session->trial;
    const struct broken_run *run = &session->run;
    print_error("%s, fault %d at call %u (%s), round %llu, reads may%s be repeated: %s; %s%s\n",
                trial->plan->name, (int)trial->fault, trial->n,
                run->hit_in                ? run->hit_in
                : run->hit == BROKEN_STATE ? "state"
                                           : "other",
                (unsigned long long)trial->round, trial->may_repeat_reads ? "" : " not",
                session->broken, run->err.message, run->result.err.message);
}

/* Whether every rule held. */
static bool is_fine(const struct trial *trial, bool *out_was_hit)
{
    static struct session session; /* too large for a frame */
    struct broken_run *run = &session.run;
    begin(&session, trial);
    broken_run_do(run, &(struct run_plan_request){ .plan = trial->plan->linked.value,
                                                   .linked = &trial->plan->linked });
    *out_was_hit = run->was_hit;
    count.faults += run->was_hit;
    count.ended_all_the_same += run->was_hit && broken_run_is_complete(run);
    break_rule(&session, broken_run_leftover(run));
    break_rule(&session, undone(&session));
    if (broken_run_is_complete(run))
        break_rule(&session, wrong_end(&session));
    else
        resume(&session);
    bool is_fine = !session.broken;
    if (!is_fine)
        tell(&session);
    end(&session);
    return is_fine;
}

/* How many trials broke a rule. The last one is of a plan that nothing happens to. */
static unsigned sweep_plan(struct trial trial)
{
    unsigned bad = 0;
    for (bool was_hit = true; was_hit; trial.n += stride) {
        bad += !is_fine(&trial, &was_hit);
        assert_true(trial.n < MOST_CALLS);
    }
    return bad;
}

static void sweep(enum fault fault)
{
    unsigned bad = 0;
    for (uint64_t round = 0; round < rounds; round++)
        for (unsigned i = 0; i < corpus.n; i++)
            for (unsigned k = 0; k < 2; k++)
                bad += sweep_plan((struct trial){ .plan = &corpus.plans[i],
                                                  .fault = fault,
                                                  .n = 1 + (i + fault + 5 * k) % stride,
                                                  .round = round,
                                                  .may_repeat_reads = k });
    assert_int_equal(bad, 0);
}

static void a_failure_anywhere_ends_cleanly_and_is_made_up_for(void **state)
{
    (void)state;
    sweep(FAULT_FAIL);
}

static void a_cancellation_anywhere_ends_cleanly_and_is_made_up_for(void **state)
{
    (void)state;
    sweep(FAULT_CANCEL);
}

static void a_timeout_anywhere_ends_cleanly_and_is_made_up_for(void **state)
{
    (void)state;
    sweep(FAULT_TIME_OUT);
}

static int read_the_corpus(void **state)
{
    (void)state;
    struct err err = { 0 };
    if (plan_corpus_init(&corpus, &err))
        print_error("%s\n", err.message);
    return !err.code && corpus.n == PLANS ? 0 : -1;
}

static int forget_the_corpus(void **state)
{
    (void)state;
    plan_corpus_finish(&corpus);
    print_message(
        "%zu plans, %u faults: %u runs ended all the same, %u were resumed (%u of them gave "
        "a value without its words), %u had not begun\n",
        corpus.n, count.faults, count.ended_all_the_same, count.resumed, count.without_words,
        count.not_begun);
    return 2 * count.resumed > count.faults ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    uint64_t seeds = wanted ? strtoull(wanted, NULL, 10) : SEEDS_FOR_ALL;
    stride = seeds < SEEDS_FOR_ALL ? LARGE_STRIDE : 1;
    rounds = seeds < SEEDS_FOR_ALL ? 1 : seeds / SEEDS_FOR_ALL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_ends_cleanly_and_is_made_up_for),
        cmocka_unit_test(a_cancellation_anywhere_ends_cleanly_and_is_made_up_for),
        cmocka_unit_test(a_timeout_anywhere_ends_cleanly_and_is_made_up_for),
    };
    return cmocka_run_group_tests(tests, read_the_corpus, forget_the_corpus);
}
