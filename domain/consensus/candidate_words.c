/* Words of the protocol, sentences of the template, and the task said back. */
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/consensus/candidate_parts.h"
#include <ctype.h>
#include <string.h>

#define MAX_STATUS_BYTES 48 /* beyond that it is a sentence */
#define ECHO_MIN_WORDS 2
#define FIRST_IDEOGRAPH 0x2E80 /* from here on, writing puts no blanks between words */

/* Nobody's answer, however they are written. */
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
#define TEMPLATE_SLACK 48 /* bytes besides the sentence; with more, somebody writes about it */

/* "ready to solve" as "READY_TO_SOLVE". False: too long to be a status. */
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

bool candidate_is_status_word(struct span text, const char *task)
{
    char constant[MAX_STATUS_BYTES + 1] = "";
    if (!as_constant(text, constant) || is_named_in(task, text))
        return false;
    if (is_turn(constant) || text_is_one_of(constant, protocol_words, ARRAY_LENGTH(protocol_words)))
        return true;
    return is_loud(text) && text_is_one_of(constant, status_words, ARRAY_LENGTH(status_words));
}

bool candidate_is_protocol_word(struct span text)
{
    char constant[MAX_STATUS_BYTES + 1] = "";
    return as_constant(text, constant) &&
           (is_turn(constant) ||
            text_is_one_of(constant, protocol_words, ARRAY_LENGTH(protocol_words)) ||
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

bool candidate_is_template(struct span text)
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

bool candidate_is_echo(struct span text, const char *task)
{
    struct span asked = { task, strlen(task) };
    for (size_t n = 0;; n++) {
        struct span a = next_word(&text), b = next_word(&asked);
        if (!a.length && !b.length)
            return n >= ECHO_MIN_WORDS;
        if (a.length != b.length || strncasecmp(a.text, b.text, a.length) != 0)
            return false;
    }
}
