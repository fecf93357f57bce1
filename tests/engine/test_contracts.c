/* Every contract of mistro against a real llama.cpp: whether what the model says ends in what was
 * asked, over which rungs, and whether a request that nobody wants any more frees the server. */

#include "application/structured/contracts.h"
#include "application/structured/judge.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/contracts/bounded_contract.h"
#include "tests/support/full/real_engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS 200
#define OF_STUDIO 40 /* more, where 200 are to be right at once: text is not held to a schema */
#define ROUNDS 9     /* of cancelling */
#define PATIENCE_MS 30000

static const char *const names[] = {
#define X(name) #name,
    CONTRACTS(X)
#undef X
};
#define N_CONTRACTS ARRAY_LENGTH(names)

struct sending {
    struct real_engine *engine;
    struct contract contracts[N_CONTRACTS];
    size_t sent, valid;
    size_t valid_of[N_CONTRACTS], sent_of[N_CONTRACTS];
    size_t rungs[N_CONTRACTS][RUNG_LAST + 1];
    int64_t ms_of[N_CONTRACTS];
    char first_failure[512];
};

/* Held against the schema once more, by nobody who had a hand in it. */
static bool is_valid(struct arena *arena, const struct contract *contract,
                     const struct ask_outcome *outcome)
{
    bool accepts = false;
    if (contract->shape == CONTRACT_TEXT)
        return outcome->text && outcome->text[0];
    return outcome->value &&
           !json_schema_check(judged_schema(arena, contract), outcome->value, NULL, &accepts,
                              NULL) &&
           accepts;
}

static void ask_one(struct sending *sending, struct scope *scope, size_t which)
{
    struct real_engine *engine = sending->engine;
    const struct contract *contract = &sending->contracts[which];
    AUTO(arena) turn = { 0 };
    struct ask_outcome outcome;
    struct err err = { 0 };
    const char *wish = arena_printf(&turn,
                                    "Request number %zu: read notes.md and tell me what it "
                                    "says about plums.",
                                    sending->sent);
    const struct prompt_part part = { .text = wish };
    const struct ask_prompt prompt = {
        .prompt = { .system = contract_prompt_text(&turn, contract), .parts = &part, .n_parts = 1 },
        .wishes = &wish,
        .n_wishes = 1,
    };
    int64_t began = real_engine_now_ms(engine);
    enum err_code r = engine_ask(&engine->engine, scope, &turn, contract, &prompt, &outcome, &err);
    bool valid = !r && is_valid(&turn, contract, &outcome);
    sending->ms_of[which] += real_engine_now_ms(engine) - began;
    sending->sent++;
    sending->sent_of[which]++;
    sending->valid += valid;
    sending->valid_of[which] += valid;
    sending->rungs[which][outcome.rung] += valid;
    if (!valid && !sending->first_failure[0])
        snprintf(sending->first_failure, sizeof sending->first_failure, "%s: %s", contract->name,
                 r ? err.message : "it does not fit its schema");
}

static enum err_code send_with(struct sending *sending, struct scope *scope, const char *api,
                               bool stream, size_t requests)
{
    struct real_engine *engine = sending->engine;
    engine->settings.model_api = api;
    engine->settings.model_stream = stream;
    enum err_code r = real_engine_open(engine, &engine->err);
    for (size_t i = 0; !r && i < requests; i++)
        ask_one(sending, scope, i % N_CONTRACTS);
    return r;
}

/* A quarter each, or a half where the server has one dialect. */
static enum err_code send_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct sending *sending = argument;
    bool two_dialects = !sending->engine->is_llama_server;
    size_t part = two_dialects ? REQUESTS / 4 : (REQUESTS + OF_STUDIO) / 2;
    (void)runtime;
    enum err_code r = send_with(sending, scope, "openai", true, part);
    if (!r)
        r = send_with(sending, scope, "openai", false, part);
    if (!r && two_dialects)
        r = send_with(sending, scope, "ollama", true, part);
    if (!r && two_dialects)
        r = send_with(sending, scope, "ollama", false, part);
    return r;
}

static void print_table(const struct sending *sending)
{
    printf("  %-16s %5s %6s %9s", "contract", "sent", "valid", "ms each");
    for (enum engine_rung rung = 0; rung <= RUNG_LAST; rung++)
        printf(" %10s", engine_rung_name(rung));
    putchar('\n');
    for (size_t i = 0; i < N_CONTRACTS; i++) {
        printf("  %-16s %5zu %6zu %9.0f", names[i], sending->sent_of[i], sending->valid_of[i],
               (double)sending->ms_of[i] / (double)sending->sent_of[i]);
        for (enum engine_rung rung = 0; rung <= RUNG_LAST; rung++)
            printf(" %10zu", sending->rungs[i][rung]);
        putchar('\n');
    }
    if (sending->first_failure[0])
        printf("  first failure: %s\n", sending->first_failure);
}

static void every_answer_is_what_its_contract_asks(void **state)
{
    struct real_engine *engine = *state;
    struct sending sending = { .engine = engine };
    engine->settings.max_tokens = 600;
    for (size_t i = 0; i < N_CONTRACTS; i++) {
        enum bounded_for kind =
            engine->is_llama_server ? BOUNDED_FOR_LLAMA_SERVER : BOUNDED_FOR_NPM;
        if (bounded_contract_load(&engine->arena, names[i], kind, &sending.contracts[i],
                                  &engine->err))
            fail_msg("%s", engine->err.message);
    }

    if (real_engine_run(engine, send_all, &sending))
        fail_msg("%s", engine->err.message);

    print_table(&sending);
    assert_int_equal(sending.sent, REQUESTS + (engine->is_llama_server ? OF_STUDIO : 0));
    assert_int_equal(sending.valid, sending.sent);
    size_t at_once = 0, held_to_schema = 0;
    for (size_t i = 0; i < N_CONTRACTS; i++)
        if (sending.contracts[i].shape != CONTRACT_TEXT_AND_OBJECT) {
            at_once += sending.rungs[i][RUNG_GENERATE];
            held_to_schema += sending.sent_of[i];
        }
    printf("  %zu of %zu valid, %zu at the first rung\n", sending.valid, sending.sent, at_once);
    if (engine->is_llama_server) {
        assert_true(held_to_schema >= REQUESTS);
        assert_int_equal(at_once, held_to_schema);
    }
}

struct cancelling {
    struct real_engine *engine;
    size_t tokens;
    int64_t first_token_ms;   /* when it came */
    int64_t idle_ms[ROUNDS];  /* to the first token of a server that has nothing to do */
    int64_t after_ms[ROUNDS]; /* the same from the moment of cancelling another request */
};

static bool note_token(void *context, const char *text, size_t length)
{
    struct cancelling *cancelling = context;
    (void)text, (void)length;
    if (cancelling->tokens++ == 0)
        cancelling->first_token_ms = real_engine_now_ms(cancelling->engine);
    return true;
}

static enum err_code chat(struct cancelling *cancelling, struct scope *scope, int max_tokens)
{
    AUTO(arena) scratch = { 0 };
    const struct model_part part = { MODEL_TEXT, "Tell me a long story.", NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .temperature = 0.7,
                                           .max_tokens = max_tokens,
                                           .seed = 3,
                                           .first_token_ms = 60000,
                                           .silence_ms = 60000,
                                           .on_token = note_token,
                                           .context = cancelling };
    struct model_reply reply;
    cancelling->tokens = 0;
    return model_chat(cancelling->engine->model, scope, &request, &scratch, &reply,
                      &cancelling->engine->err);
}

static enum err_code long_chat(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    return chat(argument, scope, 600);
}

/* Milliseconds from now to the first token of a short answer. */
static enum err_code measure(struct cancelling *cancelling, struct scope *scope, int64_t *out_ms)
{
    int64_t began = real_engine_now_ms(cancelling->engine);
    enum err_code r = chat(cancelling, scope, 2);
    if (!r)
        *out_ms = cancelling->first_token_ms - began;
    return r;
}

static enum err_code cancel_again_and_again(struct runtime *runtime, struct scope *scope,
                                            void *argument)
{
    struct cancelling *cancelling = argument;
    enum err_code r = real_engine_open(cancelling->engine, &cancelling->engine->err);
    for (size_t i = 0; !r && i < ROUNDS; i++) {
        r = measure(cancelling, scope, &cancelling->idle_ms[i]);
        struct scope unwanted = scope_child(scope, SCOPE_NO_DEADLINE);
        struct task *task = runtime_spawn(runtime, &unwanted, long_chat, cancelling);
        cancelling->tokens = 0;
        struct scope patience = runtime_scope(runtime, scope, PATIENCE_MS);
        while (!r && cancelling->tokens < 5)
            r = runtime_sleep(runtime, &patience, 2, &cancelling->engine->err);
        int64_t began = real_engine_now_ms(cancelling->engine);
        runtime_cancel(runtime, &unwanted);
        (void)runtime_wait(runtime, task);
        if (!r)
            r = measure(cancelling, scope, &cancelling->after_ms[i]);
        cancelling->after_ms[i] = cancelling->first_token_ms - began;
    }
    return r;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void a_cancelled_request_frees_the_server_within_100_ms(void **state)
{
    struct real_engine *engine = *state;
    struct cancelling cancelling = { .engine = engine };
    engine->settings.model_api = "openai";

    if (real_engine_run(engine, cancel_again_and_again, &cancelling))
        fail_msg("%s", engine->err.message);

    qsort(cancelling.idle_ms, ROUNDS, sizeof cancelling.idle_ms[0], by_size);
    qsort(cancelling.after_ms, ROUNDS, sizeof cancelling.after_ms[0], by_size);
    int64_t idle = cancelling.idle_ms[ROUNDS / 2], after = cancelling.after_ms[ROUNDS / 2];
    printf("  first token of the next request: %lld ms after the one before was cancelled, %lld ms "
           "when there was none (medians of %d; slowest %lld)\n",
           (long long)after, (long long)idle, ROUNDS, (long long)cancelling.after_ms[ROUNDS - 1]);
    assert_in_range(after, 0, idle + 100);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, real_engine_set_up, real_engine_tear_down)
    const struct CMUnitTest tests[] = {
        T(a_cancelled_request_frees_the_server_within_100_ms),
        T(every_answer_is_what_its_contract_asks),
    };
    if (!getenv("MISTRO_ENGINE")) {
        puts("skipped: no engine: MISTRO_ENGINE is not set");
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
