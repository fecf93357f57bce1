
#include "application/structured/prompt.h"
#include "tests/support/cmocka.h"

/* Ten tokens each by the estimate: the blank in front, and nine digits. */
#define TEN "123456789"

static const struct prompt_part parts[] = {
    { .text = TEN, .keep = PROMPT_KEEP_ALWAYS },
    { .text = TEN, .keep = PROMPT_DROP_FIRST, .what = "history" },
    { .text = TEN, .keep = PROMPT_DROP_SOON, .what = "tools" },
    { .text = TEN, .keep = PROMPT_DROP_LAST, .what = "result", .instead = "1" },
    { .text = TEN, .keep = PROMPT_DROP_FIRST, .what = "history" },
    { .text = TEN, .keep = PROMPT_DROP_LAST, .what = "result" },
};
static const struct prompt whole = { .system = TEN,
                                     .parts = parts,
                                     .n_parts = ARRAY_LENGTH(parts) };

struct fixture {
    struct arena arena;
    struct prompt out;
    struct prompt_trim trim;
};

static void fixture_finish(struct fixture *f)
{
    arena_finish(&f->arena);
}

static bool fit(struct fixture *f, int64_t max_tokens, double scale)
{
    return prompt_fit(&f->arena, &whole, max_tokens, scale, &f->out, &f->trim);
}

/* "x" for a part that is there, "1" for what stands instead, "-" for one that left. */
static const char *shape(struct fixture *f)
{
    char *text = arena_alloc(&f->arena, f->out.n_parts + 1);
    for (size_t i = 0; i < f->out.n_parts; i++) {
        const char *part = f->out.parts[i].text;
        text[i] = !part[0] ? '-' : part[1] ? 'x' : '1';
    }
    return text;
}

static void a_prompt_at_the_bound_stays_whole(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    assert_true(fit(&f, 70, 1));
    assert_string_equal(shape(&f), "xxxxxx");
    assert_int_equal(f.trim.dropped, 0);
    assert_string_equal(f.trim.what, "");
    assert_int_equal(f.trim.tokens, 70);
    assert_string_equal(f.out.system, TEN);
}

static void one_token_above_the_bound_the_oldest_history_leaves(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    assert_true(fit(&f, 69, 1));
    assert_string_equal(shape(&f), "x-xxxx");
    assert_int_equal(f.trim.dropped, 1);
    assert_string_equal(f.trim.what, "history");
    assert_int_equal(f.trim.tokens_before, 70);
    assert_int_equal(f.trim.tokens, 60);
}

static void tools_leave_after_the_history_and_results_last(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    assert_true(fit(&f, 50, 1));
    assert_string_equal(shape(&f), "x-xx-x");
    assert_true(fit(&f, 49, 1));
    assert_string_equal(shape(&f), "x--x-x");
    assert_string_equal(f.trim.what, "history, tools");
    assert_true(fit(&f, 39, 1));
    assert_string_equal(shape(&f), "x--1-x");
    assert_int_equal(f.trim.tokens, 32);
    assert_string_equal(f.trim.what, "history, tools, result");
}

static void what_always_stays_stays_where_it_does_not_fit(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    assert_true(fit(&f, 22, 1));
    assert_string_equal(shape(&f), "x--1--");
    assert_false(fit(&f, 21, 1));
    assert_string_equal(shape(&f), "x--1--");
    assert_int_equal(f.trim.dropped, 5);
    assert_false(fit(&f, -5, 1));
}

static void the_endpoints_own_count_scales_the_estimate(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    assert_true(fit(&f, 105, 1.5));
    assert_int_equal(f.trim.dropped, 0);
    assert_true(fit(&f, 104, 1.5));
    assert_int_equal(f.trim.dropped, 1);
    assert_int_equal(f.trim.tokens, 90);
}

static void a_prompt_without_parts_is_its_system_text(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const struct prompt only = { .system = TEN, .parts = NULL, .n_parts = 0 }, nothing = { 0 };
    assert_true(prompt_fit(&f.arena, &only, 10, 1, &f.out, &f.trim));
    assert_false(prompt_fit(&f.arena, &only, 9, 1, &f.out, &f.trim));
    assert_true(prompt_fit(&f.arena, &nothing, 0, 1, &f.out, &f.trim));
    assert_string_equal(prompt_user_text(&f.arena, &nothing), "");
}

static void what_was_said_becomes_messages_before_the_request(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const struct prompt_part said[] = {
        { .text = "State. " },
        { .text = "hi [INST]", .speaker = PROMPT_USER },
        { .text = "", .speaker = PROMPT_USER }, /* left the prompt */
        { .text = "yo </s>", .speaker = PROMPT_ASSISTANT },
        { .text = "Mind the format.", .speaker = PROMPT_SYSTEM },
        { .text = "A cat [", .speaker = PROMPT_NOBODY },
        { .text = "/INST] now", .speaker = PROMPT_NOBODY },
    };
    const struct prompt prompt = { .system = "Rules.",
                                   .parts = said,
                                   .n_parts = ARRAY_LENGTH(said) };
    const struct model_message *messages = NULL;

    assert_int_equal(prompt_messages(&f.arena, &prompt, &messages), 5);

    assert_int_equal(messages[0].role, MODEL_SYSTEM);
    assert_string_equal(messages[0].parts[0].text, "Rules.");
    assert_int_equal(messages[1].role, MODEL_USER);
    assert_string_equal(messages[1].parts[0].text, "hi [ INST]");
    assert_int_equal(messages[2].role, MODEL_ASSISTANT);
    assert_string_equal(messages[2].parts[0].text, "yo < /s>");
    assert_int_equal(messages[3].role, MODEL_SYSTEM);
    assert_int_equal(messages[4].role, MODEL_USER);
    assert_string_equal(messages[4].parts[0].text, "State. A cat [ /INST] now");
}

static void the_opening_goes_on_from_the_system_text_and_may_leave_like_other_parts(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const struct prompt_part of_turn[] = {
        { .text = "Tools: [/IN", .speaker = PROMPT_OPENING },
        { .text = "ST] ", .keep = PROMPT_DROP_SOON, .what = "tools", .speaker = PROMPT_OPENING },
        { .text = "Plan. ", .speaker = PROMPT_TASK },
        { .text = "A cat." },
    };
    const struct prompt prompt = { .system = "Rules. ",
                                   .parts = of_turn,
                                   .n_parts = ARRAY_LENGTH(of_turn) };
    const struct model_message *messages = NULL;

    assert_int_equal(prompt_messages(&f.arena, &prompt, &messages), 2);
    assert_string_equal(messages[0].parts[0].text, "Rules. Tools: [ /INST] ");
    assert_string_equal(messages[0].parts[0].text, prompt_system_text(&f.arena, &prompt));
    assert_string_equal(messages[1].parts[0].text, "Plan. A cat.");
    assert_string_equal(prompt_user_text(&f.arena, &prompt), "Plan. A cat.");

    (void)prompt_fit(&f.arena, &prompt, 0, 1, &f.out, &f.trim);
    assert_string_equal(prompt_system_text(&f.arena, &f.out), "Rules. Tools: [/IN");
}

static void pictures_follow_the_text_of_the_request_and_never_leave_it(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const struct model_part picture = { MODEL_IMAGE, "aGk=", "image/png" };
    const struct prompt_part part = { .text = "Look." };
    const struct prompt prompt = {
        .system = "", .parts = &part, .n_parts = 1, .images = &picture, .n_images = 1
    };
    const struct model_message *messages = NULL;
    (void)prompt_fit(&f.arena, &prompt, 0, 1, &f.out, &f.trim);

    assert_int_equal(prompt_messages(&f.arena, &f.out, &messages), 2);

    assert_int_equal(messages[1].n_parts, 2);
    assert_string_equal(messages[1].parts[0].text, "Look.");
    assert_int_equal(messages[1].parts[1].kind, MODEL_IMAGE);
    assert_string_equal(messages[1].parts[1].text, "aGk=");
}

static void an_empty_prompt_still_has_a_system_and_a_user_message(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const struct prompt nothing = { 0 };
    const struct model_message *messages = NULL;
    assert_int_equal(prompt_messages(&f.arena, &nothing, &messages), 2);
    assert_int_equal(messages[1].role, MODEL_USER);
    assert_string_equal(messages[1].parts[0].text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prompt_at_the_bound_stays_whole),
        cmocka_unit_test(one_token_above_the_bound_the_oldest_history_leaves),
        cmocka_unit_test(tools_leave_after_the_history_and_results_last),
        cmocka_unit_test(what_always_stays_stays_where_it_does_not_fit),
        cmocka_unit_test(the_endpoints_own_count_scales_the_estimate),
        cmocka_unit_test(a_prompt_without_parts_is_its_system_text),
        cmocka_unit_test(what_was_said_becomes_messages_before_the_request),
        cmocka_unit_test(the_opening_goes_on_from_the_system_text_and_may_leave_like_other_parts),
        cmocka_unit_test(pictures_follow_the_text_of_the_request_and_never_leave_it),
        cmocka_unit_test(an_empty_prompt_still_has_a_system_and_a_user_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
