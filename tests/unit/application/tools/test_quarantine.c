/* What a person is asked about tools that are kept back: those that came while a server ran, and
 * those of a server whose folder has become part of what it is. */
#include "application/runs/run_session.h"
#include "application/tools/consent.h"
#include "application/use_cases/tools/review_tools.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define OLD "[" TOOL("search") "]"
#define GROWN "[" TOOL("search") "," TOOL("up") "]"
#define CHANGED_AND_GROWN                                                                          \
    "[{\"name\":\"search\",\"title\":\"S\",\"inputSchema\":{\"type\":\"object\"}}," TOOL("up") "]"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct server_config config;
    struct fake_tool_server *server;
    struct fake_user *user;
    struct scope scope;
    struct arena arena;
    struct run_session session;
    json_t *session_approvals;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->server = fake_services_add_server(&bench->services, "web", OLD);
    bench->config = (struct server_config){ .name = "web", .enabled = true };
    bench->services.settings.servers = &bench->config;
    bench->services.settings.n_servers = 1;
    bench->user = &bench->services.user;
    bench->user->present = true;
    bench->session_approvals = json_object();
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    json_decref(bench->session_approvals);
    fake_services_finish(&bench->services);
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

struct seen {
    struct bench *bench;
    const char *name; /* whose tool is looked for */
    enum err_code found;
};

static enum err_code look(struct run_session *session, void *context, struct err *err)
{
    struct seen *seen = context;
    enum err_code r = run_session_open_tools(session, seen->bench->session_approvals, err);
    if (!r)
        r = run_session_refresh_tools(session, err);
    seen->found =
        toolbox_find(session->toolbox, &session->scope, seen->name, NULL, NULL, &seen->bench->err);
    return r;
}

/* A turn of a chat, in which the server lists these; what looking for the tool gives. */
static enum err_code turn(struct bench *bench, const char *definitions, const char *name)
{
    struct seen seen = { .bench = bench, .name = name };
    const struct run_options options = { .kind = "ask" };
    struct err err;
    fake_tool_server_redefine(bench->server, definitions);
    assert_int_equal(run_session_do(&bench->services.base, &bench->scope, &bench->arena, &options,
                                    look, &seen, &err),
                     ERR_NONE);
    return seen.found;
}

/* The command of the server has a path that lies in the folder where it now works. */
static void move(struct bench *bench)
{
    bench->server->identity_without_folder = "fake-config";
    bench->server->identity = "fake-config in a folder";
    bench->server->folder_path = "data/rel.yml";
}

static void a_tool_that_came_while_the_server_ran_is_used_after_one_question(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(bench->user->n_confirmed, 0);
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_NONE);
    assert_int_equal(bench->user->n_confirmed, 1);
    assert_string_equal(bench->user->confirmed[0].title,
                        "The server web has 1 tool that nobody approved yet");
    assert_string_equal(bench->user->confirmed[0].message, "server web\n"
                                                           "  new: web/up\n"
                                                           "    inputSchema:\n"
                                                           "    + {\n"
                                                           "    +   \"type\": \"object\"\n"
                                                           "    + }\n");
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_NONE);
    assert_int_equal(bench->user->n_confirmed, 1);
}

static void after_a_no_the_same_is_not_asked_again_but_other_tools_are(void **state)
{
    struct bench *bench = *state;
    static const char more[] = "[" TOOL("search") "," TOOL("up") "," TOOL("down") "]";
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    bench->user->words[0] = ERR_DENIED;
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_DENIED);
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_DENIED);
    assert_int_equal(bench->user->n_confirmed, 1);
    bench->user->words[1] = ERR_UNAVAILABLE;
    assert_int_equal(turn(bench, more, "web/up"), ERR_DENIED);
    assert_int_equal(bench->user->n_confirmed, 2);
}

static void nobody_is_asked_who_is_not_there(void **state)
{
    struct bench *bench = *state;
    bench->user->present = false;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_DENIED);
    assert_string_equal(bench->err.hint,
                        "see what changed and approve it: mistro servers review web");
    assert_int_equal(bench->user->n_confirmed, 0);
}

static void what_changed_is_left_to_the_review(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(turn(bench, CHANGED_AND_GROWN, "web/up"), ERR_DENIED);
    assert_int_equal(turn(bench, CHANGED_AND_GROWN, "web/search"), ERR_MISMATCH);
    assert_int_equal(bench->user->n_confirmed, 0);
}

static void what_cannot_be_shown_in_a_question_is_left_to_the_review(void **state)
{
    struct bench *bench = *state;
    char *huge = NULL;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_true(asprintf(&huge,
                         "[{\"name\":\"up\",\"description\":\"%0300000d\",\"inputSchema\":"
                         "{\"type\":\"object\"}}]",
                         0) > 0);
    assert_int_equal(turn(bench, huge, "web/up"), ERR_DENIED);
    assert_int_equal(bench->user->n_confirmed, 0);
    free(huge);
}

static void a_server_that_was_never_seen_in_any_folder_is_trusted_as_any_other(void **state)
{
    struct bench *bench = *state;
    move(bench);
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    bench->server->identity = "fake-config in another folder";
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_NONE);
    assert_int_equal(bench->user->n_confirmed, 0);
}

static void a_server_that_makes_the_file_itself_stays_approved(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    move(bench);
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(bench->services.pins.n_saves, 2);
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(bench->services.pins.n_saves, 2);
    assert_int_equal(bench->user->n_confirmed, 0);
    bench->user->present = false;
    assert_int_equal(turn(bench, GROWN, "web/up"), ERR_DENIED);
    assert_null(strstr(bench->err.message, "folder"));
}

static void a_server_that_was_approved_before_its_folder_counted_is_asked_about_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    bench->services.pins.is_old = true;
    move(bench);
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    assert_int_equal(bench->user->n_confirmed, 1);
    assert_non_null(strstr(bench->user->confirmed[0].message,
                           "its command names data/rel.yml, which lies in this folder"));
    bench->user->present = false;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
}

static void without_a_person_the_refusal_says_that_the_folder_counts(void **state)
{
    struct bench *bench = *state;
    bench->user->present = false;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    bench->services.pins.is_old = true;
    move(bench);
    assert_int_equal(turn(bench, GROWN, "web/search"), ERR_DENIED);
    assert_string_equal(bench->err.message,
                        "web/search is quarantined: its server's command names data/rel.yml, which "
                        "lies in this folder, so it is approved folder by folder");
    assert_int_equal(turn(bench, CHANGED_AND_GROWN, "web/search"), ERR_MISMATCH);
}

static void the_review_of_a_server_whose_folder_counts_says_so_and_settles_it(void **state)
{
    struct bench *bench = *state;
    static const struct review_request everything = { 0 };
    struct tool_review review;
    bench->user->present = false;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
    move(bench);
    fake_tool_server_redefine(bench->server, CHANGED_AND_GROWN);
    assert_int_equal(review_tools(&bench->services.base, &bench->scope, &bench->arena, &everything,
                                  &review, &bench->err),
                     ERR_NONE);
    assert_int_equal(review.servers[0].n, 2);
    assert_non_null(review.servers[0].tools[0].agreed);
    json_auto_t *json = reviewed_server_to_json(&review.servers[0]);
    assert_string_equal(json_get_string(json, "folder_path"), "data/rel.yml");
    enum err_code r = reviewed_server_approve(&bench->services.base, &bench->scope, &bench->arena,
                                              &review.servers[0], &bench->err);
    tool_review_finish(&review);
    assert_int_equal(r, ERR_NONE);
    assert_int_equal(turn(bench, CHANGED_AND_GROWN, "web/search"), ERR_NONE);
    bench->server->identity = "fake-config";
    bench->server->identity_without_folder = NULL;
    assert_int_equal(turn(bench, OLD, "web/search"), ERR_NONE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_tool_that_came_while_the_server_ran_is_used_after_one_question),
        TEST(after_a_no_the_same_is_not_asked_again_but_other_tools_are),
        TEST(nobody_is_asked_who_is_not_there),
        TEST(what_changed_is_left_to_the_review),
        TEST(what_cannot_be_shown_in_a_question_is_left_to_the_review),
        TEST(a_server_that_was_never_seen_in_any_folder_is_trusted_as_any_other),
        TEST(a_server_that_makes_the_file_itself_stays_approved),
        TEST(a_server_that_was_approved_before_its_folder_counted_is_asked_about_once),
        TEST(without_a_person_the_refusal_says_that_the_folder_counts),
        TEST(the_review_of_a_server_whose_folder_counts_says_so_and_settles_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
