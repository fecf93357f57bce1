#include "application/finding/request_verbs.h"
#include "application/finding/verb_words.h"
#include "application/ports/tool_index.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define LIGHT_REACH 4       /* words between "make" and "a reservation" */
#define BEHIND_REACH 2      /* words between a verb and "nothing" */
#define DESCRIPTION_WORDS 3 /* in which the verb of a tool stands */

/* One clause after the other. */
struct reading {
    struct request_verbs *out;
    struct verb_token *tokens;
    size_t n, capacity;
    bool may_begin;  /* a verb that is a noun as well may stand here */
    bool is_blocked; /* behind an article or a preposition */
    bool is_negated;
    bool is_first;               /* clause of the sentence */
    bool is_asked, is_all_asked; /* the clause, the sentence */
    bool is_value, is_text;      /* the rest of the clause, of the sentence */
    bool says, tells;            /* "write (that)", "remind (to)" */
    bool is_wish;                /* the clause has a person or an unknown verb */
    size_t clause_verbs;         /* of the list, before this clause */
    size_t last;                 /* the token of the last verb */
    size_t light;                /* where the last light verb of the clause stood, plus one */
};

static bool verb_reads(const struct request_verbs *verbs, const char *deed)
{
    return verb_words_say(verbs->words, deed, "@reads");
}

static const char *first_deed(struct arena *arena, const char *deeds)
{
    return arena_strndup(arena, deeds + 1, strcspn(deeds + 1, " "));
}

static void add_verb(struct reading *reading, size_t at)
{
    struct request_verbs *out = reading->out;
    struct verb_token *token = &reading->tokens[at];
    const struct verb_token *last = &reading->tokens[at + token->covers - 1];
    const char *deed = first_deed(out->arena, token->deeds);
    *arena_push(out->arena, out->list, out->n, reading->capacity) = (struct request_verb){
        .deed = deed,
        .deeds = token->deeds,
        .offset = token->offset,
        .length = last->offset + last->length - token->offset,
        .is_negated = reading->is_negated,
        .is_asked = reading->is_asked || reading->is_all_asked,
        .changes = !verb_reads(out, deed),
    };
    reading->last = at;
    reading->says |= verb_has(token, "@says");
    reading->tells |= verb_has(token, "@told");
}

/* "make a reservation": the verb means what the noun says. */
static void add_noun(struct reading *reading, size_t at)
{
    struct request_verbs *out = reading->out;
    struct request_verb *verb = out->n ? &out->list[out->n - 1] : NULL;
    const struct verb_token *token = &reading->tokens[at];
    if (!reading->light || at + 1 - reading->light > LIGHT_REACH || !verb_has(token, "@noun"))
        return;
    if (reading->tokens[reading->light - 1].deeds && verb)
        verb->deeds = arena_printf(out->arena, "%s%s", verb->deeds, token->deeds + 1);
    else
        add_verb(reading, at);
    reading->light = 0;
}

/* "lösche nichts", "efface pas", "die Datei bitte nicht löschen": the verb may stand before it. An
 * article before it makes it part of a noun ("the not yet paid bills"). */
static void negate(struct reading *reading, size_t at)
{
    struct request_verbs *out = reading->out;
    bool is_behind = verb_has(&reading->tokens[at], "@not_behind");
    if (at && verb_has(&reading->tokens[at - 1], "@article @preposition"))
        return;
    bool has_negation = reading->is_negated;
    reading->is_negated = true;
    reading->may_begin = true;
    if (!is_behind || has_negation || out->n == reading->clause_verbs)
        return;
    const struct verb_token *verb = &reading->tokens[reading->last];
    bool is_last = at + 1 == reading->n || reading->tokens[at].ends ||
                   verb_has(&reading->tokens[at + 1], "@and") || verb->part == at + 1;
    if (is_last || at - reading->last - verb->covers + 1 <= BEHIND_REACH)
        out->list[out->n - 1].is_negated = true;
}

/* What the clause before was is noted: a question counts as one at the head of a sentence or with
 * its mark. */
static void begin_clause(struct reading *reading, char ends)
{
    struct request_verbs *out = reading->out;
    bool is_sentence = ends == '.' || ends == '?';
    bool is_asked = reading->is_asked || reading->is_all_asked;
    bool has_verb = out->n > reading->clause_verbs;
    out->is_question |= is_asked && (reading->is_first || ends == '?');
    out->is_open |= reading->is_wish && !has_verb && !is_asked && !reading->is_text;
    *reading = (struct reading){
        .out = out,
        .tokens = reading->tokens,
        .n = reading->n,
        .capacity = reading->capacity,
        .may_begin = true,
        .is_first = is_sentence,
        .is_all_asked = reading->is_all_asked && !is_sentence,
        .is_text = !is_sentence && (reading->is_text || (ends == ':' && reading->says)),
        .says = reading->says && !is_sentence,
        .tells = reading->tells && !is_sentence,
        .clause_verbs = out->n,
        .last = reading->last,
    };
}

/* A word that may be a verb no file knows: "tidy it up", "handle the invoice". */
static bool may_be_verb(const struct reading *reading, size_t at)
{
    const struct verb_token *token = &reading->tokens[at];
    return reading->may_begin && !token->is_value && !token->covers && at + 1 < reading->n &&
           !token->ends && verb_has(token + 1, "@article @pronoun @preposition");
}

/* What the word is beside a verb. */
static void take_marks(struct reading *reading, size_t at)
{
    const struct verb_token *token = &reading->tokens[at];
    bool begins = reading->may_begin || token->covers > 1;
    bool is_lead = verb_has(token, "@lead") && reading->may_begin; /* "first delete it" */
    bool is_article = verb_has(token, "@article @preposition") && !is_lead;
    bool begins_text = (verb_has(token, "@that") && (reading->says || reading->tells)) ||
                       (verb_has(token, "@to") && reading->tells) || verb_has(token, "@text");
    reading->is_wish |=
        may_be_verb(reading, at) || (reading->may_begin && verb_has(token, "@person"));
    reading->is_asked |= (begins && verb_has(token, "@question"));
    reading->is_all_asked |= (begins && verb_has(token, "@whole_question"));
    reading->is_value |= verb_has(token, "@value");
    reading->is_text |= begins_text;
    reading->is_blocked = is_article && !verb_has(token, "@pronoun"); /* French "le supprimer" */
    reading->may_begin =
        verb_has(token, "@lead @and @question @whole_question @pronoun") && !is_article;
    if (verb_has(token, "@not @not_behind"))
        negate(reading, at);
    if (verb_has(token, "@light"))
        reading->light = at + 1;
}

/* "Group A and Group B": a capital within a sentence makes a word that may be a noun one. */
static bool is_noun(const struct reading *reading, size_t at)
{
    const struct verb_token *token = &reading->tokens[at];
    bool is_within = at && (!token[-1].ends || token[-1].ends == ',');
    bool is_capital =
        isupper((unsigned char)token->said[0]) && islower((unsigned char)token->said[1]);
    return verb_has(token, "@noun") && (!reading->may_begin || (is_within && is_capital));
}

static void take_token(struct reading *reading, size_t at)
{
    struct verb_token *token = &reading->tokens[at];
    if (reading->is_text || reading->is_value)
        return;
    if (token->deeds && !reading->is_blocked && !is_noun(reading, at)) {
        add_verb(reading, at);
        reading->light = verb_has(token, "@light") ? at + 1 : 0;
        reading->may_begin = reading->is_blocked = false;
        return;
    }
    if (token->deeds)
        add_noun(reading, at);
    take_marks(reading, at);
}

static void read_all(struct reading *reading)
{
    begin_clause(reading, '.');
    for (size_t at = 0; at < reading->n;) {
        struct verb_token *token = &reading->tokens[at];
        bool joins = verb_has(token, "@and");
        bool keeps_negation = reading->is_negated && verb_has(token, "@or");
        if (joins && !(reading->is_text && !verb_has(token, "@then")))
            begin_clause(reading, verb_has(token, "@then") ? '.' : ',');
        reading->is_negated = reading->is_negated || keeps_negation;
        token->is_negated = reading->is_negated;
        take_token(reading, at);
        size_t end = at + (token->covers ? token->covers : 1);
        for (; at < end; at++)
            if (reading->tokens[at].ends)
                begin_clause(reading, reading->tokens[at].ends);
    }
    begin_clause(reading, '.');
}

enum err_code request_verbs_read(struct arena *arena, struct assets *assets, const char *text,
                                 struct request_verbs *out, struct err *err)
{
    struct verb_text *split = arena_new(arena, struct verb_text);
    *out = (struct request_verbs){ .arena = arena, .text = split };
    enum err_code r = word_folder_read(assets, REQUEST_VERBS_FOLDER, &out->words, err);
    *split = verb_text_split(arena, text, /* identifiers */ false);
    if (r)
        return r;
    verb_words_find(arena, out->words, NULL, /* is_tool */ false, split);
    out->n_words = split->n;
    struct reading reading = { .out = out, .tokens = split->tokens, .n = split->n };
    read_all(&reading);
    return ERR_NONE;
}

bool request_verbs_mark(const struct request_verbs *verbs, size_t offset, const char *marks)
{
    for (size_t i = 0; i < verbs->text->n && verbs->text->tokens[i].offset <= offset; i++) {
        const struct verb_token *token = &verbs->text->tokens[i];
        const struct verb_token *last = token + (token->covers ? token->covers - 1 : 0);
        if (offset < last->offset + last->length && verb_has(token, marks))
            return true;
    }
    return false;
}

/* What a tool does, by its verb. */
struct tool_verb {
    const char *deeds; /* " create comment ": with the noun behind a light verb; NULL: not known */
    const char *deed;  /* the first; "" when not known */
    bool is_noun;      /* the word may be one: "git_log" */
};

/* The first verb that is no noun, else the first of all. */
static struct tool_verb verb_in(const struct request_verbs *verbs, const char *said, size_t max)
{
    struct verb_text text = verb_text_split(verbs->arena, said, /* identifiers */ true);
    size_t n = text.n < max ? text.n : max, found = n;
    verb_words_find(verbs->arena, verbs->words, TOOL_INDEX_ENGLISH, /* is_tool */ true, &text);
    for (size_t i = n; i-- > 0;) {
        const struct verb_token *token = &text.tokens[i];
        bool is_noun = verb_has(token, "@noun");
        bool is_blocked = i && verb_has(token - 1, "@article @preposition");
        if (token->deeds && !is_blocked &&
            (found == n || !is_noun || verb_has(&text.tokens[found], "@noun")))
            found = i;
    }
    const struct verb_token *verb = &text.tokens[found];
    if (found == n)
        return (struct tool_verb){ .deed = "" };
    struct tool_verb out = { .deed = first_deed(verbs->arena, verb->deeds) };
    out.deeds = arena_printf(verbs->arena, " %s ", out.deed);
    out.is_noun = verb_has(verb, "@noun");
    for (size_t i = found + 1; i < n && verb_has(verb, "@light") && !verb_reads(verbs, out.deed);
         i++) {
        bool is_noun = text.tokens[i].deeds && verb_has(&text.tokens[i], "@noun");
        const char *deed = is_noun ? first_deed(verbs->arena, text.tokens[i].deeds) : NULL;
        if (deed && !verb_reads(verbs, deed))
            out.deeds = arena_printf(verbs->arena, "%s%s ", out.deeds, deed);
    }
    return out;
}

static struct tool_verb verb_of(const struct request_verbs *verbs, const struct tool *tool)
{
    struct tool_verb verb = verb_in(verbs, tool->name, SIZE_MAX);
    if (!verb.deeds && tool->title)
        verb = verb_in(verbs, tool->title, SIZE_MAX);
    if (!verb.deeds && tool->description)
        verb = verb_in(verbs, tool->description, DESCRIPTION_WORDS);
    return verb;
}

/* "Post a message …", but neither "Type, size and …" nor "Returns …"; NULL for none. */
static const char *deed_told(const struct request_verbs *verbs, const char *said)
{
    struct verb_text text = verb_text_split(verbs->arena, said ? said : "", false);
    verb_words_find(verbs->arena, verbs->words, TOOL_INDEX_ENGLISH, /* is_tool */ true, &text);
    const struct verb_token *first = text.n ? &text.tokens[0] : NULL;
    bool is_verb =
        first && first->deeds && !first->ends && !text_starts_with(first->plain, "return");
    return is_verb ? first_deed(verbs->arena, first->deeds) : NULL;
}

bool request_verbs_tool_changes(const struct request_verbs *verbs, const struct tool *tool)
{
    struct tool_verb named = verb_in(verbs, tool->name, SIZE_MAX);
    const char *titled = deed_told(verbs, tool->title);
    const char *told = deed_told(verbs, tool->description);
    if (tool->read_only == HINT_YES)
        return false;
    if (named.deeds && !named.is_noun) /* "add" may be "Adds two numbers" */
        return !verb_reads(verbs, named.deed) && !text_equal(told, "calculate");
    return tool->destructive == HINT_YES || (titled && !verb_reads(verbs, titled)) ||
           (told && !verb_reads(verbs, told));
}

bool request_verbs_is_deed_of(const struct request_verbs *verbs, const struct request_verb *verb,
                              const struct tool *tool)
{
    return text_equal(verb_of(verbs, tool).deed, verb->deed);
}

bool request_verbs_may_make(const struct request_verbs *verbs, const struct request_verb *verb,
                            const struct tool *tool)
{
    static const char making[] = " create add set ";
    const char *deed = verb_of(verbs, tool).deed;
    return *deed && text_is_listed(making, deed, strlen(deed)) &&
           text_is_listed(verb->deeds, deed, strlen(deed));
}

static bool shares_deed(const char *a, const char *b)
{
    for (const char *at = a; *at && at[1]; at += 1 + strcspn(at + 1, " "))
        if (text_is_listed(b, at + 1, strcspn(at + 1, " ")))
            return true;
    return false;
}

static bool is_opposite(const struct request_verbs *verbs, const char *deed, const char *other)
{
    const char *of_deed = arena_printf(verbs->arena, "!%s", other);
    const char *of_other = arena_printf(verbs->arena, "!%s", deed);
    return verb_words_say(verbs->words, deed, of_deed) ||
           verb_words_say(verbs->words, other, of_other);
}

/* Whether the request has the tool's name, or where its verb is unknown the first word of it. */
static enum verb_fit fit_by_words(const struct request_verbs *verbs, const struct tool *tool,
                                  bool is_known)
{
    struct verb_text name = verb_text_split(verbs->arena, tool->name, /* identifiers */ true);
    const char *first = name.n && !is_known ? name.tokens[0].plain : NULL;
    enum verb_fit fit = VERB_UNSAID;
    for (size_t i = 0; i < verbs->text->n && fit != VERB_MEANT; i++) {
        const struct verb_token *token = &verbs->text->tokens[i];
        bool is_name = strcmp(token->said, tool->name) == 0;
        if (is_name ||
            (first && (text_equal(token->plain, first) || verb_is_form(token->plain, first, true))))
            fit = token->is_negated ? VERB_NEGATED : VERB_MEANT;
    }
    return fit;
}

enum verb_fit request_verbs_fit(const struct request_verbs *verbs, const struct tool *tool)
{
    struct tool_verb does = verb_of(verbs, tool);
    bool is_other = false, is_opposed = false;
    enum verb_fit fit = fit_by_words(verbs, tool, /* is_known */ does.deeds != NULL);
    bool is_negated = fit == VERB_NEGATED, does_read = verb_reads(verbs, does.deed);
    for (size_t i = 0; i < verbs->n && fit != VERB_MEANT; i++) {
        const struct request_verb *verb = &verbs->list[i];
        bool is_said = !verb->is_negated && (!verb->is_asked || !verb->changes);
        if (does.deeds && is_said && (!verb->is_asked || does_read) &&
            shares_deed(does.deeds, verb->deeds))
            fit = VERB_MEANT;
        is_negated = is_negated || (verb->is_negated && does.deeds &&
                                    text_is_listed(does.deeds, verb->deed, strlen(verb->deed)));
        is_opposed = is_opposed || (is_said && is_opposite(verbs, does.deed, verb->deed));
        is_other = is_other || is_said;
    }
    return fit == VERB_MEANT ? VERB_MEANT
           : is_negated      ? VERB_NEGATED
           : is_opposed      ? VERB_OPPOSITE
           : is_other        ? VERB_OTHER
                             : VERB_UNSAID;
}

const char *request_verbs_objection(const struct request_verbs *verbs, const struct tool *tool)
{
    enum verb_fit fit = request_verbs_fit(verbs, tool);
    bool is_reading = verbs->is_question, is_changing = verbs->is_open;
    for (size_t i = 0; i < verbs->n; i++) {
        const struct request_verb *verb = &verbs->list[i];
        is_reading = is_reading || (!verb->changes && !verb->is_negated);
        is_changing = is_changing || (verb->changes && !verb->is_negated && !verb->is_asked);
    }
    if (fit == VERB_NEGATED)
        return "the request says not to do this";
    if (fit == VERB_OPPOSITE)
        return "the request asks for the opposite";
    return fit != VERB_MEANT && is_reading && !is_changing &&
                   request_verbs_tool_changes(verbs, tool)
               ? "the request only reads or asks, and this changes something"
               : NULL;
}
