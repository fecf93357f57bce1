/* What only a real llama-server shows: its prompt cache, its context, its tokens, its slots, and
 * what it does with a schema. By hand: ./dev deep. */

#include "application/use_cases/mistral_chat.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/contract/token_estimate.h"
#include "infrastructure/workspace/workspace_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/real_engine.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 9
#define PATIENCE_MS 30000
#define MAX_REEVALUATED 32
#define MAX_EVALUATED_PERCENT 70 /* of the tokens of a turn's prompts */
#define MOST_CALLS 8
#define MIN_SAMPLE_BYTES 20000
#define MAX_SAMPLE_BYTES 60000

static const struct contract words = {
    .name = "answer", .version = 1, .shape = CONTRACT_TEXT, .max_tokens = 8
};

static const char *read_file(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rbe");
    char *text = arena_alloc(arena, MAX_SAMPLE_BYTES + 1);
    if (!file)
        return "";
    text[fread(text, 1, MAX_SAMPLE_BYTES, file)] = '\0';
    fclose(file);
    return text;
}

/* Files of the source tree, one behind the other. */
static const char *read_all(struct arena *arena, const char *pattern)
{
    glob_t found = { 0 };
    AUTO(buf) text;
    buf_init(&text, MAX_SAMPLE_BYTES);
    if (glob(arena_printf(arena, "%s/%s", SOURCE_DIR, pattern), 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (!buf_puts(&text, read_file(arena, found.gl_pathv[i])))
                break;
    globfree(&found);
    return arena_strdup(arena, buf_string(&text));
}

struct asking {
    struct real_engine *engine;
    const char *system;
    const struct prompt_part *parts;
    size_t n_parts;
    enum err_code r;
    struct ask_outcome outcome;
};

static enum err_code ask(struct asking *asking, struct scope *scope, const char *wish)
{
    struct real_engine *engine = asking->engine;
    const struct prompt_part part = { .text = wish };
    const struct ask_prompt prompt = {
        .prompt = { .system = asking->system,
                    .parts = asking->parts ? asking->parts : &part,
                    .n_parts = asking->parts ? asking->n_parts : 1 },
        .wishes = &wish,
        .n_wishes = 1,
    };
    return asking->r = engine_ask(&engine->engine, scope, &engine->arena, &words, &prompt,
                                  &asking->outcome, &engine->err);
}

static enum err_code ask_twice(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct asking *asking = argument;
    (void)runtime;
    enum err_code r = real_engine_open(asking->engine, &asking->engine->err);
    if (!r)
        r = ask(asking, scope, "What are plums?");
    return r ? r : ask(asking, scope, "And how are pears kept?");
}

static void a_second_request_evaluates_little_of_the_same_prompt(void **state)
{
    struct real_engine *engine = *state;
    const char *system = read_all(&engine->arena, "docs/workspace.md");
    struct asking asking = { .engine = engine, .system = system };

    if (real_engine_run(engine, ask_twice, &asking))
        fail_msg("%s", engine->err.message);

    int64_t evaluated = asking.outcome.prompt_tokens - asking.outcome.cached_tokens;
    printf("  second request: %lld tokens in the prompt, %lld of them cached, %lld evaluated\n",
           (long long)asking.outcome.prompt_tokens, (long long)asking.outcome.cached_tokens,
           (long long)evaluated);
    assert_true(asking.outcome.prompt_tokens > 300);
    assert_in_range(evaluated, 1, MAX_REEVALUATED);
}

static enum err_code ask_once(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct asking *asking = argument;
    (void)runtime;
    enum err_code r = real_engine_open(asking->engine, &asking->engine->err);
    if (!r)
        (void)!ask(asking, scope, "What is this?");
    return r;
}

static void a_prompt_that_cannot_fit_ends_as_an_error_that_says_so(void **state)
{
    struct real_engine *engine = *state;
    const struct prompt_part part = { .text = read_all(&engine->arena, "docs/*.md") };
    struct asking asking = {
        .engine = engine, .system = "Be brief.", .parts = &part, .n_parts = 1
    };

    if (real_engine_run(engine, ask_once, &asking))
        fail_msg("%s", engine->err.message);

    printf("  too long: %s\n", engine->err.message);
    assert_int_equal(asking.r, ERR_LIMIT);
    assert_non_null(strstr(engine->err.message, "4096"));
}

static void a_prompt_that_can_be_trimmed_is_and_that_is_told(void **state)
{
    struct real_engine *engine = *state;
    struct prompt_part parts[12];
    const char *said = arena_strndup(&engine->arena, read_all(&engine->arena, "docs/*.md"), 3000);
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        parts[i] =
            (struct prompt_part){ .text = said, .keep = PROMPT_DROP_FIRST, .what = "history" };
    parts[11] = (struct prompt_part){ .text = "What was said first?" };
    struct asking asking = {
        .engine = engine, .system = "Be brief.", .parts = parts, .n_parts = ARRAY_LENGTH(parts)
    };

    if (real_engine_run(engine, ask_once, &asking))
        fail_msg("%s", engine->err.message);

    printf("  trimmed: %lld tokens of 4096 were sent, %zu times told\n",
           (long long)asking.outcome.prompt_tokens, engine->n_events[EVENT_PROMPT_TRIMMED]);
    assert_int_equal(asking.r, ERR_NONE);
    assert_true(engine->n_events[EVENT_PROMPT_TRIMMED] >= 1);
    assert_in_range(asking.outcome.prompt_tokens, 1500, 4096);
}

/* Whole turns with the eight tools of the workspace: the server evaluates every prompt and says how
 * much of it was cached; what is answered is written here. */
struct measured_call {
    const char *purpose;
    int64_t prompt, cached;
};

struct measuring {
    struct model base;
    struct real_engine *engine;
    int64_t plan_at_once;
    struct measured_call calls[MOST_CALLS];
    size_t n, n_first; /* of both turns, of the first */
};

#define CHOICE                                                                                     \
    "\"reason\":\"both\",\"primary_goal\":\"Read a.txt and tell its size\",\"tools_needed\":["     \
    "\"files__read_file\",\"files__file_info\"],\"parameters\":{\"path\":\"a.txt\"},"              \
    "\"unclear_aspects\":[],\"needs_clarification\":false,\"confidence\":0.95"
#define STEPS                                                                                      \
    "\"steps\":[{\"id\":\"s1\",\"tool\":\"files__read_file\",\"args\":{\"path\":\"a.txt\"}},{"     \
    "\"id\":"                                                                                      \
    "\"s2\",\"tool\":\"files__file_info\",\"args\":{\"path\":\"a.txt\"}}]"

static const char *written_answer(const char *purpose)
{
    if (strcmp(purpose, "intent") == 0)
        return "{" CHOICE "}";
    if (strcmp(purpose, "intent_and_plan") == 0)
        return "{" CHOICE "," STEPS "}";
    return strcmp(purpose, "plan") == 0 ? "{\"reason\":\"both\"," STEPS "}" : "It says plums.";
}

static enum err_code measure_chat(struct model *model, struct scope *scope,
                                  const struct model_request *request, struct arena *arena,
                                  struct model_reply *out, struct err *err)
{
    struct measuring *measuring = (struct measuring *)model;
    struct model_request evaluated = *request;
    evaluated.schema = NULL;
    evaluated.max_tokens = 1;
    evaluated.on_token = NULL;
    evaluated.is_complete = NULL;
    enum err_code r = model_chat(measuring->engine->model, scope, &evaluated, arena, out, err);
    if (r)
        return r;
    assert_true(measuring->n < MOST_CALLS);
    measuring->calls[measuring->n++] =
        (struct measured_call){ request->purpose, out->prompt_tokens, out->cached_tokens };
    out->text = written_answer(request->purpose);
    out->stop = MODEL_STOP_END;
    if (request->on_token)
        (void)request->on_token(request->context, out->text, strlen(out->text));
    return ERR_NONE;
}

static enum err_code measure_check(struct model *model, struct scope *scope, struct arena *arena,
                                   struct model_status *out, struct err *err)
{
    return model_check(((struct measuring *)model)->engine->model, scope, arena, out, err);
}

static const char *tools_of_workspace(struct arena *arena)
{
    json_auto_t *tools = json_array();
    for (size_t i = 0; i < workspace_n_tools; i++)
        json_array_append_new(tools, workspace_tool_definition(&workspace_tools[i]));
    return json_print_in(arena, tools);
}

static enum err_code take_two_turns(struct runtime *runtime, struct scope *scope, void *argument)
{
    static const char *const messages[] = { "read a.txt and tell me how large it is",
                                            "and now the same for the other file, please" };
    struct measuring *measuring = argument;
    struct real_engine *engine = measuring->engine;
    struct fake_services *services = arena_new(&engine->arena, struct fake_services);
    enum err_code r = real_engine_open(engine, &engine->err);
    fake_services_init(services, runtime, SOURCE_DIR);
    services->model_port = &measuring->base;
    services->base.approve_all = true;
    services->settings.tools_plan_at_once = measuring->plan_at_once;
    fake_services_add_server(services, "files", tools_of_workspace(&engine->arena));
    struct mistral_chat *chat = mistral_chat_create(&services->base);
    for (size_t i = 0; !r && i < ARRAY_LENGTH(messages); i++) {
        const struct turn_request request = { .message = messages[i], .session_id = "s" };
        struct turn_result result;
        r = mistral_chat_turn(chat, scope, &engine->arena, &request, &result, &engine->err);
        measuring->n_first = i ? measuring->n_first : measuring->n;
    }
    mistral_chat_destroy(chat);
    fake_services_finish(services);
    return r;
}

/* Per cent of the prompts' tokens of so many calls that were evaluated. */
static int64_t evaluated_percent(const struct measured_call *calls, size_t n)
{
    int64_t prompt = 0, cached = 0;
    for (size_t i = 0; i < n; i++) {
        prompt += calls[i].prompt;
        cached += calls[i].cached;
        printf("  %-16s %5lld tokens in the prompt, %5lld of them cached\n", calls[i].purpose,
               (long long)calls[i].prompt, (long long)calls[i].cached);
    }
    int64_t percent = prompt ? 100 * (prompt - cached) / prompt : 100;
    printf("  %lld of %lld tokens evaluated: %lld %%\n", (long long)(prompt - cached),
           (long long)prompt, (long long)percent);
    return percent;
}

/* *out_cold: of the first turn, *out_warm: of the second. */
static void measure_turns(struct real_engine *engine, int64_t plan_at_once, size_t calls,
                          int64_t *out_cold, int64_t *out_warm)
{
    static const struct model_ops ops = { .check = measure_check, .chat = measure_chat };
    struct measuring measuring = { .base.ops = &ops,
                                   .engine = engine,
                                   .plan_at_once = plan_at_once };
    if (real_engine_run(engine, take_two_turns, &measuring))
        fail_msg("%s", engine->err.message);
    assert_int_equal(measuring.n_first, calls);
    assert_int_equal(measuring.n, 2 * calls);
    *out_cold = evaluated_percent(measuring.calls, calls);
    *out_warm = evaluated_percent(measuring.calls + calls, calls);
}

static void three_calls_of_a_turn_share_their_opening(void **state)
{
    int64_t cold = 100, warm = 100;
    measure_turns(*state, 0, 3, &cold, &warm);
    assert_in_range(cold, 1, MAX_EVALUATED_PERCENT);
    assert_in_range(warm, 1, MAX_EVALUATED_PERCENT);
}

/* Of two prompts with nothing cached little can be shared; a chat begins with a warm-up. */
static void two_calls_of_a_turn_share_their_opening_with_what_was_asked_before(void **state)
{
    int64_t cold = 100, warm = 100;
    measure_turns(*state, 131072, 2, &cold, &warm);
    assert_in_range(warm, 1, MAX_EVALUATED_PERCENT);
}

struct sample {
    const char *what, *text;
    int64_t counted;
};

struct counting {
    struct real_engine *engine;
    struct sample samples[8];
    size_t n;
};

static enum err_code count_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct counting *counting = argument;
    struct real_engine *engine = counting->engine;
    (void)runtime;
    enum err_code r = real_engine_open(engine, &engine->err);
    for (size_t i = 0; !r && i < counting->n; i++)
        r = model_count_tokens(engine->model, scope, counting->samples[i].text,
                               &counting->samples[i].counted, &engine->err);
    return r;
}

/* Foreign files where there are any, as a person would attach them. */
static void add_sample(struct counting *counting, const char *what, const char *text)
{
    if (strlen(text) >= MIN_SAMPLE_BYTES)
        counting->samples[counting->n++] = (struct sample){ what, text, -1 };
    else
        printf("  no sample of %s: %zu bytes\n", what, strlen(text));
}

static void the_token_estimate_is_within_15_percent(void **state)
{
    struct real_engine *engine = *state;
    struct counting counting = { .engine = engine };
    struct arena *arena = &engine->arena;
    const char *npm = getenv("MISTRO_ENGINE");
    const char *lock = arena_printf(arena, "%s/node_modules/.package-lock.json", npm);
    const char *spinners = arena_printf(arena, "%s/node_modules/cli-spinners/spinners.json", npm);
    add_sample(&counting, "English (GPL 3)", read_file(arena, "/usr/share/common-licenses/GPL-3"));
    add_sample(&counting, "English (docs)", read_all(arena, "docs/*.md"));
    add_sample(&counting, "JSON (package-lock)", read_file(arena, lock));
    add_sample(&counting, "JSON (spinners)", read_file(arena, spinners));
    add_sample(&counting, "JSON (schemas, tools)",
               arena_printf(arena, "%s%s", read_all(arena, "data/schemas/*.json"),
                            read_all(arena, "tests/data/*.json*")));
    add_sample(&counting, "C (infrastructure)", read_all(arena, "infrastructure/mcp/wire/*.c"));
    add_sample(&counting, "shell (tests)", read_all(arena, "tests/e2e/*.sh"));

    if (real_engine_run(engine, count_all, &counting))
        fail_msg("%s", engine->err.message);

    double worst = 0;
    for (size_t i = 0; i < counting.n; i++) {
        const struct sample *sample = &counting.samples[i];
        int64_t estimate = token_estimate(sample->text, strlen(sample->text));
        double off = 100.0 * (double)(estimate - sample->counted) / (double)sample->counted;
        printf("  %-24s %6zu bytes, %6lld tokens, estimate %6lld: %+.1f %%\n", sample->what,
               strlen(sample->text), (long long)sample->counted, (long long)estimate, off);
        if (off > worst || -off > worst)
            worst = off < 0 ? -off : off;
    }
    assert_true(counting.n >= 4);
    assert_true(worst < 15);
}

struct cancelling {
    struct real_engine *engine;
    size_t tokens;
    int64_t freed_ms[ROUNDS];
};

static bool count_token(void *context, const char *text, size_t length)
{
    (void)text, (void)length;
    ((struct cancelling *)context)->tokens++;
    return true;
}

static enum err_code long_chat(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct cancelling *cancelling = argument;
    AUTO(arena) scratch = { 0 };
    const struct model_part part = { MODEL_TEXT, "Tell me a long story.", NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .temperature = 0.7,
                                           .max_tokens = 3000,
                                           .seed = 3,
                                           .first_token_ms = PATIENCE_MS,
                                           .silence_ms = PATIENCE_MS,
                                           .on_token = count_token,
                                           .context = cancelling };
    struct model_reply reply;
    (void)runtime;
    return model_chat(cancelling->engine->model, scope, &request, &scratch, &reply, NULL);
}

static enum err_code slot_is_busy(struct real_engine *engine, bool *out_busy)
{
    const json_t *slots;
    enum err_code r = real_engine_get(engine, "/slots", &slots, &engine->err);
    if (!r)
        *out_busy = json_get_bool(json_array_get(slots, 0), "is_processing", true);
    return r;
}

static enum err_code cancel_once(struct cancelling *cancelling, struct runtime *runtime,
                                 struct scope *scope, int64_t *out_ms)
{
    struct real_engine *engine = cancelling->engine;
    struct scope unwanted = scope_child(scope, SCOPE_NO_DEADLINE);
    struct scope patience = runtime_scope(runtime, scope, PATIENCE_MS);
    cancelling->tokens = 0;
    struct task *task = runtime_spawn(runtime, &unwanted, long_chat, cancelling);
    bool busy = false;
    enum err_code r = ERR_NONE;
    while (!r && cancelling->tokens < 5)
        r = runtime_sleep(runtime, &patience, 2, &engine->err);
    if (!r)
        r = slot_is_busy(engine, &busy);
    if (!r && !busy)
        r = err_set(&engine->err, ERR_INTERNAL, 0, "the slot was free during a request");
    int64_t began = real_engine_now_ms(engine);
    runtime_cancel(runtime, &unwanted);
    (void)runtime_wait(runtime, task);
    while (!r && busy)
        r = slot_is_busy(engine, &busy);
    *out_ms = real_engine_now_ms(engine) - began;
    return r;
}

static enum err_code cancel_again_and_again(struct runtime *runtime, struct scope *scope,
                                            void *argument)
{
    struct cancelling *cancelling = argument;
    enum err_code r = real_engine_open(cancelling->engine, &cancelling->engine->err);
    for (size_t i = 0; !r && i < ROUNDS; i++)
        r = cancel_once(cancelling, runtime, scope, &cancelling->freed_ms[i]);
    return r;
}

static void the_slot_of_a_cancelled_request_is_free_within_100_ms(void **state)
{
    struct real_engine *engine = *state;
    struct cancelling cancelling = { .engine = engine };
    int64_t most = 0, sum = 0;

    if (real_engine_run(engine, cancel_again_and_again, &cancelling))
        fail_msg("%s", engine->err.message);

    for (size_t i = 0; i < ROUNDS; i++) {
        sum += cancelling.freed_ms[i];
        most = cancelling.freed_ms[i] > most ? cancelling.freed_ms[i] : most;
    }
    printf("  slot free after a cancelled request: %.1f ms on average, at most %lld ms\n",
           (double)sum / ROUNDS, (long long)most);
    assert_true(sum / ROUNDS <= 100);
}

struct constraining {
    struct real_engine *engine;
    struct model_status status;
    struct model_reply first, second;
};

/* One good tool; one with more repetitions inside each other than a grammar may have; and one whose
 * bounds would make llama.cpp count until the memory of the machine is gone. */
#define TOOLS                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"good\":{\"enum\":[\"plums\"]},"                        \
    "\"bad\":{\"type\":\"object\",\"properties\":{\"rows\":{\"type\":\"array\",\"maxItems\":2000," \
    "\"items\":{\"type\":\"array\",\"maxItems\":2000,\"items\":{\"type\":\"string\","              \
    "\"maxLength\":"                                                                               \
    "2000}}}},\"required\":[\"rows\"]},"                                                           \
    "\"odd\":{\"type\":\"string\",\"minLength\":5,\"maxLength\":2}},"                              \
    "\"required\":[\"good\",\"bad\",\"odd\"]}"

static enum err_code chat_with(struct constraining *constraining, struct scope *scope,
                               const json_t *schema, struct model_reply *out)
{
    const struct model_part part = { MODEL_TEXT, "Answer as JSON.", NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = "intent",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .schema = schema,
                                           .max_tokens = 200,
                                           .seed = 3,
                                           .first_token_ms = PATIENCE_MS,
                                           .silence_ms = PATIENCE_MS };
    return model_chat(constraining->engine->model, scope, &request, &constraining->engine->arena,
                      out, &constraining->engine->err);
}

static enum err_code constrain(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct constraining *constraining = argument;
    struct real_engine *engine = constraining->engine;
    json_t *schema = arena_keep_json(&engine->arena, json_loads(TOOLS, 0, NULL));
    (void)runtime;
    enum err_code r = real_engine_open(engine, &engine->err);
    if (!r)
        r = chat_with(constraining, scope, schema, &constraining->first);
    if (!r)
        r = chat_with(constraining, scope, schema, &constraining->second);
    return r ? r
             : model_check(engine->model, scope, &engine->arena, &constraining->status,
                           &engine->err);
}

static void a_schema_is_enforced_and_one_bad_part_of_it_is_named_and_left_out(void **state)
{
    struct real_engine *engine = *state;
    struct constraining constraining = { .engine = engine };

    if (real_engine_run(engine, constrain, &constraining))
        fail_msg("%s", engine->err.message);

    const struct model_reply *first = &constraining.first;
    printf("  schema: %s; kind %s; context %lld; answer %.60s\n",
           model_schema_support_name(constraining.status.schema_support), constraining.status.kind,
           (long long)constraining.status.context_tokens, first->text);
    for (size_t i = 0; i < first->n_notes; i++)
        printf("  quarantined: %s: %.100s\n", first->notes[i].path, first->notes[i].message);
    assert_int_equal(constraining.status.schema_support, MODEL_SCHEMA_ENFORCED);
    assert_string_equal(constraining.status.kind, "llama-server");
    assert_int_equal(constraining.status.context_tokens, 4096);
    assert_true(first->constrained);
    assert_in_range(first->n_notes, 1, 3); /* a bad part may have a bad part */
    for (size_t i = 0; i < first->n_notes; i++)
        assert_non_null(strstr(first->notes[i].path, "/properties/bad"));
    assert_int_equal(constraining.second.n_notes, 0);
    assert_non_null(strstr(first->text, "\"plums\""));
    assert_non_null(strstr(constraining.second.text, "\"plums\""));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, real_engine_set_up, real_engine_tear_down)
    const struct CMUnitTest tests[] = {
        T(a_second_request_evaluates_little_of_the_same_prompt),
        T(three_calls_of_a_turn_share_their_opening),
        T(two_calls_of_a_turn_share_their_opening_with_what_was_asked_before),
        T(a_prompt_that_cannot_fit_ends_as_an_error_that_says_so),
        T(a_prompt_that_can_be_trimmed_is_and_that_is_told),
        T(the_token_estimate_is_within_15_percent),
        T(the_slot_of_a_cancelled_request_is_free_within_100_ms),
        T(a_schema_is_enforced_and_one_bad_part_of_it_is_named_and_left_out),
    };
    if (!getenv("MISTRO_ENGINE") || !getenv("MISTRO_LLAMA_SERVER")) {
        puts("skipped: no llama-server: MISTRO_ENGINE and MISTRO_LLAMA_SERVER are not both set");
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
