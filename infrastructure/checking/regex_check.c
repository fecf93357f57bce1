/* Compiles a regular expression and tries it on texts. What a model wrote may need exponential
 * time: each match has limits, and all of them together have a time. PCRE2 counts steps anew at
 * every place of a text, so a match below its limit may still last for minutes; a callout at every
 * item of the pattern looks at the clock and ends it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "domain/base/json.h"
#include "infrastructure/checking/candidate_check.h"
#include "infrastructure/workspace/workspace_job.h"
#include <pcre2.h>
#include <string.h>

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 100000, HEAP_LIMIT_KIB = 20000, NESTING_LIMIT = 100 };
enum { ITEMS_PER_LOOK = 4096 }; /* of the pattern, from one look at the clock to the next */

struct regex_check {
    struct candidate_check *check;
    pcre2_code *code;
    pcre2_match_context *context;
    pcre2_match_data *data;
    uint32_t options; /* of each match */
    int64_t deadline_ms;
    unsigned n_items; /* of the pattern that were tried */
};

static void regex_check_finish(struct regex_check *regex)
{
    pcre2_match_data_free(regex->data);
    pcre2_match_context_free(regex->context);
    pcre2_code_free(regex->code);
}

static const unsigned char *bytes_of(const char *text)
{
    return (const unsigned char *)text;
}

/* False: it is not a pattern, which is the candidate's failure. */
static bool compile(struct regex_check *regex)
{
    const char *pattern = regex->check->candidate;
    unsigned char why[120] = "";
    int number;
    size_t at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_set_parens_nest_limit(context, NESTING_LIMIT);
    regex->code = pcre2_compile(bytes_of(pattern), strlen(pattern),
                                PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT, &number,
                                &at, context);
    pcre2_compile_context_free(context);
    if (regex->code)
        return true;
    pcre2_get_error_message(number, why, sizeof why);
    check_fails(regex->check, "it is no regular expression: %s, at character %zu",
                (const char *)why, at);
    return false;
}

static bool is_late(const struct regex_check *regex)
{
    return workspace_now_ms() > regex->deadline_ms;
}

static int watch(pcre2_callout_block *block, void *context)
{
    struct regex_check *regex = context;
    (void)block;
    return ++regex->n_items % ITEMS_PER_LOOK == 0 && is_late(regex) ? PCRE2_ERROR_CALLOUT : 0;
}

static void prepare(struct regex_check *regex)
{
    regex->context = pcre2_match_context_create(NULL);
    regex->data = pcre2_match_data_create(1, NULL);
    pcre2_set_match_limit(regex->context, MATCH_LIMIT);
    pcre2_set_depth_limit(regex->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
    pcre2_set_callout(regex->context, watch, regex);
    if (json_get_bool(regex->check->examples, "full", false))
        regex->options = PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    regex->deadline_ms = workspace_now_ms() + regex->check->max_ms;
}

static void try_text(struct regex_check *regex, const char *text, bool must_match)
{
    struct candidate_check *check = regex->check;
    int r = pcre2_match(regex->code, bytes_of(text), strlen(text), 0, regex->options, regex->data,
                        regex->context);
    if (r == PCRE2_ERROR_CALLOUT || is_late(regex))
        check_fails(check, "it takes longer than %lld ms on its examples",
                    (long long)check->max_ms);
    else if (r < 0 && r != PCRE2_ERROR_NOMATCH)
        check_fails(check,
                    "it needs too many steps on %s: write it without repetition within "
                    "repetition",
                    check_quoted(check, text));
    else if ((r >= 0) != must_match)
        check_fails(check,
                    must_match ? "it must match %s and does not" : "it must not match %s and does",
                    check_quoted(check, text));
}

static void try_texts(struct regex_check *regex, const char *name, bool must_match)
{
    const json_t *texts = json_object_get(regex->check->examples, name);
    for (size_t i = 0; i < json_array_size(texts) && !regex->check->failure; i++)
        try_text(regex, json_string_value(json_array_get(texts, i)), must_match);
}

enum err_code check_regex_candidate(struct candidate_check *check, struct err *err)
{
    static const struct example_member members[] = { { "match", EXAMPLE_TEXTS },
                                                     { "reject", EXAMPLE_TEXTS },
                                                     { "full", EXAMPLE_FLAG } };
    AUTO(regex_check) regex = { .check = check };
    enum err_code r = examples_check(check->examples, members, ARRAY_LENGTH(members), err);
    if (r || !compile(&regex))
        return r;
    prepare(&regex);
    try_texts(&regex, "match", true);
    try_texts(&regex, "reject", false);
    return ERR_NONE;
}
