
#include "presentation/cli/chat/studio_view.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdlib.h>
#include <string.h>

struct bench {
    struct services services;
    struct fake_console console;
    struct arguments args;
    struct cli cli;
    struct observer watcher; /* behind the view */
    size_t n_watched;
    struct studio_view view;
};

static void watch(struct observer *observer, const struct event *event)
{
    struct bench *bench = (struct bench *)((char *)observer - offsetof(struct bench, watcher));
    (void)event;
    bench->n_watched++;
}

static struct bench *begin(bool is_terminal)
{
    static const struct observer_ops ops = { watch };
    struct bench *bench = calloc(1, sizeof *bench);
    struct style style = style_make(is_terminal, NULL, "1", "xterm");
    fake_console_init(&bench->console, "");
    bench->watcher.ops = &ops;
    bench->services.observer = &bench->watcher;
    bench->cli = (struct cli){ .args = &bench->args,
                               .services = &bench->services,
                               .console = &bench->console.base,
                               .style = style,
                               .answer_style = style };
    studio_view_init(&bench->view, &bench->cli);
    return bench;
}

static int in_pipe(void **state)
{
    *state = begin(false);
    return 0;
}

static int on_terminal(void **state)
{
    *state = begin(true);
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    studio_view_finish(&bench->view);
    assert_ptr_equal(bench->services.observer, &bench->watcher);
    fake_console_finish(&bench->console);
    free(bench);
    return 0;
}

static const char *out(struct bench *bench)
{
    return buf_string(&bench->console.out);
}

static const char *err_of(struct bench *bench)
{
    return buf_string(&bench->console.err);
}

static struct studio_result answered(const char *text, const char *prompt)
{
    return (struct studio_result){
        .end = STUDIO_ANSWERED,
        .text = text,
        .state.image = { .prompt = prompt, .steps = 4, .cfg = 1, .seed = IMAGE_SEED_RANDOM }
    };
}

static int show(struct bench *bench, const struct studio_result *result)
{
    return studio_view_end_turn(&bench->view, &bench->cli, "s1", result, false);
}

static void tell(struct bench *bench, enum event_kind kind, const char *data_text)
{
    json_auto_t *data = json_loads(data_text, 0, NULL);
    struct event event = { .run_id = "r1", .kind = kind, .data = data };
    observer_observe(bench->services.observer, &event);
}

static void a_pipe_gets_the_text_and_the_rest_is_told_beside_it(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("A cat.", "a cat");
    result.kept = "Your prompt stays";
    result.adjusted = "Settings adjusted: steps 150→100 (maximum is 100)";
    result.image = "images/cat\033.png";
    assert_int_equal(show(bench, &result), 0);
    assert_string_equal(out(bench), "A cat.\n");
    assert_string_equal(err_of(bench), "[prompt: a cat; 4 steps, cfg 1, random seed]\n"
                                       "Your prompt stays\n"
                                       "Settings adjusted: steps 150→100 (maximum is 100)\n"
                                       "✓ image: images/cat\\x1b.png\n");
}

static void on_a_terminal_the_pane_is_part_of_the_conversation(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("A cat.", "a cat");
    show(bench, &result);
    assert_non_null(strstr(out(bench), "A cat.\n┌─ prompt ─"));
    assert_string_equal(err_of(bench), "");
}

static void the_pane_is_shown_when_it_changed_only(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("", "a cat");
    show(bench, &result);
    buf_clear(&bench->console.err);
    show(bench, &result);
    assert_string_equal(err_of(bench), "");
    result.state.image.seed = 7;
    show(bench, &result);
    assert_string_equal(err_of(bench), "[prompt: a cat; 4 steps, cfg 1, seed 7]\n");
}

static void the_prompt_is_seen_before_its_image_is_made(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("", "a cat");
    tell(bench, EVENT_PROMPT_UPDATE, "{\"prompt\":\"a cat\",\"by\":\"model\"}");
    tell(bench, EVENT_SETTINGS_UPDATE, "{\"settings\":{\"steps\":9,\"cfg\":1.0,\"seed\":-1}}");
    assert_string_equal(err_of(bench), "");
    tell(bench, EVENT_GENERATION_STARTED, "{\"tool\":\"a/b\"}");
    assert_string_equal(err_of(bench), "[prompt: a cat; 9 steps, cfg 1, random seed]\n");
    assert_int_equal(bench->n_watched, 3);
    buf_clear(&bench->console.err);
    result.state.image.steps = 9;
    show(bench, &result);
    assert_string_equal(err_of(bench), "");
}

static void a_reset_is_its_sentence_and_status_1(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered(STUDIO_RESET_TEXT, "");
    result.end = STUDIO_RESET;
    (void)err_set(&result.err, ERR_FAILED, 0, "the model never gave it");
    assert_int_equal(show(bench, &result), 1);
    assert_string_equal(out(bench),
                        "I'm having trouble understanding the format. Let's start fresh.\n");
    assert_string_equal(err_of(bench), "");
}

static void a_turn_that_failed_is_an_error_with_its_status(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("gone", "");
    result.end = STUDIO_FAILED;
    (void)err_set(&result.err, ERR_UNAVAILABLE, 0, "gone");
    assert_int_equal(show(bench, &result), 3);
    assert_string_equal(out(bench), "");
    assert_string_equal(err_of(bench), "mistro: gone\n");
}

static void an_image_that_was_refused_is_said_once(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("Now.", "");
    (void)err_set(&result.err, ERR_DENIED, 0, "not approved");
    result.not_generated = result.err.message;
    assert_int_equal(show(bench, &result), 6);
    assert_string_equal(out(bench), "Now.\n");
    assert_string_equal(err_of(bench), "mistro: not approved\n");
}

static void quiet_leaves_only_the_text(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("Now.", "a cat");
    result.not_generated = "no tool";
    bench->args.quiet = true;
    assert_int_equal(show(bench, &result), 0);
    assert_string_equal(out(bench), "Now.\n");
    assert_string_equal(err_of(bench), "");
}

static void an_object_always_has_the_same_members(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("A cat.", "a cat");
    bench->args.json = true;
    show(bench, &result);
    assert_string_equal(out(bench),
                        "{\"version\":1,\"session_id\":\"s1\",\"status\":\"completed\","
                        "\"text\":\"A cat.\",\"prompt\":\"a cat\",\"generate_image\":false,"
                        "\"settings\":{\"steps\":4,\"cfg\":1.0,\"seed\":-1},\"kept\":null,"
                        "\"adjusted\":null,"
                        "\"image\":null,\"not_generated\":null,\"saved\":true,\"error\":null}\n");
    assert_string_equal(err_of(bench), "");
}

static void an_object_of_a_failure_has_its_error(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("gone", "");
    result.end = STUDIO_FAILED;
    (void)err_set(&result.err, ERR_TIMEOUT, 0, "gone");
    bench->args.json = true;
    assert_int_equal(show(bench, &result), 3);
    assert_non_null(strstr(out(bench), "\"status\":\"failed\""));
    assert_non_null(strstr(out(bench), "\"error\":{\"code\":\"timeout\",\"message\":\"gone\""));
}

static void a_turn_that_was_not_saved_is_shown_and_fails_even_quietly(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("A cat.", "a cat");
    (void)err_set(&result.not_saved, ERR_UNAVAILABLE, 0, "session s1 was not saved: full");
    bench->args.quiet = true;
    assert_int_equal(show(bench, &result), 3);
    assert_string_equal(out(bench), "A cat.\n");
    assert_string_equal(err_of(bench), "mistro: session s1 was not saved: full\n");
}

static void an_object_says_that_its_turn_was_not_saved(void **state)
{
    struct bench *bench = *state;
    struct studio_result result = answered("A cat.", "a cat");
    (void)err_set(&result.not_saved, ERR_UNAVAILABLE, 0, "session s1 was not saved: full");
    bench->args.json = true;
    assert_int_equal(show(bench, &result), 3);
    assert_non_null(strstr(out(bench), "\"status\":\"failed\",\"text\":\"A cat.\""));
    assert_non_null(strstr(out(bench), "\"saved\":false,\"error\":{\"code\":\"unavailable\""));
    assert_string_equal(err_of(bench), "mistro: session s1 was not saved: full\n");
}

static void an_edit_shows_the_pane_in_any_case(void **state)
{
    struct bench *bench = *state;
    struct studio_state edited = { .image = image_prompt_default(), .edited = true };
    studio_view_show_state(&bench->view, &bench->cli, "s1", &edited);
    studio_view_show_state(&bench->view, &bench->cli, "s1", &edited);
    assert_string_equal(err_of(bench), "[prompt: (none yet); 4 steps, cfg 1, random seed]\n"
                                       "[prompt: (none yet); 4 steps, cfg 1, random seed]\n");
}

int main(void)
{
#define PIPE(test) cmocka_unit_test_setup_teardown(test, in_pipe, tear_down)
    const struct CMUnitTest tests[] = {
        PIPE(a_pipe_gets_the_text_and_the_rest_is_told_beside_it),
        cmocka_unit_test_setup_teardown(on_a_terminal_the_pane_is_part_of_the_conversation,
                                        on_terminal, tear_down),
        PIPE(the_pane_is_shown_when_it_changed_only),
        PIPE(the_prompt_is_seen_before_its_image_is_made),
        PIPE(a_reset_is_its_sentence_and_status_1),
        PIPE(a_turn_that_failed_is_an_error_with_its_status),
        PIPE(an_image_that_was_refused_is_said_once),
        PIPE(quiet_leaves_only_the_text),
        PIPE(an_object_always_has_the_same_members),
        PIPE(an_object_of_a_failure_has_its_error),
        PIPE(a_turn_that_was_not_saved_is_shown_and_fails_even_quietly),
        PIPE(an_object_says_that_its_turn_was_not_saved),
        PIPE(an_edit_shows_the_pane_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
