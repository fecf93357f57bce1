
#include "domain/base/json.h"
#include "infrastructure/mcp/wire/era.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

/* A server as a script: each step is what the next request is answered with. */
struct step {
    const char *method;
    const char *answer; /* JSON of the result, or of the error after "!"; or "timeout", "exit" */
};

struct fake {
    const struct step *steps;
    size_t n_steps, at, respawns;
    const char *agreed; /* the revision that was told last */
    bool initialized;
    char log[400]; /* what was asked, in order */
};

#define DISCOVERED                                                                                 \
    "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"       \
    "\"tools\":{\"listChanged\":true}},\"instructions\":\"be kind\",\"_meta\":{"                   \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}"
#define INITIALIZED                                                                                \
    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{"         \
    "\"name\":\"old\",\"version\":\"2\"}}"

static enum err_code fake_request(void *channel, struct scope *sc, struct era_request *request,
                                  struct err *err)
{
    struct fake *fake = channel;
    json_auto_t *owned = request->params;
    const char *method = request->method;
    const char *version = json_get_string(owned, "protocolVersion");
    size_t used = strlen(fake->log);
    (void)sc;
    snprintf(fake->log + used, sizeof fake->log - used, "%s%s%s ", method, version ? ":" : "",
             version ? version : "");
    if (fake->at == fake->n_steps || strcmp(fake->steps[fake->at].method, method) != 0)
        return err_set(err, ERR_INTERNAL, 0, "unexpected %s", method);
    const char *answer = fake->steps[fake->at++].answer;
    if (strcmp(answer, "timeout") == 0)
        return err_set(err, ERR_TIMEOUT, 0, "no answer");
    if (strcmp(answer, "404") == 0)
        return err_set(err, ERR_PROTOCOL, 404, "HTTP 404");
    if (strcmp(answer, "exit") == 0)
        return err_set(err, ERR_UNAVAILABLE, 0, "it exited with status 1");
    json_t **out = *answer == '!' ? &request->error : &request->result;
    answer += *answer == '!';
    return json_parse(answer, strlen(answer), JSON_OURS, out, err);
}

static void fake_notify(void *channel, const char *method)
{
    struct fake *fake = channel;
    fake->initialized = strcmp(method, "notifications/initialized") == 0;
}

static enum err_code fake_respawn(void *channel, struct scope *sc, struct err *err)
{
    struct fake *fake = channel;
    (void)sc;
    (void)err;
    fake->respawns++;
    strcat(fake->log, "respawn ");
    return ERR_NONE;
}

static void fake_agree(void *channel, const char *version)
{
    struct fake *fake = channel;
    fake->agreed = version;
}

static enum err_code fake_reopen(void *channel, struct scope *sc, bool is_by_sse, struct err *err)
{
    struct fake *fake = channel;
    (void)sc;
    (void)err;
    strcat(fake->log, is_by_sse ? "by-sse " : "as-usual ");
    return ERR_NONE;
}

static const struct era_channel_ops fake_ops = { fake_request, fake_notify, fake_agree,
                                                 fake_respawn, fake_reopen };

struct outcome {
    struct fake fake;
    struct session session;
    enum err_code code;
    struct err err;
};

static bool is_remote;

static struct outcome negotiate(enum server_era era, enum server_era verdict,
                                const struct step *steps, size_t n)
{
    struct outcome outcome = { .fake = { .steps = steps, .n_steps = n } };
    struct era_options options = {
        .era = era,
        .verdict = verdict,
        .is_remote = is_remote,
        .probe_silence_ms = 10,
        .handshake_silence_ms = 100,
    };
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    outcome.code =
        era_negotiate(&fake_ops, &outcome.fake, &options, &scope, &outcome.session, &outcome.err);
    return outcome;
}

#define NEGOTIATE(era, verdict, ...)                                                               \
    negotiate(era, verdict, (const struct step[]){ __VA_ARGS__ },                                  \
              sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

static void assert_modern(struct outcome *outcome, const char *log)
{
    assert_string_equal(outcome->fake.log, log);
    assert_int_equal(outcome->code, ERR_NONE);
    assert_int_equal(outcome->session.era, ERA_MODERN);
    assert_string_equal(outcome->session.version, "2026-07-28");
    session_finish(&outcome->session);
}

static void assert_legacy(struct outcome *outcome, const char *log)
{
    assert_string_equal(outcome->fake.log, log);
    assert_int_equal(outcome->code, ERR_NONE);
    assert_int_equal(outcome->session.era, ERA_LEGACY);
    assert_true(outcome->fake.initialized);
    session_finish(&outcome->session);
}

static void takes_a_discover_result_for_modern(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", DISCOVERED });
    (void)state;
    assert_int_equal(o.code, ERR_NONE);
    assert_string_equal(o.session.server_name, "s");
    assert_string_equal(o.session.server_version, "1");
    assert_string_equal(o.session.instructions, "be kind");
    assert_true(o.session.has_tools);
    assert_true(o.session.announces_tools);
    assert_modern(&o, "server/discover ");
}

static void takes_any_error_for_legacy(void **state)
{
    static const char *const errors[] = { "!{\"code\":-32601}",
                                          "!{\"code\":-32602}",
                                          "!{\"code\":-32000}",
                                          "!{\"code\":-32022}",
                                          "!{}",
                                          "{}" };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", errors[i] },
                                     { "initialize", INITIALIZED });
        assert_legacy(&o, "server/discover initialize:2025-11-25 ");
        assert_int_equal(o.fake.respawns, 0);
    }
}

static void takes_silence_for_legacy(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "timeout" },
                                 { "initialize", INITIALIZED });
    (void)state;
    assert_legacy(&o, "server/discover initialize:2025-11-25 ");
}

static void starts_a_server_again_that_died_of_the_probe(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "exit" }, { "initialize", INITIALIZED });
    (void)state;
    assert_legacy(&o, "server/discover respawn initialize:2025-11-25 ");
}

static void starts_it_again_only_once(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "exit" }, { "initialize", "exit" });
    (void)state;
    assert_int_equal(o.code, ERR_UNAVAILABLE);
    assert_int_equal(o.fake.respawns, 1);
}

static void asks_again_once_when_the_same_version_is_refused(void **state)
{
    static const char refusal[] = "!{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}";
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", refusal },
                                 { "server/discover", DISCOVERED });
    struct outcome twice = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", refusal },
                                     { "server/discover", refusal });
    (void)state;
    assert_modern(&o, "server/discover server/discover ");
    assert_int_equal(twice.code, ERR_PROTOCOL);
    assert_string_equal(twice.fake.log, "server/discover server/discover ");
}

static void asks_for_the_newest_legacy_version_in_common(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_AUTO, ERA_AUTO,
                  { "server/discover",
                    "!{\"code\":-32022,\"data\":{\"supported\":[\"2024-11-05\",\"2025-03-26\"]}}" },
                  { "initialize", INITIALIZED });
    struct outcome result = NEGOTIATE(
        ERA_AUTO, ERA_AUTO, { "server/discover", "{\"supportedVersions\":[\"2025-06-18\"]}" },
        { "initialize", INITIALIZED });
    (void)state;
    assert_legacy(&o, "server/discover initialize:2025-03-26 ");
    assert_legacy(&result, "server/discover initialize:2025-06-18 ");
}

static void shows_both_lists_when_nothing_is_in_common(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO,
                                 { "server/discover", "{\"supportedVersions\":[\"2099-01-01\"]}" });
    (void)state;
    assert_int_equal(o.code, ERR_PROTOCOL);
    assert_non_null(strstr(o.err.message, "2099-01-01"));
    assert_non_null(strstr(o.err.message, "2026-07-28"));
    assert_non_null(strstr(o.err.message, "2024-11-05 to 2025-11-25"));
}

static void goes_modern_when_initialize_is_refused_for_it(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "timeout" },
                  { "initialize", "!{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}" },
                  { "server/discover", DISCOVERED });
    (void)state;
    assert_modern(&o, "server/discover initialize:2025-11-25 server/discover ");
}

static void initializes_again_with_a_version_the_server_lists(void **state)
{
    static const char old_style[] =
        "!{\"code\":-32602,\"data\":{\"supported\":[\"2024-11-05\"],\"requested\":\"x\"}}";
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "!{\"code\":-32601}" },
                                 { "initialize", old_style }, { "initialize", INITIALIZED });
    (void)state;
    assert_legacy(&o, "server/discover initialize:2025-11-25 initialize:2024-11-05 ");
}

static void refuses_a_version_it_does_not_speak(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", "{\"protocolVersion\":\"1999-01-01\"}" });
    struct outcome none = NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", "{}" });
    (void)state;
    assert_int_equal(o.code, ERR_PROTOCOL);
    assert_false(o.fake.initialized);
    assert_int_equal(none.code, ERR_PROTOCOL);
}

static void passes_on_why_initialize_was_refused(void **state)
{
    struct outcome o =
        NEGOTIATE(ERA_LEGACY, ERA_AUTO,
                  { "initialize", "!{\"code\":-32603,\"message\":\"no \\u001b key\"}" });
    (void)state;
    assert_int_equal(o.code, ERR_PROTOCOL);
    assert_int_equal(o.err.origin, -32603);
    assert_string_equal(o.err.message, "initialize: refused: \"no \\x1b key\"");
}

static void does_not_probe_a_server_configured_as_legacy(void **state)
{
    struct outcome o = NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", INITIALIZED });
    struct outcome dead = NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", "exit" });
    (void)state;
    assert_legacy(&o, "initialize:2025-11-25 ");
    assert_int_equal(dead.code, ERR_UNAVAILABLE);
    assert_int_equal(dead.fake.respawns, 0);
}

static void does_not_fall_back_for_a_server_configured_as_modern(void **state)
{
    static const char *const answers[] = { "timeout", "exit", "!{\"code\":-32601}", "{}" };
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct outcome o = NEGOTIATE(ERA_MODERN, ERA_AUTO, { "server/discover", answers[i] });
        assert_int_not_equal(o.code, ERR_NONE);
        assert_string_equal(o.fake.log, "server/discover ");
        assert_non_null(strstr(o.err.hint, "era: auto"));
    }
}

static void skips_the_probe_after_a_legacy_verdict(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_LEGACY, { "initialize", INITIALIZED });
    (void)state;
    assert_legacy(&o, "initialize:2025-11-25 ");
}

static void probes_afresh_when_the_verdict_does_not_hold(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_LEGACY, { "initialize", "!{\"code\":-32601}" },
                                 { "server/discover", DISCOVERED });
    (void)state;
    assert_modern(&o, "initialize:2025-11-25 respawn server/discover ");
}

static void probes_afresh_a_server_that_dies_of_what_it_once_understood(void **state)
{
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_LEGACY, { "initialize", "exit" },
                                 { "server/discover", DISCOVERED });
    (void)state;
    assert_modern(&o, "initialize:2025-11-25 respawn server/discover ");
    o = NEGOTIATE(ERA_AUTO, ERA_LEGACY, { "initialize", "exit" }, { "server/discover", "exit" });
    assert_int_equal(o.code, ERR_UNAVAILABLE);
    assert_string_equal(o.fake.log, "initialize:2025-11-25 respawn server/discover ");
}

static void finds_server_info_in_either_place_and_bounds_it(void **state)
{
    char answer[600], name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(answer, sizeof answer,
             "{\"supportedVersions\":[\"2026-07-28\"],\"serverInfo\":{\"name\":\"%s\"}}", name);
    struct outcome o = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", answer });
    (void)state;
    assert_int_equal(strlen(o.session.server_name), ERA_MAX_NAME_BYTES);
    assert_string_equal(o.session.server_version, "");
    assert_modern(&o, "server/discover ");
}

static void takes_an_outage_of_a_remote_server_for_no_verdict(void **state)
{
    (void)state;
    is_remote = true;
    struct outcome silent = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "timeout" });
    struct outcome gone = NEGOTIATE(ERA_AUTO, ERA_LEGACY, { "initialize", "exit" });
    struct outcome old =
        NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "404" }, { "initialize", INITIALIZED });
    is_remote = false;
    assert_int_equal(silent.code, ERR_TIMEOUT);
    assert_int_equal(gone.code, ERR_UNAVAILABLE);
    assert_int_equal(gone.fake.respawns, 0);
    assert_legacy(&old, "server/discover initialize:2025-11-25 ");
}

static void goes_the_oldest_way_last(void **state)
{
    (void)state;
    is_remote = true;
    struct outcome found = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "404" },
                                     { "initialize", "404" }, { "initialize", INITIALIZED });
    struct outcome neither = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", "404" },
                                       { "initialize", "404" }, { "initialize", "404" });
    struct outcome legacy =
        NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", "404" }, { "initialize", INITIALIZED });
    is_remote = false;
    assert_true(found.session.is_by_sse);
    assert_legacy(&found, "server/discover initialize:2025-11-25 by-sse initialize:2025-11-25 ");
    assert_int_equal(neither.code, ERR_PROTOCOL);
    assert_string_equal(
        neither.fake.log,
        "server/discover initialize:2025-11-25 by-sse initialize:2025-11-25 as-usual ");
    assert_true(legacy.session.is_by_sse);
    assert_legacy(&legacy, "initialize:2025-11-25 by-sse initialize:2025-11-25 ");
}

static void goes_the_oldest_way_at_once_where_that_is_known(void **state)
{
    (void)state;
    is_remote = true;
    struct outcome known = NEGOTIATE(ERA_AUTO, ERA_SSE, { "initialize", INITIALIZED });
    struct outcome changed =
        NEGOTIATE(ERA_AUTO, ERA_SSE, { "initialize", "404" }, { "server/discover", DISCOVERED });
    struct outcome away = NEGOTIATE(ERA_AUTO, ERA_SSE, { "initialize", "exit" });
    struct outcome wanted = NEGOTIATE(ERA_SSE, ERA_AUTO, { "initialize", "404" });
    is_remote = false;
    assert_true(known.session.is_by_sse);
    assert_legacy(&known, "by-sse initialize:2025-11-25 ");
    assert_false(changed.session.is_by_sse);
    assert_modern(&changed, "by-sse initialize:2025-11-25 as-usual server/discover ");
    assert_int_equal(away.code, ERR_UNAVAILABLE);
    assert_int_equal(wanted.code, ERR_PROTOCOL);
    assert_string_equal(wanted.fake.log, "by-sse initialize:2025-11-25 ");
}

static void tells_the_revision_before_it_is_used(void **state)
{
    (void)state;
    struct outcome modern = NEGOTIATE(ERA_AUTO, ERA_AUTO, { "server/discover", DISCOVERED });
    struct outcome legacy = NEGOTIATE(ERA_LEGACY, ERA_AUTO, { "initialize", INITIALIZED });
    assert_string_equal(modern.fake.agreed, "2026-07-28");
    assert_string_equal(legacy.fake.agreed, "2025-06-18");
    session_finish(&modern.session);
    session_finish(&legacy.session);
}

static void names_the_setting_that_stands_in_the_way(void **state)
{
    (void)state;
    struct outcome legacy =
        NEGOTIATE(ERA_LEGACY, ERA_AUTO,
                  { "initialize", "!{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}" });
    struct outcome modern = NEGOTIATE(
        ERA_MODERN, ERA_AUTO,
        { "server/discover", "!{\"code\":-32022,\"data\":{\"supported\":[\"2025-06-18\"]}}" });
    struct outcome neither =
        NEGOTIATE(ERA_LEGACY, ERA_AUTO,
                  { "initialize", "!{\"code\":-32022,\"data\":{\"supported\":[\"2099-01-01\"]}}" });
    assert_non_null(strstr(legacy.err.hint, "configured as legacy"));
    assert_non_null(strstr(modern.err.hint, "configured as modern"));
    assert_non_null(strstr(neither.err.hint, "update the server"));
}

static void names_an_offer_by_what_is_in_it(void **state)
{
    (void)state;
    assert_string_equal(era_offer_name(ERA_NO_OFFER), "");
    assert_string_equal(era_offer_name((struct era_offer){ .elicitation = true }), "elicitation");
    assert_string_equal(
        era_offer_name((struct era_offer){ .roots = true, .sampling = true, .tasks = true }),
        "roots sampling");
    assert_string_equal(
        era_offer_name((struct era_offer){ .roots = true, .elicitation = true, .sampling = true }),
        "roots elicitation sampling");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_an_offer_by_what_is_in_it),
        cmocka_unit_test(takes_a_discover_result_for_modern),
        cmocka_unit_test(takes_any_error_for_legacy),
        cmocka_unit_test(takes_silence_for_legacy),
        cmocka_unit_test(takes_an_outage_of_a_remote_server_for_no_verdict),
        cmocka_unit_test(goes_the_oldest_way_last),
        cmocka_unit_test(goes_the_oldest_way_at_once_where_that_is_known),
        cmocka_unit_test(tells_the_revision_before_it_is_used),
        cmocka_unit_test(starts_a_server_again_that_died_of_the_probe),
        cmocka_unit_test(starts_it_again_only_once),
        cmocka_unit_test(asks_again_once_when_the_same_version_is_refused),
        cmocka_unit_test(asks_for_the_newest_legacy_version_in_common),
        cmocka_unit_test(shows_both_lists_when_nothing_is_in_common),
        cmocka_unit_test(goes_modern_when_initialize_is_refused_for_it),
        cmocka_unit_test(initializes_again_with_a_version_the_server_lists),
        cmocka_unit_test(refuses_a_version_it_does_not_speak),
        cmocka_unit_test(passes_on_why_initialize_was_refused),
        cmocka_unit_test(does_not_probe_a_server_configured_as_legacy),
        cmocka_unit_test(does_not_fall_back_for_a_server_configured_as_modern),
        cmocka_unit_test(skips_the_probe_after_a_legacy_verdict),
        cmocka_unit_test(probes_afresh_when_the_verdict_does_not_hold),
        cmocka_unit_test(probes_afresh_a_server_that_dies_of_what_it_once_understood),
        cmocka_unit_test(finds_server_info_in_either_place_and_bounds_it),
        cmocka_unit_test(names_the_setting_that_stands_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
