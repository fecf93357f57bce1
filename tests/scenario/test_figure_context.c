/* A text and a model's context: references leave the prompt, nothing of the text ever does. */
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_job.h"
#include <string.h>

/* One reference, whose graph the Planner reads; the model's script is empty. */
static void use(struct figure_job *job, size_t bytes)
{
    static const char *const refs[] = { "tcp_connection" };
    const char *text = job->request.source_context;
    while (strlen(text) < bytes)
        text = arena_printf(&job->arena, "%s The server answers with a SYN-ACK.", text);
    job->request.source_context = text;
    job->request.refs = refs;
    job->request.n_refs = 1;
    job->services.settings.model_attempts = 1;
    job->services.model_port = &job->services.model.base;
}

static void leaves_references_out_before_anything_of_the_text(void **state)
{
    struct figure_job *job = *state;
    enum err_code r = ERR_LIMIT;
    use(job, 6000);
    for (int64_t tokens = 500; r == ERR_LIMIT && tokens < 20000; tokens += 100) {
        job->services.model.context_tokens = tokens;
        r = figure_job_draw(job);
    }
    const struct fake_request *asked = job->services.model.requests;
    assert_int_equal(r, ERR_UNAVAILABLE);
    assert_string_equal(asked->purpose, "figure_planner");
    assert_non_null(strstr(asked->user, job->request.source_context));
    assert_null(strstr(asked->user, "tcp_connection"));
    assert_true(fake_services_count(&job->services, EVENT_PROMPT_TRIMMED) > 0);
}

static void refuses_a_text_for_which_the_context_has_no_room(void **state)
{
    struct figure_job *job = *state;
    use(job, 40000);
    job->services.model.context_tokens = 4096;
    assert_int_equal(figure_job_draw(job), ERR_LIMIT);
    assert_int_equal(job->services.model.n_requests, 0);
    assert_non_null(strstr(job->err.message, "model's context of 4096"));
    assert_string_equal(
        job->err.hint,
        "give a shorter text, raise model.context_tokens, or draw by rules: -m none");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, figure_job_set_up, figure_job_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(leaves_references_out_before_anything_of_the_text),
        TEST(refuses_a_text_for_which_the_context_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
