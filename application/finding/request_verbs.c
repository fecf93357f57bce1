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
    bool is_asked, is_all_asked; /* the clause, the sentence */
    bool is_value, is_text;      /* the rest of the clause, of the sentence */
    bool says, tells;            /* "write (that)", "remind (to)" */
    bool is_wish;                /* the clause has a person or an unknown verb */
    size_t clause_verbs;         /* of the list, before this clause */
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
    token->is_verb = true;
    reading->says = reading->says || (token->marks & MARK_SAYS);
    reading->tells = reading->tells || (token->marks & MARK_TOLD);
}

/* "make a reservation": the verb means what the noun says. */
static void add_noun(struct reading *reading, size_t at)
{
    struct request_verbs *out = reading->out;
    struct request_verb *verb = out->n ? &out->list[out->n - 1] : NULL;
    const struct verb_token *token = &reading->tokens[at];
    if (!reading->light || at + 1 - reading->light > LIGHT_REACH || !(token->marks & MARK_NOUN))
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
    bool is_behind = reading->tokens[at].marks & MARK_NOT_BEHIND;
    if (at && (reading->tokens[at - 1].marks & (MARK_ARTICLE | MARK_PREPOSITION)))
        return;
    bool has_negation = reading->is_negated;
    reading->is_negated = true;
    reading->may_begin = true;
    if (!is_behind || has_negation || out->n == reading->clause_verbs)
        return;
    size_t from = 0;
    while (!reading->tokens[from].is_verb ||
           reading->tokens[from].offset != out->list[out->n - 1].offset)
        from++;
    const struct verb_token *verb = &reading->tokens[from];
    bool is_last = at + 1 == reading->n || reading->tokens[at].ends ||
                   (reading->tokens[at + 1].marks & MARK_AND) || verb->part == at + 1;
    if (is_last || at - from - verb->covers + 1 <= BEHIND_REACH)
        out->list[out->n - 1].is_negated = true;
}

static void begin_clause(struct reading *reading, char ends)
{
    bool is_open = reading->is_wish && reading->out->n == reading->clause_verbs &&
                   !reading->is_asked && !reading->is_all_asked && !reading->is_text;
    reading->out->is_open = reading->out->is_open || is_open;
    reading->is_text = ends != '.' && (reading->is_text || (ends == ':' && reading->says));
    reading->is_all_asked = reading->is_all_asked && ends != '.';
    reading->says = reading->says && ends != '.';
    reading->tells = reading->tells && ends != '.';
    reading->is_value = reading->is_asked = reading->is_negated = reading->is_blocked = false;
    reading->is_wish = false;
    reading->may_begin = true;
    reading->light = 0;
    reading->clause_verbs = reading->out->n;
}

/* A word that may be a verb no file knows: "tidy it up", "handle the invoice". */
static bool may_be_verb(const struct reading *reading, size_t at)
{
    const struct verb_token *token = &reading->tokens[at];
    unsigned behind = at + 1 < reading->n && !token->ends ? reading->tokens[at + 1].marks : 0;
    unsigned noun_parts = MARK_ARTICLE | MARK_PRONOUN | MARK_PREPOSITION;
    return reading->may_begin && !token->is_value && !token->covers && (behind & noun_parts);
}

/* What the word is beside a verb. */
static void take_marks(struct reading *reading, size_t at)
{
    const struct verb_token *token = &reading->tokens[at];
    unsigned marks = token->marks;
    bool begins = reading->may_begin || token->covers > 1;
    bool is_article = marks & (MARK_ARTICLE | MARK_PREPOSITION);
    bool begins_text = ((marks & MARK_THAT) && (reading->says || reading->tells)) ||
                       ((marks & MARK_TO) && reading->tells) || (marks & MARK_TEXT);
    reading->is_wish = reading->is_wish || may_be_verb(reading, at) ||
                       ((marks & MARK_PERSON) && reading->may_begin);
    reading->is_asked = reading->is_asked || (begins && (marks & MARK_QUESTION));
    reading->is_all_asked = reading->is_all_asked || (begins && (marks & MARK_WHOLE_QUESTION));
    reading->is_value = reading->is_value || (marks & MARK_VALUE);
    reading->is_text = reading->is_text || begins_text;
    reading->is_blocked = is_article && !(marks & MARK_PRONOUN); /* French "le supprimer" */
    reading->may_begin =
        (marks & (MARK_LEAD | MARK_AND | MARK_QUESTION | MARK_WHOLE_QUESTION | MARK_PRONOUN)) &&
        !is_article;
    if (marks & (MARK_NOT | MARK_NOT_BEHIND))
        negate(reading, at);
    if (marks & MARK_LIGHT)
        reading->light = at + 1;
}

static void take_token(struct reading *reading, size_t at)
{
    struct verb_token *token = &reading->tokens[at];
    bool is_noun = (token->marks & MARK_NOUN) && !reading->may_begin;
    if (reading->is_text || reading->is_value)
        return;
    if (token->deeds && !reading->is_blocked && !is_noun) {
        add_verb(reading, at);
        reading->light = token->marks & MARK_LIGHT ? at + 1 : 0;
        reading->may_begin = reading->is_blocked = false;
        return;
    }
    if (token->deeds)
        add_noun(reading, at);
    take_marks(reading, at);
}

static void read_all(struct reading *reading)
{
    struct request_verbs *out = reading->out;
    begin_clause(reading, '.');
    for (size_t at = 0; at < reading->n;) {
        struct verb_token *token = &reading->tokens[at];
        bool joins = token->marks & MARK_AND;
        bool keeps_negation = reading->is_negated && (token->marks & MARK_OR);
        if (joins && !(reading->is_text && !(token->marks & MARK_THEN)))
            begin_clause(reading, token->marks & MARK_THEN ? '.' : ',');
        reading->is_negated = reading->is_negated || keeps_negation;
        token->is_negated = reading->is_negated;
        take_token(reading, at);
        out->is_question = out->is_question || reading->is_asked || reading->is_all_asked;
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
    enum err_code r = verb_words_load(arena, assets, &out->words, err);
    *split = verb_text_split(arena, text, /* identifiers */ false);
    if (r)
        return r;
    verb_words_find(arena, out->words, NULL, /* is_tool */ false, split);
    struct reading reading = { .out = out, .tokens = split->tokens, .n = split->n };
    read_all(&reading);
    return ERR_NONE;
}

/* What a name or the beginning of a description says that the tool does, " create comment ": the
 * first verb that is no noun, else the first of all, with the noun behind a light one. NULL: it has
 * no known verb. */
static const char *deeds_in(const struct request_verbs *verbs, const char *said, size_t max)
{
    struct verb_text text = verb_text_split(verbs->arena, said, /* identifiers */ true);
    size_t n = text.n < max ? text.n : max, found = n;
    verb_words_find(verbs->arena, verbs->words, TOOL_INDEX_ENGLISH,
                    /* is_tool */ true, &text);
    for (size_t i = n; i-- > 0;) {
        bool is_noun = text.tokens[i].marks & MARK_NOUN;
        bool is_blocked = i && (text.tokens[i - 1].marks & (MARK_ARTICLE | MARK_PREPOSITION));
        if (text.tokens[i].deeds && !is_blocked &&
            (found == n || !is_noun || (text.tokens[found].marks & MARK_NOUN)))
            found = i;
    }
    if (found == n)
        return NULL;
    const char *deeds =
        arena_printf(verbs->arena, " %s ", first_deed(verbs->arena, text.tokens[found].deeds));
    for (size_t i = found + 1; i < n && (text.tokens[found].marks & MARK_LIGHT); i++) {
        bool is_noun = text.tokens[i].deeds && (text.tokens[i].marks & MARK_NOUN);
        const char *deed = is_noun ? first_deed(verbs->arena, text.tokens[i].deeds) : NULL;
        if (deed && !verb_reads(verbs, deed))
            deeds = arena_printf(verbs->arena, "%s%s ", deeds, deed);
    }
    return deeds;
}

static const char *deeds_of(const struct request_verbs *verbs, const struct tool *tool)
{
    const char *deeds = deeds_in(verbs, tool->name, SIZE_MAX);
    if (!deeds && tool->title)
        deeds = deeds_in(verbs, tool->title, SIZE_MAX);
    if (!deeds && tool->description)
        deeds = deeds_in(verbs, tool->description, DESCRIPTION_WORDS);
    return deeds;
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
    const char *deeds = deeds_of(verbs, tool);
    bool is_other = false, is_opposed = false;
    enum verb_fit fit = fit_by_words(verbs, tool, /* is_known */ deeds != NULL);
    bool is_negated = fit == VERB_NEGATED;
    if (fit == VERB_MEANT)
        return fit;
    const char *deed = deeds ? first_deed(verbs->arena, deeds) : "";
    for (size_t i = 0; i < verbs->n; i++) {
        const struct request_verb *verb = &verbs->list[i];
        bool is_same = deeds && shares_deed(deeds, verb->deeds);
        bool is_said = !verb->is_negated && (!verb->is_asked || !verb->changes);
        if (is_same && is_said && (!verb->is_asked || verb_reads(verbs, deed)))
            return VERB_MEANT;
        is_negated = is_negated || (verb->is_negated && deeds &&
                                    text_is_listed(deeds, verb->deed, strlen(verb->deed)));
        is_opposed = is_opposed || (is_said && is_opposite(verbs, deed, verb->deed));
        is_other = is_other || is_said;
    }
    return is_negated   ? VERB_NEGATED
           : is_opposed ? VERB_OPPOSITE
           : is_other   ? VERB_OTHER
                        : VERB_UNSAID;
}

bool request_verbs_forbid(const struct request_verbs *verbs, const struct tool *tool)
{
    enum verb_fit fit = request_verbs_fit(verbs, tool);
    const char *deeds = deeds_of(verbs, tool);
    bool is_reading = verbs->is_question, is_changing = verbs->is_open;
    if (fit == VERB_MEANT || fit == VERB_NEGATED || fit == VERB_OPPOSITE)
        return fit != VERB_MEANT;
    for (size_t i = 0; i < verbs->n; i++) {
        const struct request_verb *verb = &verbs->list[i];
        is_reading = is_reading || (!verb->changes && !verb->is_negated);
        is_changing = is_changing || (verb->changes && !verb->is_negated && !verb->is_asked);
    }
    return is_reading && !is_changing && deeds &&
           !verb_reads(verbs, first_deed(verbs->arena, deeds));
}
