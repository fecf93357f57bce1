/* The contract of resources, prompts, completions and updates, held by the fake of tests, by the
 * scripted server within the process, and by the MCP client with that server behind a pipe, in both
 * eras. */
#include "domain/base/json.h"
#include "infrastructure/mock/mock_server.h"
#include "tests/support/cmocka.h"
#include "tests/support/contracts/offerings_contract.h"
#include "tests/support/fakes/fake_tool_server.h"
#include "tests/support/full/peer.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void the_fake_holds_it(void **state)
{
    struct immediate_runtime runtime = immediate_runtime();
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct fake_tool_server fake;
    struct offerings_trial trial = { .server = &fake.base };
    (void)state;
    fake_tool_server_init(&fake, &runtime.port, "fake", "[]");
    fake.offered[OFFERING_RESOURCE] = OFFERINGS_RESOURCES;
    fake.offered[OFFERING_PROMPT] = "[{\"name\":\"p\"}]";
    fake_tool_server_offer(
        &fake, (struct fake_offering_reply){
                   .kind = OFFERING_RESOURCE,
                   .key = "a:1",
                   .result = "{\"contents\":[{\"uri\":\"a:1\",\"text\":\"text of one\"}]}",
                   .then = "{\"contents\":[{\"uri\":\"a:1\",\"text\":\"text of two\"}]}" });
    fake.completions[0] = (struct fake_completion){ "who", { "Ada", "Bo", "Al" } };
    fake_tool_server_offer(
        &fake, (struct fake_offering_reply){
                   .kind = OFFERING_PROMPT,
                   .key = "p",
                   .result = "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                             "\"text\":\"hello Ada\"}}]}" });
    (void)offerings_try(&runtime.port, &scope, &trial);
    offerings_check(&trial);
    fake_tool_server_finish(&fake);
}

static void the_scripted_server_holds_it_within_the_process(void **state)
{
    struct immediate_runtime runtime = immediate_runtime();
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct offerings_trial trial = { 0 };
    json_auto_t *fixture = NULL;
    (void)state;
    assert_int_equal(
        json_parse(OFFERINGS_FIXTURE, strlen(OFFERINGS_FIXTURE), JSON_OURS, &fixture, NULL),
        ERR_NONE);
    assert_int_equal(mock_server_create(&runtime.port, "mock", fixture, &trial.server, NULL),
                     ERR_NONE);
    (void)offerings_try(&runtime.port, &scope, &trial);
    offerings_check(&trial);
    tool_server_destroy(trial.server);
}

/* The client's server is there only while the peer runs. */
struct client_trial {
    struct peer peer;
    struct offerings_trial trial;
};

static enum err_code try_client(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client_trial *c = argument;
    c->trial.server = c->peer.server;
    return offerings_try(runtime, scope, &c->trial);
}

static void hold_through_a_client(enum server_era era)
{
    struct client_trial c = { 0 };
    char file[] = "/tmp/mistro-offerings-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, OFFERINGS_FIXTURE, strlen(OFFERINGS_FIXTURE)),
                     strlen(OFFERINGS_FIXTURE));
    close(fd);
    PEER(&c.peer, "serve", "mock", "--fixture", file);
    c.peer.config.command = BUILD_DIR "/mistro";
    c.peer.config.era = era;
    c.peer.settings.mcp_probe_timeout_ms = c.peer.settings.mcp_first_probe_timeout_ms = 10000;
    peer_run(&c.peer, try_client);
    assert_string_equal(c.peer.status.era, era == ERA_LEGACY ? "legacy" : "modern");
    offerings_check(&c.trial);
    peer_finish(&c.peer);
    unlink(file);
}

static void the_client_holds_it_in_the_modern_era(void **state)
{
    (void)state;
    hold_through_a_client(ERA_MODERN);
}

static void the_client_holds_it_in_the_legacy_era(void **state)
{
    (void)state;
    hold_through_a_client(ERA_LEGACY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fake_holds_it),
        cmocka_unit_test(the_scripted_server_holds_it_within_the_process),
        cmocka_unit_test(the_client_holds_it_in_the_modern_era),
        cmocka_unit_test(the_client_holds_it_in_the_legacy_era),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
