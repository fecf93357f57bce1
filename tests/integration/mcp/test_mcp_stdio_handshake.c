
#include "infrastructure/mcp/client/client_internal.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/known_era.h"
#include "tests/support/full/peer.h"
#include <string.h>

static void assert_ready(struct peer *peer, const char *era, const char *version)
{
    assert_string_equal(peer->err.message, "");
    assert_int_equal(peer->code, ERR_NONE);
    assert_int_equal(peer->n_tools, 2);
    assert_string_equal(peer->status.era, era);
    assert_string_equal(peer->status.protocol_version, version);
    assert_string_equal(peer->status.server_name, "peer");
    assert_int_equal(peer->status.state, SERVER_READY);
    assert_true(peer->status.start_ms >= 0);
}

static void speaks_modern_with_a_modern_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_ready(&peer, "modern", "2026-07-28");
    const char *record = peer_record(&peer);
    assert_null(strstr(record, "initialize"));
    assert_non_null(strstr(record, "\"method\":\"tools/list\",\"params\":{\"_meta\":{"
                                   "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
    peer_finish(&peer);
}

static void speaks_legacy_with_a_server_that_knows_no_discover(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_ready(&peer, "legacy", "2025-11-25");
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "\"id\":\"era-1\",\"method\":\"server/discover\""));
    assert_non_null(strstr(record, "notifications/initialized"));
    assert_null(strstr(strstr(record, "tools/list"), "_meta"));
    peer_finish(&peer);
}

static void tells_how_a_server_died_and_its_last_words(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "start=$ERRloading;$ERRno \x1b[31mkey\x1b[0m;$EXIT3;");
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(peer.err.message, "it exited with status 3"));
    assert_non_null(strstr(peer.err.message, "loading"));
    assert_non_null(strstr(peer.err.message, "no \\x1b[31mkey"));
    peer_finish(&peer);
}

static void reports_a_command_that_does_not_exist(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer.config.command = "mistro-has-no-such-program";
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_UNAVAILABLE);
    assert_int_equal(peer.err.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(peer.err.message, "mistro-has-no-such-program"));
    peer_finish(&peer);
}

static void remembers_the_verdict_when_it_starts_again(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=$EXIT0;");
    peer_keep_record(&peer);
    peer_run(&peer, peer_call_then_call);
    assert_int_equal(peer.status.restarts, 1);
    const char *first = strstr(peer_record(&peer), "server/discover");
    assert_non_null(first);
    assert_null(strstr(first + 1, "server/discover"));
    peer_finish(&peer);
}

static void does_not_probe_a_server_that_is_known(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer.eras = &known.base;
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_ready(&peer, "legacy", "2025-11-25");
    assert_null(strstr(peer_record(&peer), "server/discover"));
    assert_int_equal(known.n_kept, 0);
    peer_finish(&peer);
}

static void remembers_what_took_long_to_find_out_and_nothing_else(void **state)
{
    struct known_era known = { .base = { &known_era_ops } };
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer.eras = &known.base;
    peer_run(&peer, peer_list);
    assert_int_equal(known.n_kept, 0);
    peer_finish(&peer);
    PEER(&peer, "server/discover=");
    peer.settings.mcp_first_probe_timeout_ms = CLIENT_SLOW_START_MS + 20;
    peer.eras = &known.base;
    peer_run(&peer, peer_list);
    assert_ready(&peer, "legacy", "2025-11-25");
    assert_int_equal(known.era, ERA_LEGACY);
    peer_finish(&peer);
}

static void corrects_what_it_remembered(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "initialize=$EXIT1;");
    peer.eras = &known.base;
    peer_run(&peer, peer_list);
    assert_ready(&peer, "modern", "2026-07-28");
    assert_int_equal(known.era, ERA_MODERN);
    peer_finish(&peer);
}

static void forgets_what_does_not_lead_to_a_session(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct peer peer;
    (void)state;
    PEER(&peer, "server/discover=$EXIT1;", "initialize=$EXIT1;");
    peer.eras = &known.base;
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_UNAVAILABLE);
    assert_int_equal(known.era, ERA_AUTO);
    peer_finish(&peer);
}

static void does_not_ask_its_memory_about_a_configured_era(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    peer.config.era = ERA_MODERN;
    peer.eras = &known.base;
    peer_run(&peer, peer_list);
    assert_ready(&peer, "modern", "2026-07-28");
    assert_int_equal(known.n_kept, 0);
    peer_finish(&peer);
}

static void asks_a_legacy_server_for_its_log_and_goes_on_without(void **state)
{
    static const char initialized[] =
        "initialize=" ANSWER("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
                             "\"logging\":{}},\"serverInfo\":{\"name\":\"peer\"}}");
    struct peer peer;
    (void)state;
    PEER(&peer, initialized, "logging/setLevel=" ANSWER("{}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_ready(&peer, "legacy", "2025-11-25");
    assert_non_null(strstr(peer_record(&peer),
                           "\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}"));
    peer_finish(&peer);
    PEER(&peer, initialized, "logging/setLevel=");
    peer_run(&peer, peer_list);
    assert_ready(&peer, "legacy", "2025-11-25");
    peer_finish(&peer);
}

static enum err_code list_in_a_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    return peer_list(runtime, scope, argument);
}

static enum err_code list_thrice_at_once(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct task *tasks[3];
    enum err_code worst = ERR_NONE;
    for (size_t i = 0; i < 3; i++)
        tasks[i] = runtime_spawn(runtime, scope, list_in_a_task, argument);
    for (size_t i = 0; i < 3; i++)
        worst |= runtime_wait(runtime, tasks[i]);
    return worst;
}

static void shares_one_start_and_one_list_among_callers(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    peer_keep_record(&peer);
    peer_run(&peer, list_thrice_at_once);
    assert_ready(&peer, "modern", "2026-07-28");
    const char *first = strstr(peer_record(&peer), "server/discover");
    assert_null(strstr(first + 1, "server/discover"));
    first = strstr(peer_record(&peer), "tools/list\"");
    assert_null(strstr(first + 1, "tools/list\""));
    peer_finish(&peer);
}

static void shares_one_failure_among_callers(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "server/discover=$EXIT1;", "initialize=$EXIT1;");
    peer_run(&peer, list_thrice_at_once);
    assert_int_equal(peer.code, ERR_UNAVAILABLE);
    assert_int_equal(peer.status.restarts, 0);
    peer_finish(&peer);
}

static enum err_code list_beside_one_who_gives_up(struct runtime *runtime, struct scope *scope,
                                                  void *argument)
{
    struct scope impatient = runtime_scope(runtime, scope, 30);
    struct task *first = runtime_spawn(runtime, &impatient, list_in_a_task, argument);
    struct task *second = runtime_spawn(runtime, scope, list_in_a_task, argument);
    struct peer *peer = argument;
    (void)runtime_wait(runtime, first);
    peer->err = (struct err){ 0 };
    return runtime_wait(runtime, second);
}

static void goes_on_when_the_first_caller_gives_up(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "server/discover=");
    peer_run(&peer, list_beside_one_who_gives_up);
    assert_ready(&peer, "legacy", "2025-11-25");
    peer_finish(&peer);
}

static enum err_code only_ask_for_the_status(struct runtime *runtime, struct scope *scope,
                                             void *argument)
{
    (void)runtime;
    (void)scope;
    (void)argument;
    return ERR_NONE;
}

static void starts_nothing_before_it_is_needed(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "a b=", "it's=");
    peer_run(&peer, only_ask_for_the_status);
    assert_int_equal(peer.status.state, SERVER_IDLE);
    assert_int_equal(peer.status.start_ms, -1);
    assert_string_equal(peer.status.era, "");
    assert_non_null(strstr(peer.status.identity, "\"a b=\""));
    assert_non_null(strstr(peer.status.command, "peer_mcp 'a b=' "));
    peer_finish(&peer);
}

static const char *identity_with(struct arena *arena, struct server_config config)
{
    struct peer peer;
    PEER(&peer, "x=");
    config.name = peer.config.name;
    config.command = peer.config.command;
    peer.config = config;
    peer_run(&peer, only_ask_for_the_status);
    const char *identity = arena_strdup(arena, peer.status.identity);
    assert_null(strstr(peer.status.command, "secret"));
    peer_finish(&peer);
    return identity;
}

static void a_server_is_another_with_other_arguments_folder_or_environment(void **state)
{
    static const char *const one[] = { "a" }, *const other[] = { "b" };
    static const char *const key[] = { "KEY=secret" }, *const key_2[] = { "KEY=secret2" };
    AUTO(arena) arena = { 0 };
    (void)state;
    const char *identities[] = {
        identity_with(&arena, (struct server_config){ 0 }),
        identity_with(&arena, (struct server_config){ .arguments = one, .n_arguments = 1 }),
        identity_with(&arena, (struct server_config){ .arguments = other, .n_arguments = 1 }),
        identity_with(&arena, (struct server_config){ .directory = "/tmp" }),
        identity_with(&arena, (struct server_config){ .environment = key, .n_environment = 1 }),
        identity_with(&arena, (struct server_config){ .environment = key_2, .n_environment = 1 }),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(identities); i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(identities[i], identities[j]);
    assert_string_equal(identities[0], identity_with(&arena, (struct server_config){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speaks_modern_with_a_modern_server),
        cmocka_unit_test(speaks_legacy_with_a_server_that_knows_no_discover),
        cmocka_unit_test(tells_how_a_server_died_and_its_last_words),
        cmocka_unit_test(reports_a_command_that_does_not_exist),
        cmocka_unit_test(remembers_the_verdict_when_it_starts_again),
        cmocka_unit_test(asks_a_legacy_server_for_its_log_and_goes_on_without),
        cmocka_unit_test(does_not_probe_a_server_that_is_known),
        cmocka_unit_test(remembers_what_took_long_to_find_out_and_nothing_else),
        cmocka_unit_test(corrects_what_it_remembered),
        cmocka_unit_test(forgets_what_does_not_lead_to_a_session),
        cmocka_unit_test(does_not_ask_its_memory_about_a_configured_era),
        cmocka_unit_test(shares_one_start_and_one_list_among_callers),
        cmocka_unit_test(shares_one_failure_among_callers),
        cmocka_unit_test(goes_on_when_the_first_caller_gives_up),
        cmocka_unit_test(starts_nothing_before_it_is_needed),
        cmocka_unit_test(a_server_is_another_with_other_arguments_folder_or_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
