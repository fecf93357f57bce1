/* The rules of candidate.h in their order, for each kind of text. What a gap looks like is in
 * candidate_gap.c. */
#include "domain/consensus/candidate.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 16 /* of JSON whose strings are looked at; an answer is not hidden deeper */
#define MAX_STATUS_BYTES 48 /* a longer text is a sentence */
#define ECHO_MIN_WORDS 2
#define FIRST_IDEOGRAPH 0x2E80 /* from here on, writing puts no blanks between words */

/* Never an answer, however they are written. */
static const char *const protocol_words[] = {
    "NEED_PEER",       "READY_TO_SOLVE", "PLAN_READY",     "NO_CONSENSUS",
    "FINAL_SOLUTION",  "CANONICAL_TEXT", "PUBLIC_MESSAGE", "FINAL_ANSWER",
    "NEEDS_FROM_PEER", "HANDOFF_TO",     "CHANGE_REASON",  "STATUS_SOLVED",
    "CODE_PATCH",      "COMPONENT_SPEC", "FACT_PACK",      "SOURCE_PACK",
};
/* Common words as well: only in capitals or in brackets are they the protocol's. */
static const char *const status_words[] = {
    "WORKING",     "PROPOSED",  "SOLVED",    "CONTACT",   "READY",    "APPROVED", "REVISED",
    "TIE",         "CONSENSUS", "AGREED",    "DONE",      "SUCCESS",  "COMPLETE", "COMPLETED",
    "RESPONSE",    "CREATED",   "CHALLENGE", "INITIATED", "REJECTED", "PENDING",  "FINAL",
    "IN_PROGRESS", "FINISHED",  "OUTLINE",   "RESULTS",   "DATASET",  "ADOPTED",
};
static const char *const template_sentences[] = {
    "required when solved",
    "the complete final text",
    "the complete answer to the task",
    "one short sentence: what is asked",
    "why it is another one",
    "what your peer should do or answer",
    "complete solution text",
    "one concise sentence",
    "one or two short lines",
    "short domain label",
    "your role name",
    "peer role name",
    "0..3 concrete asks",
    "json parse error; please restate or simplify",
    "re-send last artifact in simpler structure",
    "working | need_peer | proposed",
};
#define TEMPLATE_SLACK 48 /* bytes beside the sentence; a longer text is about it */

/* Writes "ready to solve" as "READY_TO_SOLVE". False when it is too long to be a status. */
static bool as_constant(struct span text, char out[static MAX_STATUS_BYTES + 1])
{
    size_t n = 0;
    if (text.length > MAX_STATUS_BYTES)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        if (isalnum(c) || c >= 0x80)
            out[n++] = (char)toupper(c);
        else if (n && out[n - 1] != '_')
            out[n++] = '_';
    }
    if (n && out[n - 1] == '_')
        n--;
    out[n] = '\0';
    return n > 0;
}

/* TURN_1 */
static bool is_turn(const char *constant)
{
    return text_starts_with(constant, "TURN_") && constant[5] &&
           strspn(constant + 5, "0123456789") == strlen(constant + 5);
}

static bool is_loud(struct span text)
{
    for (size_t i = 0; i < text.length; i++)
        if (islower((unsigned char)text.text[i]))
            return *text.text == '[' || memchr(text.text, '_', text.length);
    return true;
}

/* The task names the word, in capitals, as one that may be chosen. */
static bool is_named_in(const char *task, struct span text)
{
    for (const char *at = task; (at = memmem(at, strlen(at), text.text, text.length)); at++) {
        bool begins = at == task || !isalnum((unsigned char)at[-1]);
        if (begins && !isalnum((unsigned char)at[text.length]))
            return true;
    }
    return false;
}

/* A word of the protocol, alone. One that the task names ("answer APPROVED or REJECTED") is an
 * answer. In SQL, which is in lower case by now, it is a status however it is written and whatever
 * the task says. */
static bool is_status_word(struct span text, const char *task, bool is_sql)
{
    char constant[MAX_STATUS_BYTES + 1] = "";
    if (!as_constant(text, constant) || (!is_sql && is_named_in(task, text)))
        return false;
    return is_turn(constant) ||
           text_is_one_of(constant, protocol_words, ARRAY_LENGTH(protocol_words)) ||
           ((is_sql || is_loud(text)) &&
            text_is_one_of(constant, status_words, ARRAY_LENGTH(status_words)));
}

static bool contains(struct span text, const char *sentence)
{
    size_t length = strlen(sentence);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.text + at, sentence, length) == 0)
            return true;
    return false;
}

static bool is_template(struct span text)
{
    for (size_t i = 0; i < ARRAY_LENGTH(template_sentences); i++)
        if (text.length <= strlen(template_sentences[i]) + TEMPLATE_SLACK &&
            contains(text, template_sentences[i]))
            return true;
    return false;
}

/* The next word, of letters and digits; an ideograph is one by itself. Empty at the end. */
static struct span next_word(struct span *left)
{
    struct span word = { 0 };
    while (left->length) {
        uint32_t code = 0;
        size_t size = text_utf8_next(left->text, left->length, &code);
        size = size ? size : 1;
        bool is_letter = code >= 0x80 ? canonical_character(code) == CHARACTER_SEEN &&
                                            (code < 0x2010 || code > 0x206F)
                                      : isalnum((int)code) != 0;
        if (word.length && (!is_letter || code >= FIRST_IDEOGRAPH))
            break;
        if (is_letter && !word.length)
            word.text = left->text;
        word.length += is_letter ? size : 0;
        left->text += size;
        left->length -= size;
        if (is_letter && code >= FIRST_IDEOGRAPH)
            break;
    }
    return word;
}

static bool is_echo(struct span text, struct span asked)
{
    for (size_t n = 0;; n++) {
        struct span a = next_word(&text), b = next_word(&asked);
        if (!a.length && !b.length)
            return n >= ECHO_MIN_WORDS;
        if (a.length != b.length || strncasecmp(a.text, b.text, a.length) != 0)
            return false;
    }
}

/* A regex has brackets of its own, and "..." is one; what a model writes instead of a regex is
 * refused all the same. No SQL statement is in brackets, and its words are in lower case by now. */
static enum candidate_fault fault_of_words(enum canonical_kind kind, struct span text,
                                           const char *task)
{
    bool is_regex = kind == CANONICAL_REGEX;
    if (!text.length || (!is_regex && candidate_is_blank(text)))
        return CANDIDATE_EMPTY;
    if (is_status_word(text, task, kind == CANONICAL_SQL))
        return CANDIDATE_STATUS_WORD;
    if (is_template(text))
        return CANDIDATE_TEMPLATE;
    if (is_regex ? candidate_is_plain_gap(text) : candidate_is_gap(text))
        return CANDIDATE_PLACEHOLDER;
    if ((kind == CANONICAL_CODE && candidate_is_stub(text, task)) ||
        (kind == CANONICAL_SQL && candidate_is_sql_gap(text, task)) ||
        (is_regex && candidate_is_pattern_gap(text, task)))
        return CANDIDATE_PLACEHOLDER;
    if (is_regex && candidate_is_prose(text))
        return CANDIDATE_NON_ANSWER;
    if (is_echo(text, (struct span){ task, strlen(task) }))
        return CANDIDATE_ECHO;
    bool has_signs = is_regex && strpbrk(text.text, "\\[](){}|^$*+");
    if (!has_signs && candidate_says_nothing(text, task))
        return CANDIDATE_NON_ANSWER;
    bool is_prose = kind == CANONICAL_TEXT || kind == CANONICAL_CODE;
    return is_prose && candidate_restates(text, task) ? CANDIDATE_ECHO : CANDIDATE_NONE;
}

bool candidate_has_words_of(const char *text, const char *other)
{
    return is_echo((struct span){ text, strlen(text) }, (struct span){ other, strlen(other) });
}

/* The string in the JSON, if there is nothing else in it; else NULL. */
static const json_t *only_string(const json_t *value, unsigned depth)
{
    const json_t *inner = json_is_array(value) ? json_array_get(value, 0) : NULL;
    const char *key;
    const json_t *member;
    if (json_is_string(value) || depth == MAX_DEPTH)
        return json_is_string(value) ? value : NULL;
    json_each_member (value, key, member)
        inner = member;
    return json_array_size(value) + json_object_size(value) == 1 ? only_string(inner, depth + 1)
                                                                 : NULL;
}

/* Looks at the strings within: {"sum":"<NUMBER>"} is as much of a gap as "<NUMBER>" alone. */
static enum candidate_fault fault_within(const json_t *value, unsigned depth)
{
    enum candidate_fault fault = CANDIDATE_NONE;
    const char *key;
    const json_t *member;
    if (json_is_string(value)) {
        struct span bare = candidate_bare(json_string_value(value));
        if (is_template(bare))
            return CANDIDATE_TEMPLATE;
        return candidate_is_plain_gap(bare) ? CANDIDATE_PLACEHOLDER : CANDIDATE_NONE;
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
    const json_t *only = only_string(value, 0);
    enum candidate_fault fault = json_is_string(value) ? CANDIDATE_NONE : fault_within(value, 0);
    if (fault)
        return fault;
    if (candidate_is_form(value, task))
        return CANDIDATE_PLACEHOLDER;
    if (!only)
        return CANDIDATE_NONE;
    struct span bare = candidate_bare(json_string_value(only));
    if (json_is_string(value))
        return fault_of_words(CANONICAL_TEXT, bare, task);
    return candidate_says_nothing(bare, task) ? CANDIDATE_NON_ANSWER
           : candidate_restates(bare, task)   ? CANDIDATE_ECHO
                                              : CANDIDATE_NONE;
}

enum candidate_fault candidate_fault(enum canonical_kind kind, const char *canonical,
                                     const char *task)
{
    if (!*canonical)
        return CANDIDATE_EMPTY;
    switch (kind) {
    case CANONICAL_CODE:
        if (candidate_is_prose(canonical_trim((struct span){ canonical, strlen(canonical) })))
            return CANDIDATE_NON_ANSWER;
        return fault_of_words(kind, candidate_bare(canonical), task);
    case CANONICAL_TEXT:
        return fault_of_words(kind, candidate_bare(canonical), task);
    case CANONICAL_JSON:
        return fault_of_json(canonical, task);
    case CANONICAL_NUMBER:
        return CANDIDATE_NONE; /* what is a number is none of these */
    case CANONICAL_REGEX:
    case CANONICAL_SQL:
        return fault_of_words(kind, (struct span){ canonical, strlen(canonical) }, task);
    }
    return CANDIDATE_NONE;
}

static const struct {
    const char *name, *fix;
} faults[] = {
#define X(fault, name, fix) [CANDIDATE_##fault] = { name, fix },
    CANDIDATE_FAULTS(X)
#undef X
};

const char *candidate_fault_name(enum candidate_fault fault)
{
    return faults[fault].name;
}

const char *candidate_fault_fix(enum candidate_fault fault)
{
    return faults[fault].fix;
}
