/* A label is a word that says which parameter the words behind it are for: its name behind "with"
 * or "and" or before a colon, or a participle such as "titled". Free text goes on to the next label
 * or the end of the request; other text ends with its phrase. */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/text.h"
#include <string.h>

#define SHORT_SEGMENT 5 /* words between two commas that are about another parameter */

struct label {
    struct parameter *parameter;
    size_t at, value; /* its first token, and the first of the value */
};

struct labels {
    struct label *list;
    size_t n, capacity;
};

/* Words that say what they lead to, and the names that parameters have for it. */
static const struct {
    const char *word, *names;
} naming[] = {
    { "titled", " title name subject " },
    { "entitled", " title name " },
    { "called", " name title label " },
    { "named", " name title label " },
    { "saying", " text message body content comment " },
    { "says", " text message body content comment " },
    { "because", " reason " },
    { "without", " exclude excluded " },
    { "excluding", " exclude excluded " },
    { "assigned", " assignee " },
    { "for", " assignee " },
    { "tagged", " tags labels tag " },
};

static const char joints[] = " and with the a an as set its of ";
static const char introducing[] = " with and set as using in on to for of ";
static const char links[] = " of is as to that named called be ";
static const char phrase_ends[] =
    " in on from by at with and under for to into about before until after that which using "
    "within since over ";

static bool is_text(const struct parameter *parameter)
{
    bool is_string = parameter->type == PARAMETER_STRING || parameter->type == PARAMETER_STRINGS;
    return is_string && !parameter->value && !parameter->wants_id && !parameter->wants_date &&
           !parameter->wants_time && !parameter->wants_sql && !parameter->wants_link &&
           !parameter->wants_path && !json_object_get(parameter->schema, "enum") &&
           !json_object_get(parameter->schema, "format");
}

/* What a colon or "that" leads to when it names no parameter: the text that the tool is about. */
static struct parameter *main_text(const struct lexical_filling *filling, bool whole_texts)
{
    for (size_t pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < filling->n; i++) {
            struct parameter *parameter = &filling->parameters[i];
            if (is_text(parameter) && parameter->wants_text == whole_texts &&
                parameter->required == (pass != 1) && !parameter->wants_email &&
                !parameter->wants_place &&
                (pass == 2 || !lexical_is_called(parameter, " subject ")) &&
                (whole_texts || parameter->wants_term ||
                 lexical_is_called(parameter, " title task item ")))
                return parameter;
        }
    return NULL;
}

static bool named_by_participle(const struct lexical_filling *filling,
                                const struct lexical_token *token, struct parameter **out)
{
    for (size_t n = 0; n < ARRAY_LENGTH(naming); n++)
        for (size_t i = 0; strcmp(naming[n].word, token->english) == 0 && i < filling->n; i++)
            if (is_text(&filling->parameters[i]) &&
                lexical_is_called(&filling->parameters[i], naming[n].names)) {
                *out = &filling->parameters[i];
                return true;
            }
    return false;
}

/* The name's last word says what the value is: "page_title". */
static bool named_by_name(const struct lexical_filling *filling, const struct lexical_token *token,
                          struct parameter **out)
{
    for (size_t i = 0; i < filling->n; i++) {
        const struct lexical_text *name = &filling->parameters[i].name_words;
        if (name->n && !token->is_number && lexical_same_word(&name->tokens[name->n - 1], token)) {
            *out = &filling->parameters[i];
            return true;
        }
    }
    return false;
}

/* "with subject", "and the text", "subject:", "text “…”". */
static bool is_introduced(const struct lexical_filling *filling, size_t i)
{
    const struct lexical_token *next = lexical_word(filling, i + 1);
    if (next->before == ':' || next->before == '=' || next->kind == LEXICAL_QUOTED)
        return true;
    if (lexical_word(filling, i)->before == ',' || lexical_word(filling, i)->before == ';')
        return true;
    if (strpbrk(next->text, "-_0123456789") && !next->before && !next->is_number)
        return true;
    while (i && (lexical_says(filling, i - 1, "the") || lexical_says(filling, i - 1, "a")))
        i--;
    return i && lexical_listed(introducing, lexical_word(filling, i - 1)->english);
}

/* Whatever it is called, there is one free text: "text" for a body or a content. */
static struct parameter *named_by_synonym(const struct lexical_filling *filling,
                                          const struct lexical_token *token)
{
    static const char texts[] = " text body message content comment note ";
    return lexical_listed(texts, token->english) ? main_text(filling, true) : NULL;
}

static bool read_label(const struct lexical_filling *filling, size_t i, struct label *out)
{
    const struct lexical_token *token = lexical_word(filling, i);
    *out = (struct label){ .at = i, .value = i + 1 };
    if (token->kind != LEXICAL_WORD || filling->used[i])
        return false;
    bool is_led = is_introduced(filling, i);
    bool is_named = named_by_participle(filling, token, &out->parameter) ||
                    (is_led && named_by_name(filling, token, &out->parameter));
    if (!is_named && is_led)
        out->parameter = named_by_synonym(filling, token);
    const struct lexical_token *next = lexical_word(filling, i + 1);
    out->value += lexical_listed(links, next->english) && next->kind == LEXICAL_WORD;
    return out->parameter && out->value < filling->request.n;
}

static struct labels find_labels(const struct lexical_filling *filling)
{
    struct labels labels = { 0 };
    struct label label;
    for (size_t i = 0; i < filling->request.n; i++)
        if (read_label(filling, i, &label)) {
            *arena_push(filling->arena, labels.list, labels.n, labels.capacity) = label;
            i = label.value - 1;
        }
    return labels;
}

/* Whether the words between two commas are about another parameter: ", high priority". */
static bool is_about_another(const struct lexical_filling *filling,
                             const struct parameter *parameter, size_t first, size_t end)
{
    size_t last = first + 1;
    while (last < end && !lexical_word(filling, last)->before)
        last++;
    if (last - first > SHORT_SEGMENT)
        return false;
    for (size_t i = first; i < last; i++)
        for (size_t p = 0; p < filling->n; p++)
            if (&filling->parameters[p] != parameter &&
                (filling->used[i] || filling->led[i] ||
                 lexical_names(&filling->parameters[p], lexical_word(filling, i))))
                return true;
    return false;
}

/* Whether a parameter that has no value yet is made for the mention. */
static bool is_for_another(const struct lexical_filling *filling, const struct parameter *parameter,
                           const struct mention *mention)
{
    bool is_path = mention->kind == MENTION_PATH;
    bool is_day = mention->kind == MENTION_DATE || mention->kind == MENTION_TIME;
    for (size_t p = 0; p < filling->n; p++) {
        const struct parameter *other = &filling->parameters[p];
        if (other == parameter || other->value)
            continue;
        if (is_day ? other->wants_date || other->wants_time
                   : mention->kind != MENTION_TERM && lexical_is_made_for(other, mention))
            return true;
        if (is_path && other->required && !other->wants_text)
            return true;
    }
    return false;
}

/* A path, an address or a day behind a preposition belongs to a parameter that is made for it. */
static size_t without_mentions(const struct lexical_filling *filling,
                               const struct parameter *parameter, size_t first, size_t end)
{
    for (size_t m = 0; m < filling->mentions.n; m++) {
        const struct mention *mention = &filling->mentions.list[m];
        size_t lead = mention->first - (*mention->lead != '\0');
        bool is_loose = *mention->lead || mention->is_relative;
        if (lead > first && lead < end && is_loose && is_for_another(filling, parameter, mention))
            end = lead;
    }
    return end;
}

static bool ends_phrase(const struct lexical_filling *filling, size_t i)
{
    /* "de" and "di" stand within names as well: "botas de montaña". */
    static const char inner[] = " de d du des del di della dei ";
    const struct lexical_token *token = lexical_word(filling, i);
    /* What a German verb leaves at the end. */
    static const char particles[] = " hinzu an auf ab ein aus um zuruck weg vor ";
    if (lexical_listed(inner, token->lower))
        return false;
    if (i + 1 == filling->request.n && lexical_listed(particles, token->lower))
        return true;
    bool is_cut = token->before && !strchr("&+/", token->before);
    return is_cut || filling->used[i] || filling->led[i] ||
           (token->kind == LEXICAL_WORD && lexical_listed(phrase_ends, token->english));
}

/* Names and search words end with their phrase, titles where something else was read. */
static size_t short_end(const struct lexical_filling *filling, const struct parameter *parameter,
                        size_t first, size_t end)
{
    bool is_title = lexical_is_called(parameter, " title task ");
    for (size_t i = first + 1; i < end; i++)
        if (is_title ? filling->used[i] || filling->led[i] : ends_phrase(filling, i))
            return i;
    return end;
}

static size_t text_end(const struct lexical_filling *filling, const struct parameter *parameter,
                       size_t first, size_t end)
{
    if (lexical_word(filling, first)->kind == LEXICAL_QUOTED)
        return first + 1;
    for (size_t i = first + 1; i < end; i++)
        if ((lexical_word(filling, i)->before == ',' || lexical_word(filling, i)->before == ';') &&
            is_about_another(filling, parameter, i, end))
            end = i;
    if (!parameter->wants_text)
        end =
            without_mentions(filling, parameter, first, short_end(filling, parameter, first, end));
    while (!parameter->wants_text && end > first + 1 && lexical_word(filling, end - 1)->is_function)
        end--;
    while (end > first && end < filling->request.n &&
           lexical_listed(joints, lexical_word(filling, end - 1)->english))
        end--;
    return end;
}

/* As written; a sentence keeps its full stop. */
static const char *text_of(const struct lexical_filling *filling, const struct parameter *parameter,
                           size_t first, size_t end)
{
    const struct lexical_token *from = lexical_word(filling, first);
    const struct lexical_token *to = lexical_word(filling, end - 1);
    size_t length = to->offset + to->length - from->offset;
    if (end == first + 1 && from->kind == LEXICAL_QUOTED)
        return from->text;
    if (end == filling->request.n && parameter->wants_text && end > first + 1)
        length += strspn(filling->text + from->offset + length, ".!?)");
    return arena_strndup(filling->arena, filling->text + from->offset, length);
}

/* "bug, urgent and ui" */
static json_t *list_of(const struct lexical_filling *filling, size_t first, size_t end)
{
    json_t *list = json_array();
    size_t start = first;
    for (size_t i = first; i <= end; i++) {
        bool is_joint = lexical_says(filling, i, "and") || lexical_says(filling, i, "or");
        if (i < end && !is_joint && (i == start || lexical_word(filling, i)->before != ','))
            continue;
        if (i > start)
            json_array_append_new(
                list, json_string(text_of(filling, &(struct parameter){ 0 }, start, i)));
        start = i + is_joint;
    }
    return list;
}

/* "the word X", "variable 'X'": the value is the X. */
static size_t behind_noun(const struct lexical_filling *filling, const struct parameter *parameter,
                          size_t first, size_t end)
{
    static const char nouns[] = " word words phrase string term text ";
    size_t at = first;
    while (at < end && (lexical_says(filling, at, "the") || lexical_says(filling, at, "a")))
        at++;
    bool is_noun = at + 1 < end && (lexical_listed(nouns, lexical_word(filling, at)->english) ||
                                    lexical_word(filling, at + 1)->kind == LEXICAL_QUOTED);
    return parameter->wants_text || at == end || (!is_noun && at == first) ? first : at + is_noun;
}

static void fill_text(struct lexical_filling *filling, struct parameter *parameter, size_t label,
                      size_t first, size_t end)
{
    bool is_list = parameter->type == PARAMETER_STRINGS;
    if (lexical_word(filling, first)->sense == SENSE_FILE && end > first &&
        lexical_listed(" called named matching ", lexical_word(filling, first + 1)->english))
        return;
    first = behind_noun(filling, parameter, first, end);
    end = is_list ? end : text_end(filling, parameter, first, end);
    bool is_quoted = lexical_word(filling, first + is_list)->kind == LEXICAL_QUOTED;
    if (end <= first || filling->used[first] || (is_list && is_quoted))
        return;
    json_t *value = is_list ? list_of(filling, first, end)
                            : json_string(text_of(filling, parameter, first, end));
    if (!value)
        return;
    lexical_fill(filling, parameter, value, first, end - 1, "led to", 1);
    lexical_account(filling, parameter, label, first);
    lexical_use_up(filling, label, end - 1);
}

static void fill_labelled(struct lexical_filling *filling, bool whole_texts)
{
    struct labels labels = find_labels(filling);
    for (size_t i = 0; i < labels.n; i++) {
        const struct label *label = &labels.list[i];
        size_t end = i + 1 < labels.n ? labels.list[i + 1].at : filling->request.n;
        if (is_text(label->parameter) && label->parameter->wants_text == whole_texts &&
            !filling->used[label->at])
            fill_text(filling, label->parameter, label->at, label->value, end);
    }
}

static bool is_blank_before(const struct lexical_filling *filling, size_t i)
{
    size_t offset = lexical_word(filling, i)->offset;
    return offset && strchr(" \n\t", filling->text[offset - 1]);
}

static void fill_behind_colon(struct lexical_filling *filling, bool whole_texts)
{
    static const char saying_words[] =
        " tell inform write say reply answer message note remind send mail email notify let ";
    struct parameter *parameter = main_text(filling, whole_texts);
    bool says = false;
    for (size_t i = 1; parameter && !parameter->value && i < filling->request.n; i++) {
        const struct lexical_token *token = lexical_word(filling, i);
        says = says || lexical_listed(saying_words, lexical_word(filling, i - 1)->english);
        bool is_colon = token->before == ':' && is_blank_before(filling, i);
        bool is_that =
            whole_texts && says && lexical_says(filling, i, "that") && i + 1 < filling->request.n;
        if ((is_colon || is_that) && !filling->used[i])
            fill_text(filling, parameter, i, i + (is_that && !is_colon), filling->request.n);
    }
}

/* "search tracks by X", "find documents about X": behind the words that the tool's name has. */
static void fill_sought(struct lexical_filling *filling)
{
    static const char sought_leads[] =
        " for about by of on called named matching containing mentioning with ";
    struct parameter *parameter = main_text(filling, false);
    for (size_t i = 0; parameter && parameter->wants_term && i < filling->request.n; i++) {
        size_t first = i + 1;
        if (lexical_word(filling, i)->sense != SENSE_SEARCH)
            continue;
        while (!lexical_listed(sought_leads, lexical_word(filling, first)->english) &&
               (lexical_word(filling, first)->is_function ||
                lexical_says(filling, first + 1, "about") ||
                lexical_holds(&filling->tool_words, SIZE_MAX, lexical_word(filling, first)) ||
                filling->led[first]))
            first++;
        bool is_led = lexical_listed(sought_leads, lexical_word(filling, first)->english);
        if (is_led && first + 1 < filling->request.n &&
            !lexical_is_path(lexical_word(filling, first + 1)->text))
            fill_text(filling, parameter, i + 1, first + 1, filling->request.n);
        return;
    }
}

void lexical_fill_texts(struct lexical_filling *filling)
{
    fill_labelled(filling, true);
    fill_behind_colon(filling, true);
}

void lexical_fill_clauses(struct lexical_filling *filling)
{
    fill_labelled(filling, false);
    fill_behind_colon(filling, false);
    fill_sought(filling);
}
