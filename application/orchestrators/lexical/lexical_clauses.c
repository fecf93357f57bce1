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
    { "with", " ingredient ingredients topping toppings " },
};

static const char joints[] = " and with the a an as set its of ";
static const char introducing[] = " with and set as using in on to for of ";
static const char links[] = " of is as to that named called be ";
static const char phrase_ends[] =
    " in on from by at with and under for to into about before until after that which using "
    "within since over out off ";

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

/* The name's last word says what the value is, "page_title", or the one before it, "entityName". */
static bool named_by_name(const struct lexical_filling *filling, const struct lexical_token *token,
                          struct parameter **out)
{
    bool has_name = false;
    for (size_t i = 0; i < filling->n; i++)
        has_name = has_name || strcmp(filling->parameters[i].name, "name") == 0;
    const char *general = has_name ? " name " : " name type kind ";
    for (size_t i = 0; i < filling->n; i++) {
        const struct lexical_text *name = &filling->parameters[i].name_words;
        const struct lexical_token *last = name->n ? &name->tokens[name->n - 1] : NULL;
        bool is_general = name->n > 1 && lexical_listed(general, last->lower);
        if (last && !token->is_number &&
            (lexical_same_word(last, token) ||
             (is_general && lexical_same_word(last - 1, token)))) {
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
    bool is_code = lexical_is_called(parameter, " branch tag ref version id key code ") &&
                   strpbrk(lexical_word(filling, first)->text, "0123456789-_/");
    if (is_code) /* "the branch fix-2 off main" */
        return first + 1;
    if (!parameter->wants_text)
        end =
            without_mentions(filling, parameter, first, short_end(filling, parameter, first, end));
    bool asks = filling->text[lexical_word(filling, end - 1)->offset +
                              lexical_word(filling, end - 1)->length] == '?';
    while (!parameter->wants_text && !asks && end > first + 1 &&
           lexical_word(filling, end - 1)->is_function)
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

static size_t list_end(const struct lexical_filling *filling, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++)
        if (filling->used[i] || filling->led[i])
            end = i;
    while (end > first + 1 && lexical_word(filling, end - 1)->is_function)
        end--;
    return end;
}

/* "bug, urgent and ui" */
static json_t *list_of(const struct lexical_filling *filling, size_t first, size_t end)
{
    json_t *list = json_array();
    size_t start = first;
    for (size_t i = first; i <= end; i++) {
        bool joins = lexical_says(filling, i, "and") || lexical_says(filling, i, "or");
        if (i < end && !joins && (i == start || lexical_word(filling, i)->before != ','))
            continue;
        if (i > start)
            json_array_append_new(
                list, json_string(text_of(filling, &(struct parameter){ 0 }, start, i)));
        start = i + joins;
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
    end = is_list ? list_end(filling, first, end) : text_end(filling, parameter, first, end);
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
        if (token->before == ':' && lexical_is_path(token->text))
            return; /* "word count: a.md, b.md" */
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
                lexical_listed(" anything something everything ",
                               lexical_word(filling, first)->english) ||
                lexical_holds(&filling->tool_words, SIZE_MAX, lexical_word(filling, first)) ||
                filling->led[first]))
            first++;
        bool is_led = lexical_listed(sought_leads, lexical_word(filling, first)->english) &&
                      lexical_word(filling, first + 1)->sense != SENSE_FILE &&
                      !strchr(lexical_word(filling, first + 1)->text, '*');
        if (is_led && first + 1 < filling->request.n &&
            !lexical_is_path(lexical_word(filling, first + 1)->text))
            fill_text(filling, parameter, i + 1, first + 1, filling->request.n);
        return;
    }
}

static struct parameter *open_text(const struct lexical_filling *filling, const char *words)
{
    for (size_t i = 0; i < filling->n; i++)
        if (filling->parameters[i].type == PARAMETER_STRING && !filling->parameters[i].value &&
            lexical_is_called(&filling->parameters[i], words))
            return &filling->parameters[i];
    return NULL;
}

/* "replace 'a' with 'b'": what is there, and what is to be there. */
static void fill_replacement(struct lexical_filling *filling)
{
    struct parameter *old = open_text(filling, " old original before find ");
    struct parameter *new = open_text(filling, " new replacement after replace ");
    for (size_t i = 1; old && new &&i + 2 < filling->request.n; i++) {
        bool is_pair = lexical_word(filling, i)->kind == LEXICAL_QUOTED &&
                       lexical_word(filling, i + 2)->kind == LEXICAL_QUOTED;
        if (!is_pair || !lexical_listed(" with by to into ", lexical_word(filling, i + 1)->english))
            continue;
        lexical_fill(filling, old, json_string(lexical_word(filling, i)->text), i, i, "led to", 1);
        lexical_fill(filling, new, json_string(lexical_word(filling, i + 2)->text), i + 1, i + 2,
                     "led to", 1);
        lexical_use_up(filling, i, i + 2);
        return;
    }
}

void lexical_fill_texts(struct lexical_filling *filling)
{
    fill_replacement(filling);
    fill_labelled(filling, true);
    fill_behind_colon(filling, true);
}

/* The first token that neither says how politely the verb behind it is meant, nor is that verb. */
static size_t behind_verb(const struct lexical_filling *filling)
{
    static const char polite[] = " please can could you would kindly i want need to like d let me "
                                 "we also then now hey just ";
    static const char particles[] = " up out in down away ";
    size_t i = 0;
    while (i < filling->request.n && lexical_listed(polite, lexical_word(filling, i)->english))
        i++;
    i++;
    return i + lexical_listed(particles, lexical_word(filling, i)->english);
}

/* "200 grams of" */
static size_t behind_amount(const struct lexical_filling *filling, size_t i)
{
    static const char determiners[] = " a an the some another one my our de du des la le les ";
    static const char measures[] =
        " g grams gram kg kilos kilo l litre litres liter liters ml piece "
        "pieces pcs bag bags bottle bottles can cans pack packs cup cups ";
    while (lexical_listed(determiners, lexical_word(filling, i)->lower))
        i++;
    if (!lexical_word(filling, i)->is_number)
        return i;
    i++;
    if (!lexical_listed(measures, lexical_word(filling, i)->english))
        return i;
    i++;
    return i + lexical_says(filling, i, "of");
}

static struct parameter *sole_thing(const struct lexical_filling *filling)
{
    static const char things[] = " item items thing things product products ingredient ingredients "
                                 "song track food word ";
    struct parameter *sole = NULL;
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        if (!is_text(parameter) || !parameter->required || !lexical_is_called(parameter, things))
            continue;
        if (sole)
            return NULL;
        sole = parameter;
    }
    return sole;
}

static bool is_of_tool(const struct lexical_filling *filling, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (lexical_holds(&filling->tool_words, SIZE_MAX, lexical_word(filling, i)))
            return true;
    return false;
}

static bool is_joint(const struct lexical_filling *filling, size_t i)
{
    return lexical_word(filling, i)->before == ',' ||
           lexical_joins(lexical_word(filling, i)->lower);
}

/* "add oat milk and leeks to the list", "take 200 grams of flour out of stock": what the verb is
 * done to is the thing that the tool asks for. */
static void fill_thing(struct lexical_filling *filling)
{
    static const char no_verbs[] =
        " what which who whom whose when where how why is are was were do "
        "does did to in on at from for any the a my and if ";
    bool has_verb = !lexical_listed(no_verbs, lexical_word(filling, 0)->english);
    struct parameter *parameter = has_verb ? sole_thing(filling) : NULL;
    size_t first = behind_amount(filling, behind_verb(filling)), end = first;
    bool is_list = parameter && parameter->type == PARAMETER_STRINGS;
    while (end < filling->request.n && !filling->used[end] &&
           (end == first || (is_list && is_joint(filling, end)) || !ends_phrase(filling, end)))
        end++;
    while (end > first && lexical_word(filling, end - 1)->is_function)
        end--;
    if (!parameter || end <= first || is_of_tool(filling, first, end) ||
        lexical_word(filling, first)->kind != LEXICAL_WORD ||
        strpbrk(lexical_word(filling, first)->text, "0123456789/"))
        return;
    json_t *value = is_list ? list_of(filling, first, end)
                            : json_string(text_of(filling, parameter, first, end));
    lexical_fill(filling, parameter, value, first, end - 1, "object", 1);
    lexical_use_up(filling, first, end - 1);
}

void lexical_fill_clauses(struct lexical_filling *filling)
{
    fill_labelled(filling, false);
    fill_behind_colon(filling, false);
    fill_sought(filling);
    fill_thing(filling);
}
