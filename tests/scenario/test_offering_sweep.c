/* What servers have beside tools, each use of it once; each call to a port goes wrong once, in each
 * way. What is hit fails and says why, and nothing else does. */
#include "application/use_cases/log_in.h"
#include "application/use_cases/tools/get_prompt.h"
#include "application/use_cases/tools/list_offerings.h"
#include "application/use_cases/tools/read_resource.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/faulty_ports.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdio.h>

enum { USES = 8, MOST_CALLS = 100 };

struct sweep {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct faulty_ports ports;
    struct scope scope;
    struct arena arena;
    enum err_code codes[USES];
    struct err errs[USES];
    bool was_seen;
};

static bool see(void *context, const struct offering_result *content)
{
    (void)content;
    ((struct sweep *)context)->was_seen = true;
    return false;
}

static void ignore_page(void *context, const char *url)
{
    (void)context;
    (void)url;
}

static enum err_code use_everything(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct sweep *sweep = argument;
    struct services *services = &sweep->services.base;
    struct arena *arena = &sweep->arena;
    struct offering_listing listing;
    struct offering_result result;
    struct completion_values values;
    struct login_outcome login;
    bool was_in;
    const struct completion_request completion = {
        .kind = OFFERING_PROMPT, .key = "greet", .argument = "who", .typed = "A"
    };
    const struct prompt_request prompt = { .name = "greet" };
    const struct resource_watch watched = { "notes", "a:1", see, sweep };
    const struct log_in_request request = { .server = "notes", .on_page = ignore_page };
    enum err_code *codes = sweep->codes;
    struct err *errs = sweep->errs;
    (void)runtime;
    codes[0] =
        list_offerings(services, scope, arena, OFFERED_RESOURCES, "notes", &listing, &errs[0]);
    codes[1] = list_offerings(services, scope, arena, OFFERED_PROMPTS, "notes", &listing, &errs[1]);
    codes[2] = read_resource(services, scope, arena, "notes", "a:1", &result, &errs[2]);
    codes[3] = get_prompt(services, scope, arena, "notes", &prompt, &result, &errs[3]);
    codes[4] = complete_argument(services, scope, arena, "notes", &completion, &values, &errs[4]);
    codes[5] = watch_resource(services, scope, &watched, &errs[5]);
    codes[6] = log_in(services, scope, arena, &request, &login, &errs[6]);
    codes[7] = log_out(services, scope, "notes", &was_in, &errs[7]);
    return ERR_NONE;
}

static void prepare(struct sweep *sweep, enum fault fault, unsigned hit_at)
{
    *sweep = (struct sweep){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    sweep->runtime = virtual_runtime_create(hit_at);
    fake_services_init(&sweep->services, virtual_runtime_port(sweep->runtime), SOURCE_DIR);
    struct fake_tool_server *notes = fake_services_add_server(&sweep->services, "notes", "[]");
    notes->offered[OFFERING_RESOURCE] = "[{\"uri\":\"a:1\"}]";
    notes->offered[OFFERING_TEMPLATE] = "[]";
    notes->offered[OFFERING_PROMPT] = "[{\"name\":\"greet\"}]";
    notes->login_page = "https://as.example/login";
    fake_tool_server_offer(notes,
                           (struct fake_offering_reply){
                               .kind = OFFERING_RESOURCE,
                               .key = "a:1",
                               .result = "{\"contents\":[{\"uri\":\"a:1\",\"text\":\"x\"}]}" });
    fake_tool_server_offer(
        notes, (struct fake_offering_reply){
                   .kind = OFFERING_PROMPT,
                   .key = "greet",
                   .result = "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                             "\"text\":\"hi\"}}]}" });
    faulty_ports_init(&sweep->ports, &sweep->services, &sweep->scope);
    sweep->ports.fault = fault;
    sweep->ports.hit_at = hit_at;
}

static size_t count_failed(const struct sweep *sweep, size_t *out_silent)
{
    size_t n = 0;
    *out_silent = 0;
    for (size_t i = 0; i < USES; i++) {
        n += sweep->codes[i] != ERR_NONE;
        *out_silent += sweep->codes[i] && !sweep->errs[i].message[0];
    }
    return n;
}

/* NULL when all is well, else what is not. */
static const char *broken_rule(const struct sweep *sweep)
{
    const struct faulty_ports *ports = &sweep->ports;
    size_t n_silent, n_failed = count_failed(sweep, &n_silent);
    bool was_hit = ports->calls >= ports->hit_at;
    if (virtual_runtime_tasks(sweep->runtime) || ports->under_way)
        return "something is still running";
    if (n_silent)
        return "an error says nothing";
    if (!was_hit && (n_failed || !sweep->was_seen))
        return "it fails although nothing was hit";
    if (was_hit && ports->fault == FAULT_CANCEL && n_failed == 0)
        return "nothing was cancelled";
    if (was_hit && ports->fault != FAULT_CANCEL && n_failed != 1)
        return "not exactly one of them failed";
    return NULL;
}

/* How many turns until one went through untouched; 0 when one broke a rule. */
static unsigned sweep(enum fault fault)
{
    for (unsigned n = 1; n <= MOST_CALLS; n++) {
        static struct sweep sweep; /* too large for a frame */
        prepare(&sweep, fault, n);
        (void)virtual_runtime_run(sweep.runtime, &sweep.scope, use_everything, &sweep);
        const char *broken = broken_rule(&sweep);
        bool was_hit = sweep.ports.calls >= n;
        if (broken)
            fprintf(stderr, "fault %d at call %u: %s\n", (int)fault, n, broken);
        arena_finish(&sweep.arena);
        fake_services_finish(&sweep.services);
        virtual_runtime_destroy(sweep.runtime);
        if (broken)
            return 0;
        if (!was_hit)
            return n;
    }
    return 0;
}

static void a_failure_anywhere_fails_what_it_hits(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_FAIL) > USES);
}

static void a_cancellation_anywhere_ends_cleanly(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_CANCEL) > USES);
}

static void a_timeout_anywhere_fails_what_it_hits(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_TIME_OUT) > USES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_fails_what_it_hits),
        cmocka_unit_test(a_cancellation_anywhere_ends_cleanly),
        cmocka_unit_test(a_timeout_anywhere_fails_what_it_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
