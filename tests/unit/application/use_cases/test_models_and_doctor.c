/* What `models` and `doctor` say about the model, the servers and the stores. */
#include "application/use_cases/diagnose.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS "[{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"

static int set_up(void **state)
{
    *state = service_bench_create("dev", TOOLS);
    return 0;
}

static enum err_code list(struct service_bench *bench, struct model_listing *out)
{
    return list_models(&bench->services.base, &bench->scope, &bench->arena, out, &bench->err);
}

static enum err_code examine(struct service_bench *bench, struct diagnosis *out)
{
    return diagnose(&bench->services.base, &bench->scope, &bench->arena, out, &bench->err);
}

static const struct check *check(const struct diagnosis *diagnosis, const char *name)
{
    for (size_t i = 0; i < diagnosis->n_checks; i++)
        if (strcmp(diagnosis->checks[i].name, name) == 0)
            return &diagnosis->checks[i];
    fail_msg("nobody looked at the %s", name);
    return NULL;
}

static void a_listing_says_what_is_known_of_the_endpoint(void **state)
{
    struct service_bench *bench = *state;
    struct model_listing listing = { 0 };
    bench->services.model.base_url = "http://127.0.0.1:11434";
    bench->services.model.context_tokens = 8192;
    bench->services.model.schema_support = MODEL_SCHEMA_ENFORCED;

    assert_int_equal(list(bench, &listing), ERR_NONE);

    json_auto_t *value = model_listing_to_json(&listing);
    assert_string_equal(json_get_string(value, "choice"), "named");
    assert_string_equal(json_get_string(value, "base_url"), "http://127.0.0.1:11434");
    assert_string_equal(json_get_string(value, "schema_support"), "enforced");
    assert_int_equal(json_get_int(value, "context_tokens", 0), 8192);
    assert_null(json_object_get(value, "error"));
}

static void an_endpoint_without_the_model_is_listed_with_the_problem(void **state)
{
    struct service_bench *bench = *state;
    struct model_listing listing = { 0 };
    bench->services.choice = MODEL_CHOICE_FOUND;
    bench->services.model.check_fails = ERR_NOT_FOUND;

    assert_int_equal(list(bench, &listing), ERR_NONE);

    json_auto_t *value = model_listing_to_json(&listing);
    assert_string_equal(json_get_string(value, "choice"), "found");
    assert_string_equal(json_string_value(json_path_find(value, "/error/message")),
                        "no such model");
    assert_null(json_object_get(value, "context_tokens"));
}

static void without_a_model_the_lexical_analyst_is_listed(void **state)
{
    struct service_bench *bench = *state;
    struct model_listing listing = { 0 };
    bench->services.choice = MODEL_CHOICE_LEXICAL;

    assert_int_equal(list(bench, &listing), ERR_NONE);

    json_auto_t *value = model_listing_to_json(&listing);
    assert_string_equal(json_get_string(value, "choice"), "lexical");
    assert_int_equal(json_array_size(json_object_get(value, "models")), 0);
}

static void no_endpoint_is_an_error_and_cancelling_another(void **state)
{
    struct service_bench *bench = *state;
    struct model_listing listing = { 0 };
    bench->services.model.check_fails = ERR_CANCELLED;
    assert_int_equal(list(bench, &listing), ERR_CANCELLED);
    bench->services.model_fails = ERR_UNAVAILABLE;
    assert_int_equal(list(bench, &listing), ERR_UNAVAILABLE);
}

static void the_doctor_finds_what_is_broken(void **state)
{
    struct service_bench *bench = *state;
    struct diagnosis diagnosis = { 0 };
    bench->services.model.check_fails = ERR_NOT_FOUND;
    fake_services_add_server(&bench->services, "dead", "[]")->list_fails = ERR_UNAVAILABLE;

    assert_int_equal(examine(bench, &diagnosis), ERR_NONE);

    json_auto_t *value = diagnosis_to_json(&diagnosis);
    assert_int_equal(diagnosis.n_checks, 5);
    assert_int_equal(diagnosis.n_failed, 2);
    assert_int_equal(check(&diagnosis, "model")->verdict, CHECK_FAILED);
    assert_int_equal(check(&diagnosis, "server dev")->verdict, CHECK_OK);
    assert_int_equal(check(&diagnosis, "server dead")->verdict, CHECK_FAILED);
    assert_int_equal(json_get_int(value, "failed", 0), 2);
    assert_string_equal(json_string_value(json_path_find(value, "/checks/0/verdict")), "failed");
    assert_string_equal(json_string_value(json_path_find(value, "/checks/0/detail")),
                        "no such model");
}

static void the_doctor_says_what_the_model_can(void **state)
{
    struct service_bench *bench = *state;
    struct diagnosis diagnosis = { 0 };
    bench->services.model.base_url = "http://127.0.0.1:8080";
    bench->services.model.context_tokens = 4096;
    bench->services.model.schema_support = MODEL_SCHEMA_IGNORED;

    assert_int_equal(examine(bench, &diagnosis), ERR_NONE);

    assert_int_equal(diagnosis.n_failed, 0);
    assert_string_equal(check(&diagnosis, "model")->detail,
                        "fake at http://127.0.0.1:8080: fake (as written), context of 4096 tokens, "
                        "schemas ignored");
    assert_string_equal(check(&diagnosis, "run log")->detail, "readable, empty");
    assert_string_equal(check(&diagnosis, "conversations")->detail, "0 stored");
}

static void what_is_left_out_on_purpose_is_a_warning(void **state)
{
    struct service_bench *bench = *state;
    struct diagnosis diagnosis = { 0 };
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.settings.runs_enabled = false;

    assert_int_equal(examine(bench, &diagnosis), ERR_NONE);

    assert_int_equal(diagnosis.n_failed, 0);
    assert_int_equal(check(&diagnosis, "model")->verdict, CHECK_WARNING);
    assert_string_equal(check(&diagnosis, "run log")->detail, "switched off");
    assert_string_equal(check_verdict_name(check(&diagnosis, "run log")->verdict), "warning");
}

static void only_cancelling_ends_an_examination(void **state)
{
    struct service_bench *bench = *state;
    struct diagnosis diagnosis = { 0 };
    bench->scope.cancelled = true;
    assert_int_equal(examine(bench, &diagnosis), ERR_CANCELLED);
    assert_null(diagnosis.checks);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_listing_says_what_is_known_of_the_endpoint),
        TEST(an_endpoint_without_the_model_is_listed_with_the_problem),
        TEST(without_a_model_the_lexical_analyst_is_listed),
        TEST(no_endpoint_is_an_error_and_cancelling_another),
        TEST(the_doctor_finds_what_is_broken),
        TEST(the_doctor_says_what_the_model_can),
        TEST(what_is_left_out_on_purpose_is_a_warning),
        TEST(only_cancelling_ends_an_examination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
