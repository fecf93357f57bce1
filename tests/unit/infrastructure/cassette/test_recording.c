/* What is recorded through a port is what the replaying port then gives: results to the byte,
 * errors, progress, changed lists, and what models, renderers, checkers and people say. */
#include "domain/base/json.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/cassette/cassette_recorder.h"
#include "infrastructure/mock/mock_server.h"
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_candidate_checker.h"
#include "tests/support/fakes/fake_model.h"
#include "tests/support/fakes/fake_renderer.h"
#include "tests/support/immediate_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cassette_bounds wide = { 1 << 20, 1 << 20, 100000 };

struct bench {
    char path[64];
    struct immediate_runtime runtime;
    struct cassette_recorder *recorder;
    struct cassette_tape *tape;
    struct cassette *cassette;
    struct arena arena;
    struct scope scope;
    struct err err;
    int n_changes;
    char progress[256];
};

static void bench_init(struct bench *bench)
{
    *bench = (struct bench){ .path = "/tmp/test_recording.XXXXXX",
                             .runtime = immediate_runtime(),
                             .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    close(mkstemp(bench->path));
    bench->recorder = cassette_recorder_create(&bench->runtime.port);
    assert_int_equal(cassette_tape_open(bench->recorder, bench->path, false, NULL, &wide,
                                        &bench->tape, &bench->err),
                     ERR_NONE);
}

static void replay(struct bench *bench)
{
    assert_int_equal(cassette_tape_failure(bench->tape)->code, ERR_NONE);
    cassette_recorder_destroy(bench->recorder);
    bench->recorder = NULL;
    if (cassette_open(bench->path, &wide, system_digest(), &bench->cassette, &bench->err))
        fail_msg("%s", bench->err.message);
}

static void bench_finish(struct bench *bench)
{
    cassette_recorder_destroy(bench->recorder);
    cassette_close(bench->cassette);
    arena_finish(&bench->arena);
    unlink(bench->path);
}

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static struct cassette_member *member(const struct bench *bench, enum cassette_party_kind kind)
{
    for (size_t i = 0; i < cassette_n_members(bench->cassette); i++)
        if (cassette_member(bench->cassette, i)->party.kind == kind)
            return cassette_member(bench->cassette, i);
    return NULL;
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    struct bench *bench = context;
    size_t used = strlen(bench->progress);
    snprintf(bench->progress + used, sizeof bench->progress - used, "%g/%g %s;", progress, total,
             message ? message : "");
}

static int n_asked;

static enum err_code on_question(void *context, struct scope *sc,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err)
{
    (void)context;
    (void)sc;
    (void)err;
    n_asked++;
    assert_string_equal(question->message, "Who?");
    *out = (struct elicitation_answer){ ELICITATION_ACCEPT,
                                        arena_keep_json(arena, parsed("{\"name\":\"ada\"}")) };
    return ERR_NONE;
}

static enum err_code on_sampling(void *context, struct scope *sc, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err)
{
    (void)context;
    (void)sc;
    (void)err;
    assert_non_null(json_object_get(params, "messages"));
    *out_result =
        arena_keep_json(arena, parsed("{\"role\":\"assistant\",\"model\":\"m\",\"content\":"
                                      "{\"type\":\"text\",\"text\":\"a plum\"}}"));
    return ERR_NONE;
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    (void)server;
    ((struct bench *)context)->n_changes++;
}

static size_t count_tools(struct bench *bench, struct tool_server *server)
{
    struct tool_catalogue *catalogue = NULL;
    assert_int_equal(tool_server_list(server, &bench->scope, &catalogue, &bench->err), ERR_NONE);
    size_t n = catalogue->n_tools;
    tool_catalogue_unref(catalogue);
    return n;
}

static const char *call(struct bench *bench, struct tool_server *server, const char *tool)
{
    const struct answerer answerer = { .on_question = on_question, .on_sampling = on_sampling };
    const struct tool_call call = {
        .name = tool, .on_progress = on_progress, .answerer = &answerer, .context = bench
    };
    struct step_result result;
    bench->err = (struct err){ .code = ERR_NONE };
    if (tool_server_call(server, &bench->scope, &call, &bench->arena, &result, &bench->err))
        return arena_printf(&bench->arena, "%s %d %s", err_name(bench->err.code), bench->err.origin,
                            bench->err.message);
    return result.bytes;
}

/* Everything that a caller sees of a server, in one text. */
static const char *use(struct bench *bench, struct tool_server *server)
{
    const struct tool_server_listener listener = { .on_tools_changed = on_tools_changed,
                                                   .context = bench };
    bench->n_changes = 0;
    bench->progress[0] = '\0';
    tool_server_listen(server, &listener);
    size_t before = count_tools(bench, server);
    const char *said = "";
    static const char *const tools[] = { "odd",    "busy",     "busy",  "refused",
                                         "asking", "sampling", "reveal" };
    for (size_t i = 0; i < ARRAY_LENGTH(tools); i++)
        said = arena_printf(&bench->arena, "%s%s|", said, call(bench, server, tools[i]));
    struct offering_result resource;
    assert_int_equal(tool_server_read_resource(server, &bench->scope, "note:a", NULL, &bench->arena,
                                               &resource, &bench->err),
                     ERR_NONE);
    said = arena_printf(&bench->arena, "%s%s|", said, resource.bytes);
    size_t after = count_tools(bench, server);
    said = arena_printf(&bench->arena, "%s %zu %zu %d %s", said, before, after, bench->n_changes,
                        bench->progress);
    tool_server_listen(server, NULL);
    return said;
}

static const char fixture[] =
    "{\"tools\":[{\"name\":\"odd\",\"replies\":[{\"result\":{\"content\":[],\"structuredContent\":"
    "{\"n\":1.50,\"s\":\"\\u00e9\"},\"isError\":true}}]},"
    "{\"name\":\"busy\",\"replies\":[{\"text\":\"one\",\"times\":1,\"progress\":[{\"progress\":1,"
    "\"total\":3,\"message\":\"half\"},{\"progress\":2}]},{\"text\":\"two\"}]},"
    "{\"name\":\"refused\",\"replies\":[{\"error\":{\"code\":-32603,\"message\":\"no more\"}}]},"
    "{\"name\":\"asking\",\"replies\":[{\"elicit\":{\"message\":\"Who?\",\"schema\":{\"type\":"
    "\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},\"text\":\"hello "
    "{elicited.name}\"}]},"
    "{\"name\":\"sampling\",\"replies\":[{\"sample\":{\"messages\":[{\"role\":\"user\","
    "\"content\":{\"type\":\"text\",\"text\":\"Which?\"}}],\"maxTokens\":10},\"text\":"
    "\"it is {sampled}\"}]},"
    "{\"name\":\"reveal\",\"replies\":[{\"text\":\"there\",\"reveals\":[\"late\"]}]},"
    "{\"name\":\"late\",\"hidden\":true}],"
    "\"resources\":[{\"uri\":\"note:a\",\"name\":\"a\",\"text\":\"plums\"}]}";

static void a_server_gives_again_what_it_gave(void **state)
{
    struct tool_server *mock = NULL;
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    json_auto_t *value = parsed(fixture);
    assert_int_equal(mock_server_create(&bench.runtime.port, "dev", value, &mock, &bench.err),
                     ERR_NONE);
    cassette_record_server(bench.recorder, -1, mock);
    const char *recorded = use(&bench, mock);
    tool_server_destroy(mock);
    assert_non_null(strstr(recorded, "hello ada"));
    assert_non_null(strstr(recorded, "it is a plum"));
    assert_non_null(strstr(recorded, "plums"));
    assert_non_null(strstr(recorded, "6 7 1 1/3 half;2/-1 ;"));
    replay(&bench);
    struct tool_server *replaying =
        cassette_server(bench.cassette, member(&bench, CASSETTE_SERVER));
    assert_string_equal(tool_server_name(replaying), "dev");
    assert_string_equal(use(&bench, replaying), recorded);
    tool_server_destroy(replaying);
    assert_int_equal(n_asked, 1);
    cassette_close(bench.cassette);
    assert_int_equal(cassette_open(bench.path, &wide, system_digest(), &bench.cassette, &bench.err),
                     ERR_NONE);
    cassette_ask_again(bench.cassette);
    replaying = cassette_server(bench.cassette, member(&bench, CASSETTE_SERVER));
    assert_string_equal(use(&bench, replaying), recorded);
    assert_int_equal(n_asked, 2);
    runtime_cancel(&bench.runtime.port, &bench.scope);
    assert_non_null(strstr(call(&bench, replaying, "odd"), "cancelled"));
    tool_server_destroy(replaying);
}

static const char *ask(struct bench *bench, struct model *model)
{
    const struct model_part parts[] = { { MODEL_TEXT, "Speak.", NULL },
                                        { MODEL_IMAGE, "iVBORw0=", "image/png" } };
    const struct model_message message = { MODEL_USER, parts, 2 };
    json_auto_t *schema = parsed("{\"type\":\"object\",\"properties\":{\"token\":{}}}");
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .schema = schema,
                                           .temperature = 0.2,
                                           .max_tokens = 10,
                                           .seed = -1 };
    const char *said = "";
    for (int i = 0; i < 3; i++) {
        struct model_reply reply;
        struct model_status status;
        int64_t tokens = 0;
        bench->err = (struct err){ .code = ERR_NONE };
        enum err_code r =
            model_chat(model, &bench->scope, &request, &bench->arena, &reply, &bench->err);
        said = r ? arena_printf(&bench->arena, "%s|%s", said, bench->err.message)
                 : arena_printf(&bench->arena, "%s|%s %s %d %d", said, reply.text, reply.model,
                                reply.stop, (int)reply.prompt_tokens);
        assert_int_equal(model_check(model, &bench->scope, &bench->arena, &status, &bench->err), 0);
        r = model_count_tokens(model, &bench->scope, "abc", &tokens, &bench->err);
        said = arena_printf(&bench->arena, "%s %s %d %s %d %d", said, status.model,
                            (int)status.context_tokens,
                            model_schema_support_name(status.schema_support), r, (int)tokens);
    }
    return said;
}

static void expect_model_again(int64_t counted)
{
    struct fake_model *fake = calloc(1, sizeof *fake);
    AUTO(bench) bench;
    bench_init(&bench);
    fake_model_init(fake, &bench.runtime.port);
    fake->context_tokens = 4096;
    fake->counted = counted;
    fake->schema_support = MODEL_SCHEMA_ENFORCED;
    fake_model_push(fake, (struct fake_reply){ .text = "one", .stop = MODEL_STOP_LENGTH });
    fake_model_push(fake, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    fake_model_push(fake, (struct fake_reply){ .text = "{\"a\":1}", .stop = MODEL_STOP_EARLY });
    cassette_record_model(bench.recorder, "mistral", json_object(), &fake->base);
    const char *recorded = ask(&bench, &fake->base);
    replay(&bench);
    struct model *replaying = cassette_model(bench.cassette, member(&bench, CASSETTE_MODEL));
    assert_string_equal(ask(&bench, replaying), recorded);
    model_destroy(replaying);
    fake_model_finish(fake);
    free(fake);
}

static void a_model_says_again_what_it_said(void **state)
{
    (void)state;
    expect_model_again(0);
    expect_model_again(17);
}

static void a_checker_finds_again_what_it_found(void **state)
{
    struct fake_candidate_checker fake;
    const struct candidate_trial trial = { .kind = CANONICAL_REGEX, .canonical = "a[0-9]" };
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    fake_candidate_checker_init(&fake);
    fake.refuses = trial.canonical;
    fake.failure = "it must match \"a1\"";
    cassette_record_checker(bench.recorder, &fake.base);
    const char *failure = NULL;
    assert_int_equal(
        candidate_check(&fake.base, &bench.scope, &trial, &bench.arena, &failure, NULL), 0);
    fake.refuses = NULL;
    assert_int_equal(
        candidate_check(&fake.base, &bench.scope, &trial, &bench.arena, &failure, NULL), 0);
    replay(&bench);
    struct candidate_checker *replaying = cassette_checker(bench.cassette);
    assert_int_equal(candidate_check(replaying, &bench.scope, &trial, &bench.arena, &failure, NULL),
                     0);
    assert_string_equal(failure, "it must match \"a1\"");
    assert_int_equal(candidate_check(replaying, &bench.scope, &trial, &bench.arena, &failure, NULL),
                     0);
    assert_null(failure);
}

static void a_renderer_draws_again_what_it_drew(void **state)
{
    struct fake_renderer fake;
    const struct drawing drawing = { .dot = "digraph {}", .dpi = 96 };
    struct picture first, again;
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    fake_renderer_init(&fake);
    fake.base.takes_plots = true;
    cassette_record_renderer(bench.recorder, &fake.base);
    assert_int_equal(renderer_available(&fake.base, &bench.scope, NULL), ERR_NONE);
    assert_int_equal(
        renderer_render(&fake.base, &bench.scope, &drawing, &bench.arena, &first, NULL), ERR_NONE);
    replay(&bench);
    struct renderer *replaying = cassette_renderer(bench.cassette);
    assert_true(replaying->takes_plots);
    assert_int_equal(renderer_available(replaying, &bench.scope, NULL), ERR_NONE);
    assert_int_equal(renderer_render(replaying, &bench.scope, &drawing, &bench.arena, &again, NULL),
                     ERR_NONE);
    for (int i = 0; i < PICTURE_N_FORMATS; i++) {
        assert_int_equal(again.lengths[i], first.lengths[i]);
        assert_true(!first.bytes[i] ||
                    memcmp(again.bytes[i], first.bytes[i], first.lengths[i]) == 0);
    }
    assert_string_equal(again.geometry, first.geometry);
    assert_string_equal(again.renderer, first.renderer);
    renderer_destroy(replaying);
}

static void recording_ends_where_a_bound_is_reached_and_the_call_does_not(void **state)
{
    struct tool_server *mock = NULL;
    const struct cassette_bounds narrow = { 1024, 1024, 100000 };
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    assert_int_equal(cassette_tape_open(bench.recorder, bench.path, false, NULL, &narrow,
                                        &bench.tape, &bench.err),
                     ERR_NONE);
    json_auto_t *value = parsed(fixture);
    assert_int_equal(mock_server_create(&bench.runtime.port, "dev", value, &mock, &bench.err),
                     ERR_NONE);
    cassette_record_server(bench.recorder, -1, mock);
    for (int i = 0; i < 10; i++)
        assert_non_null(strstr(call(&bench, mock, "reveal"), "there"));
    assert_int_equal(cassette_tape_failure(bench.tape)->code, ERR_LIMIT);
    tool_server_destroy(mock);
}

static size_t count_calls(struct bench *bench, const char *path)
{
    struct cassette *cassette = NULL;
    assert_int_equal(cassette_open(path, &wide, system_digest(), &cassette, &bench->err), ERR_NONE);
    const struct cassette_party dev = { CASSETTE_SERVER, "dev" };
    size_t n = json_array_size(cassette_find(cassette, &dev)->tools);
    cassette_close(cassette);
    return n;
}

static void a_cassette_of_a_scope_has_what_is_asked_within_it(void **state)
{
    struct tool_server *mock = NULL;
    struct cassette_tape *tape = NULL;
    char path[] = "/tmp/test_recording.XXXXXX";
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    json_auto_t *value = parsed(fixture);
    assert_int_equal(mock_server_create(&bench.runtime.port, "dev", value, &mock, &bench.err),
                     ERR_NONE);
    cassette_record_server(bench.recorder, -1, mock);
    close(mkstemp(path));
    const struct scope other = scope_child(NULL, SCOPE_NO_DEADLINE);
    assert_int_equal(
        cassette_tape_open(bench.recorder, path, true, &other, &wide, &tape, &bench.err), ERR_NONE);
    assert_non_null(call(&bench, mock, "busy"));
    struct scope whole = bench.scope;
    bench.scope = scope_child(&other, SCOPE_NO_DEADLINE);
    assert_non_null(call(&bench, mock, "odd"));
    bench.scope = whole;
    cassette_tape_close(bench.recorder, tape);
    assert_non_null(call(&bench, mock, "reveal"));
    assert_int_equal(count_calls(&bench, path), 1);
    assert_int_equal(count_calls(&bench, bench.path), 3);
    tool_server_destroy(mock);
    unlink(path);
}

static bool is_there(struct user *user)
{
    (void)user;
    return true;
}

static enum err_code fill_in(struct user *user, struct scope *sc, const struct form *form,
                             struct arena *arena, json_t **out, struct err *err)
{
    (void)user;
    (void)sc;
    if (!form->recipient)
        return err_set(err, ERR_DENIED, 0, "declined");
    *out = arena_keep_json(arena, parsed("{\"name\":\"ada\"}"));
    return ERR_NONE;
}

static enum err_code say_yes(struct user *user, struct scope *sc,
                             const struct confirmation *confirmation, struct err *err)
{
    (void)user;
    (void)sc;
    (void)confirmation;
    (void)err_set(err, ERR_CANCELLED, 0, "what counts is what is returned");
    return ERR_NONE;
}

static enum err_code approve_once(struct user *user, struct scope *sc,
                                  const struct approval_request *request, enum approval_answer *out,
                                  struct err *err)
{
    (void)user;
    (void)sc;
    (void)request;
    (void)err;
    *out = APPROVAL_ONCE;
    return ERR_NONE;
}

static enum err_code may_be_called(struct approval_repository *repository, struct scope *sc,
                                   const struct approval *approval, bool *out, struct err *err)
{
    (void)repository;
    (void)sc;
    (void)err;
    *out = strcmp(approval->kind, APPROVAL_OF_TOOL) == 0;
    return ERR_NONE;
}

static bool is_approved(struct bench *bench, struct approval_repository *approvals,
                        const char *kind, const char *subject)
{
    const struct approval approval = { kind, subject, "hash" };
    bool is_approved = false;
    assert_int_equal(
        approval_repository_has(approvals, &bench->scope, &approval, &is_approved, &bench->err), 0);
    return is_approved;
}

/* Everything that a caller sees of a person, in one text. */
static const char *talk_to(struct bench *bench, struct user *user)
{
    const struct tool tool = { .name = "note" };
    const struct form form = { .title = "who", .recipient = "dev" }, refused = { .title = "why" };
    const struct confirmation confirmation = { .question = "Go on?" };
    const struct approval_request request = { .tool = &tool };
    enum approval_answer answer = APPROVAL_NO;
    json_t *filled = NULL, *none = NULL;
    enum err_code asked = user_ask(user, &bench->scope, &form, &bench->arena, &filled, &bench->err);
    enum err_code declined =
        user_ask(user, &bench->scope, &refused, &bench->arena, &none, &bench->err);
    enum err_code confirmed = user_confirm(user, &bench->scope, &confirmation, &bench->err);
    enum err_code approved = user_approve(user, &bench->scope, &request, &answer, &bench->err);
    return arena_printf(&bench->arena, "%d %d %s %d %d %d %d", user_present(user), asked,
                        json_print_in(&bench->arena, filled), declined, confirmed, approved,
                        answer);
}

static void a_person_says_again_what_they_said_and_only_a_raw_cassette_has_it(void **state)
{
    static const struct user_ops ops = { is_there, fill_in, say_yes, approve_once };
    struct user user = { &ops };
    static const struct approval_repository_ops stored = { .has = may_be_called };
    struct approval_repository known = { &stored };
    bool approves_all = true;
    (void)state;
    AUTO(bench) bench;
    bench_init(&bench);
    cassette_tape_close(bench.recorder, bench.tape);
    assert_int_equal(
        cassette_tape_open(bench.recorder, bench.path, true, NULL, &wide, &bench.tape, &bench.err),
        ERR_NONE);
    cassette_record_user(bench.recorder, &bench.scope, &user, false);
    const char *said = talk_to(&bench, &user);
    assert_string_equal(said, arena_printf(&bench.arena, "1 0 {\"name\":\"ada\"} %d 0 0 %d",
                                           ERR_DENIED, APPROVAL_ONCE));
    cassette_record_approvals(bench.recorder, &known);
    assert_true(is_approved(&bench, &known, APPROVAL_OF_TOOL, "1234/note"));
    assert_false(is_approved(&bench, &known, APPROVAL_OF_REPEATING, "1234/note"));
    replay(&bench);
    struct user *again = cassette_user(bench.cassette, &approves_all);
    struct approval_repository *approvals = cassette_approvals(bench.cassette);
    assert_false(approves_all);
    assert_string_equal(talk_to(&bench, again), said);
    assert_true(is_approved(&bench, approvals, APPROVAL_OF_TOOL, "of another server/note"));
    assert_false(is_approved(&bench, approvals, APPROVAL_OF_REPEATING, "of another server/note"));
    assert_int_equal(cassette_miss(bench.cassette)->code, ERR_NONE);
    AUTO(bench) redacted;
    bench_init(&redacted);
    user.ops = &ops;
    cassette_record_user(redacted.recorder, &redacted.scope, &user, false);
    assert_non_null(talk_to(&redacted, &user));
    assert_int_equal(
        cassette_open(redacted.path, &wide, system_digest(), &redacted.cassette, &redacted.err),
        ERR_INVALID);
    assert_non_null(strstr(redacted.err.message, "nothing is recorded in it"));
}

static void who_is_announced_again_with_the_same_facts_is_written_once(void **state)
{
    static const struct cassette_party party = { CASSETTE_SERVER, "dev" };
    struct bench bench;
    char text[4096] = "";
    size_t n = 0;
    (void)state;
    bench_init(&bench);
    const char *name = cassette_record_start(bench.recorder, &party, json_pack("{s:i}", "a", 1));

    assert_ptr_equal(cassette_record_start(bench.recorder, &party, json_pack("{s:i}", "a", 1)),
                     name);
    (void)cassette_record_start(bench.recorder, &party, json_pack("{s:i}", "a", 2));

    FILE *in = fopen(bench.path, "r");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) > 0);
    fclose(in);
    for (const char *at = text; (at = strstr(at, "$transport/start")) != NULL; at++)
        n++;
    assert_int_equal(n, 2);
    bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_gives_again_what_it_gave),
        cmocka_unit_test(a_model_says_again_what_it_said),
        cmocka_unit_test(a_checker_finds_again_what_it_found),
        cmocka_unit_test(a_renderer_draws_again_what_it_drew),
        cmocka_unit_test(a_cassette_of_a_scope_has_what_is_asked_within_it),
        cmocka_unit_test(a_person_says_again_what_they_said_and_only_a_raw_cassette_has_it),
        cmocka_unit_test(who_is_announced_again_with_the_same_facts_is_written_once),
        cmocka_unit_test(recording_ends_where_a_bound_is_reached_and_the_call_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
