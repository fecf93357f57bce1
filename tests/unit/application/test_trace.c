/* The ids of traces, and traceparent as W3C Trace Context has it. */
#include "application/trace.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define PARENT "00-" ID "-" SPAN "-01"

/* So many zeros, then the length of what was hashed. */
static void length_digest(struct digest *digest, const void *bytes, size_t length,
                          char out_hex[static DIGEST_HEX_SIZE])
{
    (void)digest;
    (void)bytes;
    snprintf(out_hex, DIGEST_HEX_SIZE, "%064zx", length);
}

static const struct digest_ops zeros_ops = { length_digest };
static struct digest zeros = { &zeros_ops };

static void takes_the_ids_of_a_valid_traceparent(void **state)
{
    (void)state;
    struct trace trace;
    assert_true(trace_parse(PARENT, &trace));
    assert_string_equal(trace.id, ID);
    assert_string_equal(trace.parent, SPAN);
    assert_string_equal(trace.flags, "01");
}

static void refuses_what_is_no_traceparent(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        NULL,
        "",
        "00",
        "00-" ID "-" SPAN,
        "00-" ID "-" SPAN "-0",
        "00-" ID "-" SPAN "-0g",
        "00-" ID "-" SPAN "-011",
        "00-" ID "-" SPAN "-01-more",
        "ff-" ID "-" SPAN "-01",
        "0x-" ID "-" SPAN "-01",
        "01-" ID "-" SPAN "-01more",
        "00-00000000000000000000000000000000-" SPAN "-01",
        "00-" ID "-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        "00_" ID "_" SPAN "_01",
        " " PARENT,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct trace trace;
        assert_false(trace_parse(wrong[i], &trace));
        assert_string_equal(trace.id, "");
    }
}

static void a_later_version_is_read_as_far_as_this_one_goes(void **state)
{
    (void)state;
    struct trace trace;
    assert_true(trace_parse("cc-" ID "-" SPAN "-01", &trace));
    assert_true(trace_parse("cc-" ID "-" SPAN "-ff-what.the.future.brings", &trace));
    assert_string_equal(trace.flags, "03");
}

static void a_caller_gives_the_run_its_trace(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct trace trace;
    const struct trace_texts caller = { PARENT, "rojo=1,congo=\\\"2" };
    trace_begin(&trace, &zeros, "r", &caller);
    const struct trace_texts told = trace_print(&arena, &trace, "1111111111111111");
    assert_string_equal(told.parent, "00-" ID "-1111111111111111-01");
    assert_string_equal(told.state, caller.state);
}

static void what_is_invalid_counts_as_missing(void **state)
{
    (void)state;
    struct trace trace;
    char longest[TRACESTATE_MAX_BYTES + 2] = "a=";
    memset(longest + 2, 'b', TRACESTATE_MAX_BYTES - 2);
    trace_begin(&trace, &zeros, "r", &(struct trace_texts){ PARENT, longest });
    assert_string_equal(trace.state, longest);
    longest[TRACESTATE_MAX_BYTES] = 'b';
    const char *const states[] = { longest, "", "nothing", "a=\x01", "a=\xc3\xa4", NULL };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        trace_begin(&trace, &zeros, "r", &(struct trace_texts){ PARENT, states[i] });
        assert_string_equal(trace.state, "");
    }
    trace_begin(&trace, &zeros, "r", &(struct trace_texts){ "00-no", "a=b" });
    assert_string_equal(trace.parent, "");
    assert_string_equal(trace.state, "");
    assert_int_equal(strlen(trace.id), 32);
}

static void no_id_is_all_zero(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct trace trace;
    char span[TRACE_SPAN_SIZE];
    trace_begin(&trace, &zeros, "r", &(struct trace_texts){ 0 });
    const char *text = trace_print(&arena, &trace, trace_span(&zeros, "r", "s", span)).parent;
    assert_string_equal(text, "00-00000000000000000000000000000001-0000000000000001-01");
    assert_true(trace_parse(text, &trace));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_ids_of_a_valid_traceparent),
        cmocka_unit_test(refuses_what_is_no_traceparent),
        cmocka_unit_test(a_later_version_is_read_as_far_as_this_one_goes),
        cmocka_unit_test(a_caller_gives_the_run_its_trace),
        cmocka_unit_test(what_is_invalid_counts_as_missing),
        cmocka_unit_test(no_id_is_all_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
