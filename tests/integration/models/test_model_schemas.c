/* Schemas at real endpoints: whether they are sent, what an endpoint does with them, and what
 * happens when it takes all but one part. */

#include "domain/base/json.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <string.h>

#define PROBE_WORD "k7"
#define SSE_WITH(text)                                                                             \
    "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"},\"finish_reason\":\"stop\"}]}\n\n"  \
    "data: [DONE]\n\n"
#define SSE_CUT_AFTER(text)                                                                        \
    "data: {\"choices\":[{\"delta\":{\"content\":\"" text                                          \
    "\"},\"finish_reason\":\"length\"}]}\n\n"                                                      \
    "data: [DONE]\n\n"
#define ENFORCED SSE_WITH("{\\\"probe\\\": \\\"k7\\\"}")
#define REFUSAL "{\"error\":{\"message\":\"failed to parse grammar\",\"code\":400}}"
/* Two steps that tools may have brought: the second has a part that the endpoint cannot take. */
#define STEPS                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"items\":{\"oneOf\":["    \
    "{\"type\":\"object\",\"properties\":{\"tool\":{\"const\":\"good\"},\"args\":{\"type\":"       \
    "\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}},"                                  \
    "{\"type\":\"object\",\"properties\":{\"tool\":{\"const\":\"evil\"},\"args\":{\"type\":"       \
    "\"object\",\"properties\":{\"b\":{\"enum\":[\"BAD\"]}}}}}]}}}}"

struct fixture {
    struct model_fixture model;
    struct endpoint_memory *memory;
    json_t *schema;
};

static void answer(struct fixture *f, const char *when, int status, const char *body)
{
    mock_endpoint_add(f->model.endpoint, (struct mock_answer){ .path = "/v1/chat",
                                                               .when = when,
                                                               .status = status,
                                                               .body = body,
                                                               .times = MOCK_ENDPOINT_MAX });
}

static void open_model(struct fixture *f)
{
    const struct endpoint endpoint = { .base_url = mock_endpoint_url(f->model.endpoint),
                                       .kind = "openai",
                                       .version = "",
                                       .context_tokens = -1 };
    model_destroy(f->model.model);
    f->model.model =
        endpoint_model_open(f->model.runtime, &endpoint, &f->model.settings, f->memory);
}

/* probe: what the endpoint answers to one; NULL: nothing in particular. */
static void fixture_init(struct fixture *f, const char *schema, const char *probe)
{
    *f = (struct fixture){ 0 };
    model_fixture_use_openai(&f->model);
    f->memory = endpoint_memory_create(f->model.runtime, NULL);
    assert_int_equal(json_parse(schema, strlen(schema), JSON_OURS, &f->schema, NULL), ERR_NONE);
    f->model.schema = f->schema;
    if (probe)
        answer(f, PROBE_WORD, 0, probe);
    open_model(f);
}

static void fixture_finish(struct fixture *f)
{
    model_destroy(f->model.model);
    f->model.model = NULL;
    endpoint_memory_destroy(f->memory);
    json_decref(f->schema);
    model_fixture_finish(&f->model);
}

static enum err_code chat(struct fixture *f)
{
    return model_fixture_run(&f->model, MODEL_CHAT);
}

static size_t chats_with(const struct fixture *f, const char *what)
{
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(f->model.endpoint, &requests), found = 0;
    for (size_t i = 0; i < n; i++)
        found += strstr(requests[i].path, "/chat") && strstr(requests[i].body, what);
    return found;
}

static void asks_once_what_an_endpoint_does_with_a_schema(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", ENFORCED);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_true(f.model.reply.constrained);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, PROBE_WORD), 1);
    assert_int_equal(chats_with(&f, "response_format"), 3);
    open_model(&f);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, PROBE_WORD), 1);
    assert_int_equal(model_fixture_run(&f.model, MODEL_CHECK), ERR_NONE);
    assert_int_equal(f.model.status.schema_support, MODEL_SCHEMA_ENFORCED);
}

static void assert_finds(const char *probe, int status, enum model_schema_support support,
                         bool is_sent)
{
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", NULL);
    answer(&f, PROBE_WORD, status, probe);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, "response_format"), is_sent ? 2 : 1);
    assert_int_equal(f.model.reply.constrained, support == MODEL_SCHEMA_ENFORCED);
    assert_int_equal(model_fixture_run(&f.model, MODEL_CHECK), ERR_NONE);
    assert_int_equal(f.model.status.schema_support, support);
}

static void judges_by_what_only_a_schema_makes_a_model_say(void **state)
{
    (void)state;
    assert_finds(ENFORCED, 0, MODEL_SCHEMA_ENFORCED, true);
    assert_finds(SSE_CUT_AFTER("{ \\n\\n\\\"pro"), 0, MODEL_SCHEMA_ENFORCED, true);
    assert_finds(SSE_WITH("no"), 0, MODEL_SCHEMA_IGNORED, false);
    assert_finds(SSE_WITH("{\\\"probe\\\": \\\"no\\\"}"), 0, MODEL_SCHEMA_IGNORED, false);
    assert_finds(SSE_WITH("{\\\"pro"), 0, MODEL_SCHEMA_IGNORED, false);
    assert_finds(SSE_CUT_AFTER("{"), 0, MODEL_SCHEMA_IGNORED, false);
    assert_finds(SSE_CUT_AFTER(""), 0, MODEL_SCHEMA_UNKNOWN, true);
    assert_finds(REFUSAL, 400, MODEL_SCHEMA_REFUSED, false);
    assert_finds("{\"message\":\"response_format is not supported\"}", 501, MODEL_SCHEMA_REFUSED,
                 false);
}

static void fails_when_the_endpoint_fails_at_the_question(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", NULL);
    mock_endpoint_add(f.model.endpoint,
                      (struct mock_answer){ .path = "/v1/chat", .status = 500, .body = "oh" });
    answer(&f, PROBE_WORD, 0, ENFORCED);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_PROTOCOL);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_true(f.model.reply.constrained);
}

static void asks_only_once_even_if_the_answer_tells_nothing(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", SSE_CUT_AFTER(""));
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, PROBE_WORD), 1);
    assert_false(f.model.reply.constrained);
    open_model(&f);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, PROBE_WORD), 2);
}

static void an_answer_without_end_to_the_question_is_not_waited_for(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", NULL);
    mock_endpoint_add(f.model.endpoint,
                      (struct mock_answer){ .path = "/v1/chat",
                                            .when = PROBE_WORD,
                                            .body = "data: {\"choices\":[{\"delta\":{"
                                                    "\"content\":\"blah \"}}]}\n\n",
                                            .endless = true,
                                            .times = MOCK_ENDPOINT_MAX });
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_string_equal(f.model.reply.text, "H\xc3\xa9llo");
    assert_false(f.model.reply.constrained);
}

static void asks_nothing_for_free_text(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{}", NULL);
    f.model.schema = NULL;
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, "response_format"), 0);
    assert_false(f.model.reply.constrained);
}

static void does_as_the_settings_say(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\"}", NULL);
    answer(&f, NULL, 0, SSE);
    f.model.settings.model_schema = "off";
    assert_int_equal(chat(&f), ERR_NONE);
    assert_false(f.model.reply.constrained);
    assert_int_equal(chats_with(&f, "response_format"), 0);
    f.model.settings.model_schema = "on";
    assert_int_equal(chat(&f), ERR_NONE);
    assert_true(f.model.reply.constrained);
    assert_int_equal(chats_with(&f, PROBE_WORD), 0);
}

static void assert_one_note(const struct model_reply *reply, const char *path, const char *message)
{
    assert_int_equal(reply->n_notes, 1);
    assert_string_equal(reply->notes[0].path, path);
    assert_string_equal(reply->notes[0].message, message);
}

static void replaces_the_part_that_the_endpoint_names(void **state)
{
    (void)state;
    static const char message[] = "JSON schema error at #/properties/steps/items/anyOf/1/properties"
                                  "/args/properties/b: unrecognized";
    AUTO(fixture) f;
    fixture_init(&f, STEPS, ENFORCED);
    answer(&f, "BAD", 400,
           "{\"error\":{\"message\":\"JSON schema error at #/properties/steps/items/anyOf/1/"
           "properties/args/properties/b: unrecognized\"}}");
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_true(f.model.reply.constrained);
    assert_one_note(&f.model.reply, "/properties/steps/items/oneOf/1/properties/args/properties/b",
                    message);
    assert_int_equal(chats_with(&f, "BAD"), 1);
    assert_int_equal(chats_with(&f, "\"const\":\"evil\""), 2);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(f.model.reply.n_notes, 0);
    assert_int_equal(chats_with(&f, "BAD"), 1);
}

static void searches_for_the_part_that_the_endpoint_does_not_name(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, STEPS, ENFORCED);
    answer(&f, "BAD", 400, REFUSAL);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_true(f.model.reply.constrained);
    assert_one_note(&f.model.reply, "/properties/steps/items/oneOf/1/properties/args/properties/b",
                    "failed to parse grammar");
    assert_in_range(chats_with(&f, "Reply with anything."), 1, SCHEMA_SUSPECT_MAX_TRIES);
    size_t requests = chats_with(&f, "");
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f, ""), requests + 1);
}

static void goes_without_a_schema_when_no_part_is_at_fault(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, STEPS, ENFORCED);
    answer(&f, "\"steps\":", 400, REFUSAL);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_false(f.model.reply.constrained);
    assert_one_note(&f.model.reply, "", "failed to parse grammar");
    size_t requests = chats_with(&f, "");
    assert_int_equal(chat(&f), ERR_NONE);
    assert_false(f.model.reply.constrained);
    assert_int_equal(f.model.reply.n_notes, 0);
    assert_int_equal(chats_with(&f, ""), requests + 1);
}

static void gives_up_on_a_schema_with_too_many_bad_parts(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f,
                 "{\"properties\":{\"a\":{\"const\":\"BAD1\"},\"b\":{\"const\":\"BAD2\"},"
                 "\"c\":{\"const\":\"BAD3\"},\"d\":{\"const\":\"BAD4\"},\"e\":{\"const\":"
                 "\"BAD5\"}}}",
                 ENFORCED);
    answer(&f, "BAD", 400, REFUSAL);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_false(f.model.reply.constrained);
    assert_one_note(&f.model.reply, "", "failed to parse grammar");
}

static void keeps_other_refusals_out_of_it(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, STEPS, ENFORCED);
    answer(&f, NULL, 400, "{\"error\":{\"message\":\"top_p must be positive\"}}");
    assert_int_equal(chat(&f), ERR_INVALID);
    assert_int_equal(chats_with(&f, ""), 2);
}

static void asks_tgi_in_its_own_form(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f, "{\"type\":\"object\",\"properties\":{}}", ENFORCED);
    const struct endpoint endpoint = { .base_url = mock_endpoint_url(f.model.endpoint),
                                       .kind = "tgi",
                                       .version = "",
                                       .context_tokens = -1 };
    model_destroy(f.model.model);
    f.model.model = endpoint_model_open(f.model.runtime, &endpoint, &f.model.settings, f.memory);
    answer(&f, NULL, 0, SSE);
    assert_int_equal(chat(&f), ERR_NONE);
    assert_int_equal(chats_with(&f,
                                "\"response_format\":{\"type\":\"json_schema\",\"value\":{\"name\":"
                                "\"answer\",\"schema\":{"),
                     1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_once_what_an_endpoint_does_with_a_schema),
        cmocka_unit_test(judges_by_what_only_a_schema_makes_a_model_say),
        cmocka_unit_test(fails_when_the_endpoint_fails_at_the_question),
        cmocka_unit_test(asks_only_once_even_if_the_answer_tells_nothing),
        cmocka_unit_test(an_answer_without_end_to_the_question_is_not_waited_for),
        cmocka_unit_test(asks_nothing_for_free_text),
        cmocka_unit_test(does_as_the_settings_say),
        cmocka_unit_test(replaces_the_part_that_the_endpoint_names),
        cmocka_unit_test(searches_for_the_part_that_the_endpoint_does_not_name),
        cmocka_unit_test(goes_without_a_schema_when_no_part_is_at_fault),
        cmocka_unit_test(gives_up_on_a_schema_with_too_many_bad_parts),
        cmocka_unit_test(keeps_other_refusals_out_of_it),
        cmocka_unit_test(asks_tgi_in_its_own_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
