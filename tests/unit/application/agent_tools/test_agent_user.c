/* The person behind a host: forms, confirmations and approvals as questions of a call. */
#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

/* A host that gives one answer after the other. */
struct host {
    struct answerer answerer;
    struct agent_user user;
    struct arena arena;
    struct scope scope;
    const char *contents[4]; /* JSON text of what is accepted */
    enum elicitation_action action;
    enum err_code fails;
    size_t n_asked;
    const char *message;
    const json_t *schema; /* of the latest question */
};

static enum err_code answer(void *context, struct scope *scope, const struct elicitation *question,
                            struct arena *arena, struct elicitation_answer *out, struct err *err)
{
    struct host *host = context;
    (void)scope;
    const char *content = host->contents[host->n_asked++];
    json_t *value = NULL;
    host->message = arena_strdup(&host->arena, question->message);
    host->schema = arena_keep_json(&host->arena, json_share(question->schema));
    if (host->fails)
        return err_set(err, host->fails, 0, "no way to ask");
    if (content && json_parse(content, strlen(content), JSON_OURS, &value, err))
        abort();
    *out = (struct elicitation_answer){ .action = host->action };
    if (value)
        out->content = arena_keep_json(arena, value);
    return ERR_NONE;
}

static int set_up(void **state)
{
    struct host *host = calloc(1, sizeof *host);
    host->answerer = (struct answerer){ .on_question = answer, .context = host };
    host->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    agent_user_init(&host->user, &host->answerer);
    *state = host;
    return 0;
}

static int tear_down(void **state)
{
    struct host *host = *state;
    arena_finish(&host->arena);
    free(host);
    return 0;
}

static const char *const colours[] = { "red", "blue" };
static const struct form_field fields[] = {
    { .key = "name",
      .label = "Name",
      .note = "the first one",
      .kind = FORM_TEXT,
      .required = true },
    { .key = "count", .label = "Count", .kind = FORM_INTEGER },
    { .key = "one", .label = "One", .kind = FORM_CHOICE, .choices = colours, .n_choices = 2 },
    { .key = "some", .label = "Some", .kind = FORM_CHOICES, .choices = colours, .n_choices = 2 },
};

static const char *refuse_bob(const void *context, struct arena *arena, size_t field,
                              const json_t *value)
{
    (void)context;
    (void)arena;
    return field == 0 && strcmp(json_string_value(value), "Bob") == 0 ? "not Bob" : NULL;
}

static struct form form_to(const char *recipient)
{
    return (struct form){ .title = "who are you",
                          .message = "tell me",
                          .recipient = recipient,
                          .fields = fields,
                          .n_fields = 4,
                          .check = refuse_bob };
}

static enum err_code ask(struct host *host, const char *recipient, json_t **out)
{
    const struct form form = form_to(recipient);
    return user_ask(&host->user.base, &host->scope, &form, &host->arena, out, NULL);
}

static const char *schema_at(const struct host *host, const char *pointer)
{
    return json_string_value(json_path_find(host->schema, pointer));
}

static void is_absent_where_the_host_takes_no_questions(void **state)
{
    struct host *host = *state;
    assert_true(user_present(&host->user.base));
    agent_user_init(&host->user, NULL);
    assert_false(user_present(&host->user.base));
    const struct answerer silent = { 0 };
    agent_user_init(&host->user, &silent);
    assert_false(user_present(&host->user.base));
    const struct confirmation confirmation = { .question = "Go?" };
    assert_int_equal(user_confirm(&host->user.base, &host->scope, &confirmation, NULL), ERR_DENIED);
}

static void asks_a_form_with_its_fields_and_says_who_gets_the_answers(void **state)
{
    struct host *host = *state;
    json_t *answers = NULL;
    host->contents[0] = "{\"name\":\"Ada\",\"count\":2,\"some\":[\"red\"],\"more\":1}";

    assert_int_equal(ask(host, "shop", &answers), ERR_NONE);

    assert_string_equal(host->message,
                        "who are you:\n\ntell me\n\nThe answers go to the server \"shop\".");
    assert_string_equal(schema_at(host, "/properties/name/description"), "the first one");
    assert_string_equal(schema_at(host, "/properties/count/type"), "integer");
    assert_string_equal(schema_at(host, "/properties/one/oneOf/1/const"), "blue");
    assert_string_equal(schema_at(host, "/properties/some/items/anyOf/0/title"), "red");
    assert_string_equal(schema_at(host, "/required/0"), "name");
    assert_string_equal(json_get_string(answers, "name"), "Ada");
    assert_null(json_object_get(answers, "more"));
}

static void asks_again_with_what_is_wrong_and_then_gives_up(void **state)
{
    struct host *host = *state;
    json_t *answers = NULL;
    host->contents[0] = "{\"name\":\"Bob\"}";
    host->contents[1] = "{\"count\":1}";
    host->contents[2] = "{\"name\":\"Eve\"}";
    assert_int_equal(ask(host, NULL, &answers), ERR_NONE);
    assert_non_null(strstr(host->message, "Name: an answer is missing"));
    assert_string_equal(json_get_string(answers, "name"), "Eve");

    host->n_asked = 0;
    host->contents[1] = host->contents[2] = host->contents[0];
    assert_int_equal(ask(host, NULL, &answers), ERR_DENIED);
    assert_int_equal(host->n_asked, AGENT_USER_MAX_TRIES);
    host->n_asked = 0;
    assert_int_equal(ask(host, "shop", &answers), ERR_UNAVAILABLE);
}

static void tells_a_no_from_a_person_who_left(void **state)
{
    struct host *host = *state;
    json_t *answers = NULL;
    host->action = ELICITATION_DECLINE;
    assert_int_equal(ask(host, "shop", &answers), ERR_DENIED);
    host->action = ELICITATION_CANCEL;
    assert_int_equal(ask(host, "shop", &answers), ERR_UNAVAILABLE);
    assert_int_equal(ask(host, NULL, &answers), ERR_DENIED);
    host->n_asked = 0;
    host->fails = ERR_INVALID;
    assert_int_equal(ask(host, "shop", &answers), ERR_UNAVAILABLE);
    host->fails = ERR_CANCELLED;
    assert_int_equal(ask(host, NULL, &answers), ERR_CANCELLED);
}

static void confirms_by_yes_only(void **state)
{
    static const char *const warnings[] = { "careful" };
    struct host *host = *state;
    const struct confirmation confirmation = { .title = "the server asks",
                                               .message = "Pay",
                                               .url = "https://h/x",
                                               .warnings = warnings,
                                               .n_warnings = 1,
                                               .question = "Open it?" };
    host->contents[0] = "{\"answer\":\"yes\"}";
    host->contents[1] = "{\"answer\":\"no\"}";
    host->contents[2] = "{}";
    assert_int_equal(user_confirm(&host->user.base, &host->scope, &confirmation, NULL), ERR_NONE);
    assert_string_equal(host->message, "the server asks:\n\nPay\n\nhttps://h/x\ncareful");
    assert_string_equal(schema_at(host, "/properties/answer/title"), "Open it?");
    assert_int_equal(user_confirm(&host->user.base, &host->scope, &confirmation, NULL), ERR_DENIED);
    assert_int_equal(user_confirm(&host->user.base, &host->scope, &confirmation, NULL), ERR_DENIED);
}

static enum approval_answer approve(struct host *host, size_t length)
{
    struct tool tool = { .full_name = "files/write" };
    enum approval_answer out = APPROVAL_ALWAYS;
    char *text = arena_alloc(&host->arena, length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    json_t *arguments = arena_keep_json(&host->arena, json_string(text));
    const struct approval_request request = { &tool, arguments, "the policy asks", "more" };
    assert_int_equal(user_approve(&host->user.base, &host->scope, &request, &out, NULL), ERR_NONE);
    return out;
}

static void approves_as_far_as_the_person_says(void **state)
{
    struct host *host = *state;
    host->contents[0] = "{\"approve\":\"once\"}";
    host->contents[1] = "{\"approve\":\"session\"}";
    host->contents[2] = "{\"approve\":\"always\"}";
    host->contents[3] = "{\"approve\":\"no\"}";
    assert_int_equal(approve(host, 1), APPROVAL_ONCE);
    assert_non_null(strstr(host->message, "(the policy asks; more)"));
    assert_int_equal(approve(host, 1), APPROVAL_SESSION);
    assert_int_equal(approve(host, 1), APPROVAL_ALWAYS);
    assert_int_equal(approve(host, 1), APPROVAL_NO);
    host->n_asked = 0;
    host->action = ELICITATION_DECLINE;
    assert_int_equal(approve(host, 1), APPROVAL_NO);
}

static void shows_arguments_up_to_the_bound_and_says_when_there_is_more(void **state)
{
    struct host *host = *state;
    host->action = ELICITATION_DECLINE;
    (void)approve(host, AGENT_USER_MAX_VALUE_BYTES - 2);
    assert_null(strstr(host->message, "bytes in all"));
    (void)approve(host, AGENT_USER_MAX_VALUE_BYTES - 1);
    assert_non_null(strstr(host->message, "(2001 bytes in all)"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(is_absent_where_the_host_takes_no_questions),
        TEST(asks_a_form_with_its_fields_and_says_who_gets_the_answers),
        TEST(asks_again_with_what_is_wrong_and_then_gives_up),
        TEST(tells_a_no_from_a_person_who_left),
        TEST(confirms_by_yes_only),
        TEST(approves_as_far_as_the_person_says),
        TEST(shows_arguments_up_to_the_bound_and_says_when_there_is_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
