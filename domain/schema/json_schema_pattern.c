/* Regular expressions of `pattern` and `patternProperties`: ECMA 262 as far as PCRE2 speaks it,
 * under limits, so that no pattern of a foreign schema can keep the processor busy. */
#include "domain/base/buf.h"
#include "domain/schema/json_schema_internal.h"
#include <string.h>

/* PCRE2 knows Unicode categories by their short names only: of data/unicode_categories.txt, whose
 * lines have the long name and the short one. NULL for any other name. */
static const char *find_category(const char *name, size_t length)
{
    const char *line = schema_categories->text;
    while (*line && !(strncmp(line, name, length) == 0 && line[length] == ' ')) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return *line ? line + length + 1 : NULL;
}

/* The name inside \p{…} as PCRE2 knows it; cuts "gc=" off. */
static const char *short_category(const char *name, size_t *length)
{
    static const char *const prefixes[] = { "General_Category=", "gc=" };
    for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++) {
        size_t prefix = strlen(prefixes[i]);
        if (*length > prefix && strncmp(name, prefixes[i], prefix) == 0) {
            name += prefix;
            *length -= prefix;
        }
    }
    const char *found = find_category(name, *length);
    *length = found ? strcspn(found, "\n") : *length;
    return found ? found : name;
}

/* Writes the escape at `at` the way PCRE2 wants it; returns its length, 0 when there is no escape
 * that needs help. */
static size_t append_escape(struct buf *out, const char *at)
{
    bool is_property = at[0] == '\\' && (at[1] == 'p' || at[1] == 'P') && at[2] == '{';
    const char *end = is_property ? strchr(at, '}') : NULL;
    size_t length = end ? (size_t)(end - at) - 3 : 0;
    const char *name = end ? short_category(at + 3, &length) : NULL;
    if (!name || !buf_printf(out, "\\%c{%.*s}", at[1], (int)length, name))
        return 0;
    return (size_t)(end - at) + 1;
}

static bool translate(struct buf *out, const char *pattern)
{
    while (*pattern) {
        size_t size = append_escape(out, pattern);
        if (!size) {
            size = pattern[0] == '\\' && pattern[1] ? 2 : 1;
            if (!buf_append(out, pattern, size))
                return false;
        }
        pattern += size;
    }
    return true;
}

static pcre2_code *compile(const struct buf *text, char *why, size_t why_size)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        abort();
    pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
    uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
                       PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP;
    int number = 0;
    size_t offset = 0;
    pcre2_code *code = pcre2_compile((const unsigned char *)buf_string(text), text->length, options,
                                     &number, &offset, context);
    pcre2_compile_context_free(context);
    if (!code)
        pcre2_get_error_message(number, (unsigned char *)why, why_size);
    return code;
}

enum err_code schema_pattern_compile(struct json_schema *schema, const char *pattern,
                                     pcre2_code **out, struct err *err)
{
    AUTO(buf) text;
    buf_init(&text, JSON_SCHEMA_MAX_PATTERN_BYTES * 2);
    if (strlen(pattern) > JSON_SCHEMA_MAX_PATTERN_BYTES || !translate(&text, pattern))
        return err_set(err, ERR_LIMIT, 0, "a pattern longer than %d bytes",
                       JSON_SCHEMA_MAX_PATTERN_BYTES);
    char why[120] = "";
    pcre2_code *code = compile(&text, why, sizeof why);
    if (!code)
        return err_set(err, ERR_INVALID, 0, "\"%.80s\" is not a regular expression: %s", pattern,
                       why);
    arena_push(&schema->arena, schema->patterns, schema->n_patterns, schema->pattern_capacity);
    schema->patterns[schema->n_patterns - 1] = code;
    *out = code;
    return ERR_NONE;
}

static void matcher_start(struct schema_matcher *matcher)
{
    matcher->context = pcre2_match_context_create(NULL);
    matcher->data = pcre2_match_data_create(1, NULL);
    if (!matcher->context || !matcher->data)
        abort();
    pcre2_set_match_limit(matcher->context, JSON_SCHEMA_MATCH_LIMIT);
    pcre2_set_depth_limit(matcher->context, JSON_SCHEMA_MATCH_DEPTH);
    pcre2_set_heap_limit(matcher->context, JSON_SCHEMA_MATCH_HEAP_KIB);
}

enum schema_match schema_pattern_match(struct schema_matcher *matcher, const pcre2_code *pattern,
                                       const char *bytes, size_t length)
{
    if (!matcher->context)
        matcher_start(matcher);
    int r = pcre2_match(pattern, (const unsigned char *)bytes, length, 0, 0, matcher->data,
                        matcher->context);
    if (r == PCRE2_ERROR_NOMATCH)
        return SCHEMA_NO_MATCH;
    return r >= 0 ? SCHEMA_MATCH : SCHEMA_MATCH_LIMIT;
}

void schema_matcher_finish(struct schema_matcher *matcher)
{
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->context);
}
