#include "application/use_cases/tools/get_prompt.h"
#include "application/use_cases/tools/list_offerings.h"
#include "application/use_cases/tools/read_resource.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

#define TEXT(uri, text) "{\"contents\":[{\"uri\":\"" uri "\",\"text\":\"" text "\"}]}"
#define SAYS(role, text)                                                                           \
    "{\"role\":\"" role "\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *notes, *plain;
    struct arena arena;
    struct scope scope;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    b->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    b->plain = fake_services_add_server(&b->services, "plain", "[]");
    b->notes = fake_services_add_server(&b->services, "notes", "[]");
    b->notes->offered[OFFERING_RESOURCE] = "[{\"uri\":\"note:plums\"},{\"uri\":\"note:pears\"}]";
    b->notes->offered[OFFERING_TEMPLATE] = "[{\"uriTemplate\":\"year:{y}\"}]";
    b->notes->offered[OFFERING_PROMPT] =
        "[{\"name\":\"summary\",\"arguments\":[{\"name\":\"topic\",\"required\":true},"
        "{\"name\":\"tone\"},{\"name\":\"length\",\"required\":true}]}]";
    fake_tool_server_offer(
        b->notes, (struct fake_offering_reply){ .kind = OFFERING_RESOURCE,
                                                .key = "note:plums",
                                                .result = TEXT("note:plums", "Plums are ripe.") });
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    arena_finish(&b->arena);
    fake_services_finish(&b->services);
    free(b);
    return 0;
}

static enum err_code list(struct bench *b, enum offering_group group, const char *only,
                          struct offering_listing *out)
{
    return list_offerings(&b->services.base, &b->scope, &b->arena, group, only, out, &b->err);
}

static enum err_code read_text(struct bench *b, const char *name, size_t most, const char **out)
{
    return read_resource_text(&b->services.base, &b->scope, &b->arena, name, most, out, &b->err);
}

static void give(struct bench *b, const char *uri, const char *result)
{
    fake_tool_server_offer(b->notes, (struct fake_offering_reply){
                                         .kind = OFFERING_RESOURCE, .key = uri, .result = result });
}

static enum err_code ask_prompt(struct bench *b, const char *server, const char *name,
                                const char *arguments, struct offering_result *out)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(arguments, strlen(arguments), JSON_OURS, &value, NULL), ERR_NONE);
    arena_keep_json(&b->arena, value);
    const struct prompt_request request = { .name = name, .arguments = value };
    return get_prompt(&b->services.base, &b->scope, &b->arena, server, &request, out, &b->err);
}

static void lists_resources_before_templates_and_no_servers_without_them(void **state)
{
    struct bench *b = *state;
    struct offering_listing listing;

    assert_int_equal(list(b, OFFERED_RESOURCES, NULL, &listing), ERR_NONE);

    assert_int_equal(listing.n, 3);
    assert_int_equal(listing.n_failures, 0);
    assert_string_equal(listing.list[0].server, "notes");
    assert_string_equal(listing.list[0].offering.key, "note:plums");
    assert_int_equal(listing.list[2].offering.kind, OFFERING_TEMPLATE);
}

static void lists_what_can_be_had_beside_dead_servers(void **state)
{
    struct bench *b = *state;
    struct offering_listing listing;
    b->plain->list_fails = ERR_UNAVAILABLE;

    assert_int_equal(list(b, OFFERED_PROMPTS, NULL, &listing), ERR_NONE);

    assert_int_equal(listing.n, 1);
    assert_int_equal(listing.n_failures, 1);
    assert_string_equal(listing.failures[0].server, "plain");
    assert_string_equal(listing.failures[0].err.message,
                        "server plain: the fake server was told to fail");
}

static void fails_when_every_server_is_dead_or_the_named_one_cannot_serve(void **state)
{
    struct bench *b = *state;
    struct offering_listing listing;
    assert_int_equal(list(b, OFFERED_RESOURCES, "plain", &listing), ERR_NOT_FOUND);
    assert_string_equal(b->err.message, "server plain: the server offers no resources");
    assert_int_equal(list(b, OFFERED_RESOURCES, "note", &listing), ERR_NOT_FOUND);
    assert_string_equal(b->err.hint, "did you mean notes?");
    b->plain->list_fails = b->notes->list_fails = ERR_TIMEOUT;
    assert_int_equal(list(b, OFFERED_PROMPTS, NULL, &listing), ERR_TIMEOUT);
    assert_int_equal(list(b, OFFERED_PROMPTS, "notes", &listing), ERR_TIMEOUT);
}

static void reads_a_resource_and_names_the_nearest_of_an_unknown_one(void **state)
{
    struct bench *b = *state;
    struct offering_result result;

    assert_int_equal(read_resource(&b->services.base, &b->scope, &b->arena, "notes", "note:plums",
                                   &result, &b->err),
                     ERR_NONE);
    assert_string_equal(result.bytes, TEXT("note:plums", "Plums are ripe."));
    assert_int_equal(read_resource(&b->services.base, &b->scope, &b->arena, "notes", "note:plms",
                                   &result, &b->err),
                     ERR_NOT_FOUND);
    assert_string_equal(b->err.hint, "did you mean note:plums or note:pears?");
    assert_string_equal(b->err.what, "resource");
    assert_int_equal(read_resource(&b->services.base, &b->scope, &b->arena, "nots", "note:plums",
                                   &result, &b->err),
                     ERR_NOT_FOUND);
    assert_string_equal(b->err.what, "server");
}

static void asks_a_server_without_resources_for_none(void **state)
{
    struct bench *b = *state;
    struct offering_result result;

    assert_int_equal(
        read_resource(&b->services.base, &b->scope, &b->arena, "plain", "x:y", &result, &b->err),
        ERR_NOT_FOUND);

    assert_string_equal(b->err.message, "server plain: the server offers no resources");
    assert_int_equal(b->plain->n_offering_requests, 0);
}

static void finds_the_server_of_a_uri_alone_by_list_then_by_template(void **state)
{
    struct bench *b = *state;
    const char *text = NULL;
    give(b, "year:2026", TEXT("year:2026", "A wet year."));

    assert_int_equal(read_text(b, "note:plums", 100, &text), ERR_NONE);
    assert_string_equal(text, "Plums are ripe.");
    assert_int_equal(read_text(b, "notes:note:plums", 100, &text), ERR_NONE);
    assert_int_equal(read_text(b, "year:2026", 100, &text), ERR_NONE);
    assert_string_equal(text, "A wet year.");
    b->plain->offered[OFFERING_TEMPLATE] = "[{\"uriTemplate\":\"note:{any}\"}]";
    b->plain->offered[OFFERING_RESOURCE] = "[]";
    assert_int_equal(read_text(b, "note:plums", 100, &text), ERR_NONE);
    assert_string_equal(text, "Plums are ripe.");
}

static void says_which_servers_have_a_uri_or_that_none_has(void **state)
{
    struct bench *b = *state;
    const char *text = NULL;
    assert_int_equal(read_text(b, "other:1", 100, &text), ERR_NOT_FOUND);
    assert_string_equal(b->err.message, "no server lists \"other:1\"");
    assert_int_equal(read_text(b, "note:plumz", 100, &text), ERR_NOT_FOUND);
    assert_string_equal(b->err.hint, "did you mean note:plums?");
    b->plain->offered[OFFERING_RESOURCE] = "[{\"uri\":\"note:plums\"}]";
    assert_int_equal(read_text(b, "note:plums", 100, &text), ERR_INVALID);
    assert_string_equal(b->err.hint, "say which: @plain:note:plums");
}

static void takes_a_server_s_name_before_two_slashes_for_a_scheme(void **state)
{
    struct bench *b = *state;
    const char *text = NULL;

    assert_int_equal(read_text(b, "notes://x", 100, &text), ERR_NOT_FOUND);

    assert_string_equal(b->err.message, "no server lists \"notes://x\"");
}

static void joins_texts_up_to_the_bound_and_takes_nothing_else(void **state)
{
    struct bench *b = *state;
    const char *text = NULL;
    give(b, "note:two", "{\"contents\":[{\"text\":\"12\"},{\"text\":\"45\"}]}");
    give(b, "note:blob", "{\"contents\":[{\"text\":\"1\"},{\"blob\":\"aGk=\"}]}");
    give(b, "note:nul", "{\"contents\":[{\"text\":\"1\\u00002\"}]}");

    assert_int_equal(read_text(b, "notes:note:two", 5, &text), ERR_NONE);
    assert_string_equal(text, "12\n45");
    assert_int_equal(read_text(b, "notes:note:two", 4, &text), ERR_LIMIT);
    assert_int_equal(read_text(b, "notes:note:blob", 100, &text), ERR_INVALID);
    assert_string_equal(b->err.message, "notes:note:blob: not a text");
    assert_int_equal(read_text(b, "notes:note:nul", 100, &text), ERR_INVALID);
}

static void knows_names_of_resources_from_those_of_files(void **state)
{
    (void)state;
    assert_true(is_resource_name("a:b"));
    assert_true(is_resource_name("s:file:///x"));
    assert_false(is_resource_name("notes.md"));
    assert_false(is_resource_name(":b"));
    assert_false(is_resource_name("a:"));
}

static void names_the_nearest_of_an_unknown_prompt(void **state)
{
    struct bench *b = *state;
    struct offering_result prompt;

    assert_int_equal(ask_prompt(b, "notes", "sumary", "{}", &prompt), ERR_NOT_FOUND);

    assert_string_equal(b->err.message, "server notes: no prompt is named \"sumary\"");
    assert_string_equal(b->err.hint, "did you mean notes/summary?");
    assert_int_equal(ask_prompt(b, "nots", "summary", "{}", &prompt), ERR_NOT_FOUND);
    assert_string_equal(b->err.hint, "did you mean notes?");
    assert_int_equal(ask_prompt(b, "plain", "summary", "{}", &prompt), ERR_NOT_FOUND);
    assert_string_equal(b->err.message, "server plain: the server offers no prompts");
}

static void says_which_required_arguments_were_left_out(void **state)
{
    struct bench *b = *state;
    struct offering_result prompt;
    assert_int_equal(ask_prompt(b, "notes", "summary", "{\"tone\":\"dry\"}", &prompt), ERR_INVALID);
    assert_string_equal(b->err.hint, "it needs topic, length");
    assert_int_equal(
        ask_prompt(b, "notes", "summary", "{\"topic\":\"a\",\"length\":\"b\"}", &prompt),
        ERR_INVALID);
    assert_string_equal(b->err.hint, "");
}

static void takes_no_argument_that_is_no_text_and_asks_nobody(void **state)
{
    struct bench *b = *state;
    struct offering_result prompt;

    assert_int_equal(ask_prompt(b, "notes", "summary", "{\"topic\":1}", &prompt), ERR_INVALID);

    assert_int_equal(b->notes->n_offering_requests, 0);
}

static const char *spoken(struct bench *b, const char *result)
{
    struct offering_result prompt;
    const char *text = NULL;
    fake_tool_server_offer(b->notes, (struct fake_offering_reply){ .kind = OFFERING_PROMPT,
                                                                   .key = "summary",
                                                                   .result = result });
    assert_int_equal(ask_prompt(b, "notes", "summary", "{}", &prompt), ERR_NONE);
    assert_int_equal(prompt_text(&b->arena, &prompt, 1000, &text, &b->err), ERR_NONE);
    return text;
}

static void says_one_message_alone_and_several_under_their_roles(void **state)
{
    struct bench *b = *state;
    assert_string_equal(spoken(b, "{\"messages\":[" SAYS("user", "hi") "]}"), "hi");
    assert_string_equal(
        spoken(b, "{\"messages\":[" SAYS("user",
                                         "hi") ",{\"role\":\"assistant\",\"content\":{"
                                               "\"type\":\"image\",\"mimeType\":\"image/png\"}}]}"),
        "user:\nhi\n\nassistant:\n[image/png]");
    assert_string_equal(spoken(b, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                                  "\"resource\",\"resource\":{\"text\":\"inside\"}}}]}"),
                        "inside");
    assert_string_equal(spoken(b, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                                  "\"hologram\"}}]}"),
                        "[hologram]");
    assert_string_equal(spoken(b, "{\"messages\":[]}"), "");
}

static void says_no_more_than_the_bound(void **state)
{
    struct bench *b = *state;
    struct offering_result prompt;
    const char *text = NULL;
    fake_tool_server_offer(b->notes, (struct fake_offering_reply){
                                         .kind = OFFERING_PROMPT,
                                         .key = "summary",
                                         .result = "{\"messages\":[" SAYS("user", "12345") "]}" });
    assert_int_equal(ask_prompt(b, "notes", "summary", "{}", &prompt), ERR_NONE);
    assert_int_equal(prompt_text(&b->arena, &prompt, 5, &text, &b->err), ERR_NONE);
    assert_int_equal(prompt_text(&b->arena, &prompt, 4, &text, &b->err), ERR_LIMIT);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_resources_before_templates_and_no_servers_without_them),
        TEST(lists_what_can_be_had_beside_dead_servers),
        TEST(fails_when_every_server_is_dead_or_the_named_one_cannot_serve),
        TEST(reads_a_resource_and_names_the_nearest_of_an_unknown_one),
        TEST(asks_a_server_without_resources_for_none),
        TEST(finds_the_server_of_a_uri_alone_by_list_then_by_template),
        TEST(says_which_servers_have_a_uri_or_that_none_has),
        TEST(takes_a_server_s_name_before_two_slashes_for_a_scheme),
        TEST(joins_texts_up_to_the_bound_and_takes_nothing_else),
        TEST(knows_names_of_resources_from_those_of_files),
        TEST(names_the_nearest_of_an_unknown_prompt),
        TEST(says_which_required_arguments_were_left_out),
        TEST(takes_no_argument_that_is_no_text_and_asks_nobody),
        TEST(says_one_message_alone_and_several_under_their_roles),
        TEST(says_no_more_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
