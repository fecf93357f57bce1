#include "domain/consensus/candidate.h"
#include "domain/base/json.h"
#include "domain/consensus/candidate_parts.h"
#include <string.h>

#define MAX_DEPTH 16 /* of JSON whose strings are looked at; an answer is not hidden deeper */

static enum candidate_fault fault_of_prose(const char *text, const char *task)
{
    struct span bare = candidate_bare(text);
    if (!bare.length || candidate_is_blank(bare))
        return CANDIDATE_EMPTY;
    if (candidate_is_status_word(bare, task))
        return CANDIDATE_STATUS_WORD;
    if (candidate_is_template(bare))
        return CANDIDATE_TEMPLATE;
    if (candidate_is_gap(bare))
        return CANDIDATE_PLACEHOLDER;
    return candidate_is_echo(bare, task) ? CANDIDATE_ECHO : CANDIDATE_NONE;
}

/* Of the strings within: {"sum":"<NUMBER>"} is as much of a gap as "<NUMBER>" alone. */
static enum candidate_fault fault_within(const json_t *value, unsigned depth)
{
    enum candidate_fault fault = CANDIDATE_NONE;
    const char *key;
    const json_t *member;
    if (json_is_string(value)) {
        struct span bare = candidate_bare(json_string_value(value));
        bool is_template = candidate_is_template(bare);
        return is_template                    ? CANDIDATE_TEMPLATE
               : candidate_is_plain_gap(bare) ? CANDIDATE_PLACEHOLDER
                                              : CANDIDATE_NONE;
    }
    if (depth == MAX_DEPTH)
        return CANDIDATE_NONE;
    for (size_t i = 0; i < json_array_size(value) && !fault; i++)
        fault = fault_within(json_array_get(value, i), depth + 1);
    json_each_member (value, key, member)
        if (!fault)
            fault = fault_within(member, depth + 1);
    return fault;
}

static enum candidate_fault fault_of_json(const char *text, const char *task)
{
    json_t *parsed = NULL;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &parsed, NULL) != ERR_NONE)
        return CANDIDATE_NONE;
    json_auto_t *value = parsed;
    return json_is_string(value) ? fault_of_prose(json_string_value(value), task)
                                 : fault_within(value, 0);
}

/* Brackets belong to it; what a model writes instead of one does not. "..." is a pattern. */
static enum candidate_fault fault_of_regex(const char *text, const char *task)
{
    struct span whole = { text, strlen(text) };
    if (candidate_is_status_word(whole, task))
        return CANDIDATE_STATUS_WORD;
    if (candidate_is_template(whole))
        return CANDIDATE_TEMPLATE;
    if (candidate_is_plain_gap(whole))
        return CANDIDATE_PLACEHOLDER;
    return candidate_is_echo(whole, task) ? CANDIDATE_ECHO : CANDIDATE_NONE;
}

/* No statement is in brackets, and none has no letter; its words are in lower case by now. */
static enum candidate_fault fault_of_sql(const char *text, const char *task)
{
    struct span whole = { text, strlen(text) };
    if (candidate_is_blank(whole))
        return CANDIDATE_EMPTY;
    if (candidate_is_protocol_word(whole))
        return CANDIDATE_STATUS_WORD;
    if (candidate_is_template(whole))
        return CANDIDATE_TEMPLATE;
    if (candidate_is_gap(whole))
        return CANDIDATE_PLACEHOLDER;
    return candidate_is_echo(whole, task) ? CANDIDATE_ECHO : CANDIDATE_NONE;
}

enum candidate_fault candidate_fault(enum canonical_kind kind, const char *canonical,
                                     const char *task)
{
    if (!*canonical)
        return CANDIDATE_EMPTY;
    switch (kind) {
    case CANONICAL_TEXT:
    case CANONICAL_CODE:
        return fault_of_prose(canonical, task);
    case CANONICAL_JSON:
        return fault_of_json(canonical, task);
    case CANONICAL_NUMBER:
        return CANDIDATE_NONE; /* what is a number is none of these */
    case CANONICAL_REGEX:
        return fault_of_regex(canonical, task);
    case CANONICAL_SQL:
        return fault_of_sql(canonical, task);
    }
    return CANDIDATE_NONE;
}

const char *candidate_fault_name(enum candidate_fault fault)
{
#define X(fault, name) [CANDIDATE_##fault] = name,
    static const char *const names[] = { CANDIDATE_FAULTS(X) };
#undef X
    return names[fault];
}

const char *candidate_fault_fix(enum candidate_fault fault)
{
    switch (fault) {
    case CANDIDATE_NONE:
        return "";
    case CANDIDATE_EMPTY:
        return "put the complete final text into final_solution.canonical_text; it was empty";
    case CANDIDATE_PLACEHOLDER:
        return "put the answer itself into final_solution.canonical_text, not a gap in brackets "
               "that stands for it";
    case CANDIDATE_STATUS_WORD:
        return "put the answer itself into final_solution.canonical_text; words such as SOLVED "
               "belong in status";
    case CANDIDATE_TEMPLATE:
        return "put the answer itself into final_solution.canonical_text, not the words of the "
               "template";
    case CANDIDATE_ECHO:
        return "answer the task; final_solution.canonical_text only repeats it";
    }
    return "";
}
