/* Other models than the one of the settings: how many, and what they get to know. */

#include "infrastructure/models/choose_model.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One task: asks for models, and for each whether it is there. */
struct asking {
    struct named_models models;
    const char *names[NAMED_MODELS_MAX + 2], *urls[NAMED_MODELS_MAX + 2];
    size_t n;
    struct model *made[NAMED_MODELS_MAX + 2];
    enum err_code results[NAMED_MODELS_MAX + 2];
    struct arena arena;
    struct err err;
};

static enum err_code ask(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct asking *asking = argument;
    struct model_status status;
    (void)runtime;
    for (size_t i = 0; i < asking->n; i++) {
        asking->results[i] = named_models_get(&asking->models, scope, asking->names[i],
                                              asking->urls[i], &asking->made[i], &asking->err);
        if (!asking->results[i] && !asking->names[i])
            asking->results[i] =
                model_check(asking->made[i], scope, &asking->arena, &status, &asking->err);
    }
    named_models_close(&asking->models);
    endpoint_memory_destroy(asking->models.from.endpoints);
    return ERR_NONE;
}

static void run(struct asking *asking, struct uv_runtime *runtime, const struct settings *settings)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    asking->models.from.runtime = runtime;
    asking->models.from.settings = settings;
    asking->models.from.endpoints = endpoint_memory_create(runtime, NULL);
    asking->models.from.arena = &asking->arena;
    (void)uv_runtime_run(runtime, &scope, ask, asking);
}

static void the_key_of_the_settings_is_for_their_address_alone(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    struct mock_endpoint *other = mock_endpoint_create(f.runtime);
    const struct mock_answer list = { .path = "/v1/models", .body = LIST, .times = 9 };
    mock_endpoint_add(f.endpoint, list);
    mock_endpoint_add(other, list);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    f.settings.model_api_key = "secret";
    f.settings.origins[SETTING_model_api_key] = ORIGIN_ENVIRONMENT;
    f.settings.origin_names[SETTING_model_api_key] = "OPENAI_API_KEY";
    struct asking asking = { .n = 2 };
    asking.urls[0] = mock_endpoint_url(other);
    asking.urls[1] = mock_endpoint_url(f.endpoint);

    run(&asking, f.runtime, &f.settings);

    const struct mock_request *of_other, *own;
    size_t n_other = mock_endpoint_requests(other, &of_other);
    size_t n_own = mock_endpoint_requests(f.endpoint, &own);
    assert_int_equal(asking.results[0], ERR_NONE);
    assert_int_equal(asking.results[1], ERR_NONE);
    assert_true(n_other > 0 && n_own > 0);
    for (size_t i = 0; i < n_other; i++)
        assert_null(strstr(of_other[i].head, "secret"));
    assert_string_equal(own[n_own - 1].authorization, "Bearer secret");
    mock_endpoint_destroy(other);
    arena_finish(&asking.arena);
}

static void sixteen_models_may_be_named_and_no_more(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    char path[] = "/tmp/mistro_named.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(write(file, "{\"reply\":\"x\"}\n", 14) == 14);
    close(file);
    struct asking asking = { .n = NAMED_MODELS_MAX + 2 };
    for (size_t i = 0; i < asking.n; i++) {
        asking.names[i] = arena_printf(&asking.arena, "script:%s", path);
        asking.urls[i] = arena_printf(&asking.arena, "http://127.0.0.1:1/%zu", i);
    }
    asking.urls[NAMED_MODELS_MAX + 1] = asking.urls[0];

    run(&asking, f.runtime, &f.settings);

    for (size_t i = 0; i < NAMED_MODELS_MAX; i++)
        assert_int_equal(asking.results[i], ERR_NONE);
    assert_int_equal(asking.results[NAMED_MODELS_MAX], ERR_LIMIT);
    assert_string_equal(asking.err.message, "more than 16 models are named");
    assert_ptr_equal(asking.made[NAMED_MODELS_MAX + 1], asking.made[0]);
    unlink(path);
    arena_finish(&asking.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_of_the_settings_is_for_their_address_alone),
        cmocka_unit_test(sixteen_models_may_be_named_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
