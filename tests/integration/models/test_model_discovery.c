/* Which endpoint, which dialect, which model, and whose key. */

#include "infrastructure/models/endpoint/endpoint_client.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <stdio.h>
#include <string.h>

#define PROPS "{\"default_generation_settings\":{\"n_ctx\":2048},\"build_info\":\"b1\"}"
#define INFO                                                                                       \
    "{\"model_id\":\"m\",\"version\":\"3.3\",\"max_input_tokens\":4095,\"max_total_tokens\":4096}"
#define LM_STUDIO                                                                                  \
    "{\"models\":[{\"key\":\"m\",\"loaded_instances\":[{\"config\":{\"context_length\":16384}}]}]" \
    "}"
#define MISTRAL_RS                                                                                 \
    "{\"data\":[{\"id\":\"default\",\"owned_by\":\"local\"},{\"id\":\"real\",\"owned_by\":"        \
    "\"local\"}]}"
#define LOADING                                                                                    \
    "{\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\",\"code\":503}}"

static void names_the_model_it_found_and_why(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.model, "mistral:7b");
    assert_string_equal(f.status.requested, "mistral");
    assert_string_equal(f.status.reason, "alias mistral");
    assert_int_equal(f.status.context_tokens, 8192);
}

static void knows_a_llama_server_and_its_context(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.kind, "llama-server");
    assert_int_equal(f.status.context_tokens, 4096);
}

static void names_what_the_endpoint_has_instead(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_name = "mixtral";
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NOT_FOUND);
    assert_non_null(strstr(f.err.message, "has no model \"mixtral\"; it has: mistral:7b, other"));
    assert_string_equal(f.err.hint, "get it with: ollama pull mixtral");
}

static void says_how_to_start_what_refuses_connections(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    model_destroy(f.model);
    f.model = ollama_model_create(f.runtime, "http://127.0.0.1:1", &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_UNAVAILABLE);
    assert_string_equal(f.err.hint, "start it with: ollama serve");
}

static void sends_a_key_only_where_it_belongs(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    const struct mock_request *requests;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    f.settings.model_api_key = "secret";
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    model_destroy(f.model);
    char url[128];
    snprintf(url, sizeof url, "%s/v1/", mock_endpoint_url(f.endpoint));
    f.settings.model_base_url = url;
    f.model = openai_model_create(f.runtime, url, &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 2);
    assert_string_equal(requests[0].authorization, "");
    assert_string_equal(requests[1].authorization, "Bearer secret");
    assert_string_equal(requests[1].path, "/v1/models");
}

/* Whether the endpoint is sent the key, given where key and address were written down. */
static bool sends_key(enum setting_origin key, const char *key_name, enum setting_origin url,
                      const char *url_name)
{
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    const struct mock_request *requests;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    f.settings.model_api_key = "secret";
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    f.settings.origins[SETTING_model_api_key] = key;
    f.settings.origin_names[SETTING_model_api_key] = key_name;
    f.settings.origins[SETTING_model_base_url] = url;
    f.settings.origin_names[SETTING_model_base_url] = url_name;
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 1);
    return requests[0].authorization[0] != '\0';
}

static void keeps_the_key_of_one_address_from_another(void **state)
{
    const enum setting_origin user = ORIGIN_USER_FILE, project = ORIGIN_PROJECT_FILE,
                              environment = ORIGIN_ENVIRONMENT, flag = ORIGIN_FLAG;
    (void)state;
    assert_true(sends_key(user, "mine.yml", user, "mine.yml"));
    assert_false(sends_key(user, "mine.yml", project, "theirs.yml"));
    assert_false(sends_key(user, "mine.yml", environment, "OPENAI_BASE_URL"));
    assert_false(sends_key(user, "mine.yml", flag, "--base-url"));
    assert_true(sends_key(environment, "OPENAI_API_KEY", user, "mine.yml"));
    assert_true(sends_key(environment, "OPENAI_API_KEY", environment, "OPENAI_BASE_URL"));
    assert_true(sends_key(environment, "OPENAI_API_KEY", flag, "--base-url"));
    assert_false(sends_key(environment, "OPENAI_API_KEY", environment, "OLLAMA_HOST"));
    assert_false(sends_key(environment, "OPENAI_API_KEY", project, "theirs.yml"));
    assert_true(sends_key(project, "theirs.yml", project, "theirs.yml"));
}

static void assert_finds(const char *path, const char *body, enum err_code code, const char *kind,
                         int64_t context_tokens)
{
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = path, .body = body });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), code);
    if (code)
        return;
    assert_string_equal(f.found.kind, kind);
    assert_int_equal(f.found.context_tokens, context_tokens);
}

static void tells_the_kind_by_the_shape_of_the_answers(void **state)
{
    (void)state;
    assert_finds("/api/version", "{\"version\":\"0.33.0\"}", ERR_NONE, "ollama", -1);
    assert_finds("/props", PROPS, ERR_NONE, "llama-server", 2048);
    assert_finds("/info", INFO, ERR_NONE, "tgi", 4096);
    assert_finds("/info", "{\"model_id\":\"m\",\"max_input_tokens\":1024}", ERR_NONE, "tgi", 1024);
    assert_finds("/api/v1/models", LM_STUDIO, ERR_NONE, "lm-studio", -1);
    assert_finds("/v1/models", LIST, ERR_NONE, "llama-server", -1);
    assert_finds("/v1/models", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}", ERR_NONE,
                 "vllm", -1);
    assert_finds("/v1/models", MISTRAL_RS, ERR_NONE, "mistral.rs", -1);
    assert_finds("/v1/models", "{\"data\":[{\"id\":\"x\"}]}", ERR_NONE, "openai", -1);
}

static void judges_no_server_by_its_status(void **state)
{
    (void)state;
    assert_finds("/", "{\"error\":\"Unexpected endpoint\"}", ERR_UNAVAILABLE, NULL, -1);
    assert_finds("/", "<html>hello</html>", ERR_UNAVAILABLE, NULL, -1);
    assert_finds("/", "{\"data\":1,\"models\":[{}],\"version\":3}", ERR_UNAVAILABLE, NULL, -1);
}

static size_t requests_to_find(const char *path, const char *body)
{
    AUTO(model_fixture) f;
    const struct mock_request *requests;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = path, .body = body });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    return mock_endpoint_requests(f.endpoint, &requests);
}

static void asks_ollamas_route_first_and_then_the_others_at_once(void **state)
{
    (void)state;
    assert_int_equal(requests_to_find("/api/version", "{\"version\":\"0.33.0\"}"), 1);
    assert_in_range(requests_to_find("/props", PROPS), 2, 5);
    assert_in_range(requests_to_find("/info", INFO), 2, 5);
    assert_in_range(requests_to_find("/api/v1/models", LM_STUDIO), 2, 5);
    assert_int_equal(requests_to_find("/v1/models", LIST), 5);
}

static void of_answers_that_fit_the_first_route_in_the_table_counts(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    mock_endpoint_add(
        f.endpoint,
        (struct mock_answer){ .path = "/props", .body = PROPS, .piece = 16, .every_ms = 2 });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "llama-server");
    assert_int_equal(f.found.context_tokens, 2048);
}

/* A server that takes one connection at a time would have the others wait behind it. */
static void keeps_no_connection_behind_an_answer(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    const struct mock_request *requests;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/v1/models", .body = LIST, .keeps = true });
    mock_endpoint_add(f.endpoint, (struct mock_answer){
                                      .path = "/", .status = 404, .body = "{}", .keeps = true });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 5);
    assert_int_equal(mock_endpoint_connections(f.endpoint), 5);
}

static void finds_nothing_for_a_caller_that_does_not_ask_why(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = "http://127.0.0.1:1";
    f.is_unheard = true;
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_UNAVAILABLE);
}

/* A later look sees what is there then. */
static void uses_the_list_that_came_with_the_search_once(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    const struct mock_request *requests;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    size_t n = mock_endpoint_requests(f.endpoint, &requests);
    f.found.kind = "openai";
    f.model = endpoint_model_open(f.runtime, &f.found, &f.settings, NULL);
    assert_int_equal(model_fixture_run(&f, MODEL_LISTS), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), n);
    assert_int_equal(model_fixture_run(&f, MODEL_LISTS), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), n + 1);
}

static void knows_a_llama_server_that_is_still_loading(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/", .status = 503, .body = LOADING });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "llama-server");
}

static void waits_for_the_list_of_a_server_that_is_still_loading(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/v1/models", .status = 503, .body = LOADING });
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.kind, "llama-server");

    AUTO(model_fixture) g;
    model_fixture_init(&g);
    g.settings.model_first_token_timeout_seconds = 0;
    mock_endpoint_add(g.endpoint,
                      (struct mock_answer){ .path = "/v1/models", .status = 503, .body = LOADING });
    g.model = openai_model_create(g.runtime, mock_endpoint_url(g.endpoint), &g.settings);
    assert_int_equal(model_fixture_run(&g, MODEL_CHECK), ERR_UNAVAILABLE);
    assert_non_null(strstr(g.err.hint, "still loading"));
}

static void believes_the_dialect_that_was_named(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = "http://127.0.0.1:1";
    f.settings.model_api = "openai";
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "openai");
    f.settings.model_api = "ollama";
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "ollama");
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    f.settings.model_api = "openai";
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/info", .body = INFO });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "tgi");
}

/* What a check tells of the model "m". */
static struct model_status status_of(const struct endpoint *kind, const char *path,
                                     const char *body)
{
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    struct endpoint endpoint = *kind;
    endpoint.base_url = mock_endpoint_url(f.endpoint);
    endpoint.version = "";
    f.settings.model_name = "m";
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = path, .body = body });
    mock_endpoint_add(
        f.endpoint,
        (struct mock_answer){ .path = "/api/tags", .body = "{\"models\":[{\"name\":\"m\"}]}" });
    f.model = endpoint_model_open(f.runtime, &endpoint, &f.settings, NULL);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    return (struct model_status){ .context_tokens = f.status.context_tokens,
                                  .sees = f.status.sees };
}

static int64_t context_of(const struct endpoint *kind, const char *path, const char *body)
{
    return status_of(kind, path, body).context_tokens;
}

static bool sees(const struct endpoint *kind, const char *path, const char *body)
{
    return status_of(kind, path, body).sees;
}

static void takes_no_model_for_seeing_but_where_the_endpoint_says_so(void **state)
{
    (void)state;
    static const char capable[] =
        "{\"model_info\":{},\"capabilities\":[\"completion\",\"vision\"]}";
    static const char list[] = "{\"data\":[{\"id\":\"m\"}]}";
    const struct endpoint ollama = { .kind = "ollama", .context_tokens = -1 };
    const struct endpoint found = { .kind = "llama-server", .context_tokens = 64, .sees = true };
    const struct endpoint blind = { .kind = "llama-server", .context_tokens = 64 };
    const struct endpoint other = { .kind = "openai", .context_tokens = -1 };
    assert_true(sees(&ollama, "/api/show", capable));
    assert_false(sees(&ollama, "/api/show", "{\"capabilities\":[\"completion\",\"tools\"]}"));
    assert_false(sees(&ollama, "/api/show", "{\"capabilities\":\"vision\"}"));
    assert_false(sees(&ollama, "/api/show", "{\"capabilities\":[null,7,{\"vision\":true}]}"));
    assert_false(sees(&ollama, "/api/show", SHOW));
    assert_false(sees(&ollama, "/api/show", "<html>"));
    assert_true(sees(&found, "/v1/models", list));
    assert_false(sees(&blind, "/v1/models", list));
    assert_false(sees(&other, "/v1/models",
                      "{\"data\":[{\"id\":\"m\",\"capabilities\":"
                      "[\"vision\"],\"modalities\":{\"vision\":true}}]}"));
}

static bool finds_eyes(const char *props)
{
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/props", .body = props });
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_NONE);
    assert_string_equal(f.found.kind, "llama-server");
    return f.found.sees;
}

static void reads_the_modalities_of_llama_server(void **state)
{
    (void)state;
#define PROPS_WITH(more) "{\"default_generation_settings\":{\"n_ctx\":64}" more "}"
    assert_true(finds_eyes(PROPS_WITH(",\"modalities\":{\"vision\":true,\"audio\":false}")));
    assert_false(finds_eyes(PROPS_WITH(",\"modalities\":{\"vision\":false,\"audio\":true}")));
    assert_false(finds_eyes(PROPS_WITH(",\"modalities\":[\"vision\"]")));
    assert_false(finds_eyes(PROPS_WITH("")));
}

static void asks_llama_server_again_when_it_was_loading_before(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    mock_endpoint_add(f.endpoint, (struct mock_answer){
                                      .path = "/props",
                                      .body = PROPS_WITH(",\"modalities\":{\"vision\":true}") });
    const struct endpoint endpoint = { .base_url = mock_endpoint_url(f.endpoint),
                                       .kind = "llama-server",
                                       .version = "",
                                       .context_tokens = -1 };
    f.model = endpoint_model_open(f.runtime, &endpoint, &f.settings, NULL);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_true(f.status.sees);
    assert_int_equal(f.status.context_tokens, 4096);
}

static void knows_how_much_context_each_kind_offers(void **state)
{
    (void)state;
    const struct endpoint ollama = { .kind = "ollama", .context_tokens = -1 };
    const struct endpoint llama = { .kind = "llama-server", .context_tokens = 2048 };
    const struct endpoint tgi = { .kind = "tgi", .context_tokens = 4096 };
    const struct endpoint studio = { .kind = "lm-studio", .context_tokens = -1 };
    const struct endpoint other = { .kind = "openai", .context_tokens = -1 };
    assert_int_equal(context_of(&ollama, "/api/show", SHOW), 8192);
    assert_int_equal(
        context_of(&ollama, "/api/show", "{\"model_info\":{\"llama.context_length\":4096}}"), 4096);
    assert_int_equal(context_of(&ollama, "/api/show", "<html>"), 8192);
    assert_int_equal(context_of(&llama, "/v1/models", "{\"data\":[{\"id\":\"m\"}]}"), 2048);
    assert_int_equal(context_of(&tgi, "/v1/models", "{\"data\":[{\"id\":\"m\"}]}"), 4096);
    assert_int_equal(
        context_of(&other, "/v1/models",
                   "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":32768}]}"),
        32768);
    assert_int_equal(context_of(&other, "/v1/models", "{\"data\":[{\"id\":\"m\"}]}"), -1);
    assert_int_equal(context_of(&studio, "/api/v1/models", LM_STUDIO), 16384);
    assert_int_equal(context_of(&studio, "/api/v1/models", "{\"models\":[{\"key\":\"m\"}]}"), -1);
}

static void takes_the_only_model_unless_another_was_named(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models",
                                                        .body = "{\"data\":[{\"id\":\"x\"}]}" });
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    f.settings.origins[SETTING_model_name] = ORIGIN_FLAG;
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NOT_FOUND);
    assert_string_equal(f.err.hint, "name one that it has: -m NAME, or model_name");
    f.settings.origins[SETTING_model_name] = ORIGIN_DEFAULT;
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.model, "x");
    assert_string_equal(f.status.reason, "the only model there");
}

static void takes_the_real_name_behind_default(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = MISTRAL_RS });
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.model, "real");
    assert_string_equal(f.status.kind, "mistral.rs");
}

static void takes_the_name_as_written_where_there_is_no_list(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NONE);
    assert_string_equal(f.status.model, "mistral");
}

static void says_that_a_key_is_needed(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/v1/models",
                                            .status = 401,
                                            .body = "{\"error\":{\"message\":\"no\"}}" });
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_AUTH);
    assert_non_null(strstr(f.err.hint, "OPENAI_API_KEY"));
}

static void hides_user_and_password_of_an_address(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    f.model = openai_model_create(f.runtime, "http://me:secret@127.0.0.1:1", &f.settings);
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_UNAVAILABLE);
    assert_null(strstr(f.err.message, "secret"));
}

static void bounds_the_address(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_init(&f);
    char url[ENDPOINT_MAX_URL] = "http://127.0.0.1:1/";
    size_t begin = strlen(url), longest = ENDPOINT_MAX_URL - 64;
    memset(url + begin, 'x', longest + 1 - begin);
    url[longest + 1] = '\0';
    f.settings.model_base_url = url;
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_INVALID);
    url[longest] = '\0';
    assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_UNAVAILABLE);
    assert_non_null(strstr(f.err.hint, "start it with: ollama serve"));
}

static void an_address_without_a_host_is_none(void **state)
{
    (void)state;
    static const char *const urls[] = { "http://", "http:///", "http:///v1", "ht!tp://",
                                        "/",       "://",      "unix:" };
    for (size_t i = 0; i < ARRAY_LENGTH(urls); i++) {
        AUTO(model_fixture) f;
        model_fixture_init(&f);
        f.settings.model_base_url = urls[i];
        assert_int_equal(model_fixture_run(&f, MODEL_FIND), ERR_INVALID);
        assert_non_null(strstr(f.err.message, "model.base_url names no host"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_model_it_found_and_why),
        cmocka_unit_test(knows_a_llama_server_and_its_context),
        cmocka_unit_test(names_what_the_endpoint_has_instead),
        cmocka_unit_test(says_how_to_start_what_refuses_connections),
        cmocka_unit_test(sends_a_key_only_where_it_belongs),
        cmocka_unit_test(keeps_the_key_of_one_address_from_another),
        cmocka_unit_test(tells_the_kind_by_the_shape_of_the_answers),
        cmocka_unit_test(judges_no_server_by_its_status),
        cmocka_unit_test(asks_ollamas_route_first_and_then_the_others_at_once),
        cmocka_unit_test(of_answers_that_fit_the_first_route_in_the_table_counts),
        cmocka_unit_test(keeps_no_connection_behind_an_answer),
        cmocka_unit_test(finds_nothing_for_a_caller_that_does_not_ask_why),
        cmocka_unit_test(uses_the_list_that_came_with_the_search_once),
        cmocka_unit_test(knows_a_llama_server_that_is_still_loading),
        cmocka_unit_test(waits_for_the_list_of_a_server_that_is_still_loading),
        cmocka_unit_test(believes_the_dialect_that_was_named),
        cmocka_unit_test(knows_how_much_context_each_kind_offers),
        cmocka_unit_test(takes_no_model_for_seeing_but_where_the_endpoint_says_so),
        cmocka_unit_test(reads_the_modalities_of_llama_server),
        cmocka_unit_test(asks_llama_server_again_when_it_was_loading_before),
        cmocka_unit_test(takes_the_real_name_behind_default),
        cmocka_unit_test(takes_the_only_model_unless_another_was_named),
        cmocka_unit_test(takes_the_name_as_written_where_there_is_no_list),
        cmocka_unit_test(says_that_a_key_is_needed),
        cmocka_unit_test(hides_user_and_password_of_an_address),
        cmocka_unit_test(bounds_the_address),
        cmocka_unit_test(an_address_without_a_host_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
