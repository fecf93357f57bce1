/* Rules that know what they read fill their parameters first: free text, so that nothing is read
 * out of it, then ranges, units, choices, and names behind labels (lexical_filling.h). Then every
 * open parameter is weighed against every mention (lexical_affinity.h), and the best pair is taken
 * as long as one is good enough; a mention that is taken uses up its tokens. */
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define ENOUGH_FOR_OPTIONAL 3.5         /* an optional parameter needs words that speak for it */
#define ENOUGH_FOR_OPTIONAL_ADDRESS 5.0 /* who gets a copy is said */
#define ENOUGH_FOR_OPTIONAL_NUMBER 2.5
#define ENOUGH_FOR_REQUIRED (-1.0)
#define ENOUGH_FOR_REQUIRED_PHRASE 0.0 /* some words of the request say that it is meant */
#define DOUBTFUL 0.3
#define ENOUGH_FOR_PHRASE 6.0
#define WELL_SAID 1.5
#define CLEARLY_LESS 0.6
#define ORDER_MATTERS 0.01 /* first mention to first parameter, when nothing else decides */

static bool is_required(const json_t *required, const char *name)
{
    for (size_t i = 0; i < json_array_size(required); i++)
        if (text_equal(json_string_value(json_array_get(required, i)), name))
            return true;
    return false;
}

static void read_parameters(struct lexical_filling *filling, const json_t *input_schema)
{
    const char *name;
    json_t *schema;
    json_t *properties = json_object_get(input_schema, "properties");
    size_t most = json_object_size(properties);
    filling->parameters = arena_array(filling->arena, struct parameter, most + 1);
    filling->out->slots = arena_array(filling->arena, struct lexical_slot, most + 1);
    json_object_foreach (properties, name, schema)
        if (filling->n < LEXICAL_MAX_PARAMETERS)
            lexical_parameter_read(filling->arena, name, schema,
                                   is_required(json_object_get(input_schema, "required"), name),
                                   &filling->parameters[filling->n++]);
}

/* "from", the parameter's own name, "the file" before a path. */
static bool is_lead(const struct lexical_token *token, const struct parameter *parameter)
{
    bool is_place = token->sense == SENSE_FILE || token->sense == SENSE_FOLDER;
    return token->kind == LEXICAL_WORD && !token->is_number &&
           (lexical_is_lead(token) || lexical_names(parameter, token) ||
            (is_place && parameter->wants_path));
}

void lexical_account(const struct lexical_filling *filling, const struct parameter *parameter,
                     size_t first, size_t last)
{
    static const char units[] = " minutes minute hours hour days day weeks seconds degrees percent "
                                "characters results hits matches entries pieces people ";
    for (size_t i = first; i <= last; i++)
        filling->led[i] = true;
    while (first && !filling->used[first - 1] &&
           is_lead(lexical_word(filling, first - 1), parameter))
        filling->led[--first] = true;
    const struct lexical_token *unit = lexical_word(filling, last + 1);
    bool is_unit = lexical_listed(units, unit->english) ||
                   (!unit->is_function && lexical_holds(&parameter->about_words, SIZE_MAX, unit));
    if (lexical_word(filling, last)->is_number && is_unit && !unit->before)
        filling->led[last + 1] = true;
}

void lexical_fill(struct lexical_filling *filling, struct parameter *parameter, json_t *value,
                  size_t first, size_t last, const char *rule, double strength)
{
    lexical_account(filling, parameter, first, last);
    const struct lexical_token *from = &filling->request.tokens[first];
    const struct lexical_token *to = &filling->request.tokens[last];
    parameter->value = arena_keep_json(filling->arena, value);
    if (strength <= DOUBTFUL)
        return;
    json_object_set(filling->out->args, parameter->name, value);
    filling->out->slots[filling->out->n_slots++] =
        (struct lexical_slot){ .parameter = parameter->name,
                               .value = value,
                               .said = arena_strndup(filling->arena, filling->text + from->offset,
                                                     to->offset + to->length - from->offset),
                               .rule = rule,
                               .strength = strength };
}

void lexical_use_up(struct lexical_filling *filling, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        filling->used[i] = true;
}

bool lexical_says(const struct lexical_filling *filling, size_t i, const char *english)
{
    return strcmp(lexical_word(filling, i)->english, english) == 0;
}

bool lexical_is_used(const struct lexical_filling *filling, const struct mention *mention)
{
    if (mention->kind == MENTION_SQL)
        return false;
    for (size_t i = mention->first; i <= mention->last; i++)
        if (filling->used[i])
            return true;
    return false;
}

static json_t *number_of(double number)
{
    bool is_whole = number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
    return is_whole ? json_integer((json_int_t)number) : json_real(number);
}

json_t *lexical_number(const struct lexical_token *token)
{
    return number_of(token->number);
}

static json_t *number_value(const struct lexical_token *token, bool as_share)
{
    return number_of(token->is_percent && as_share ? token->number / 100 : token->number);
}

static json_t *numbers_value(const struct lexical_filling *filling, const struct mention *mention)
{
    json_t *list = json_array();
    for (size_t i = mention->first; i <= mention->last; i++)
        if (filling->request.tokens[i].is_number)
            json_array_append_new(list, number_value(&filling->request.tokens[i], true));
    return list;
}

/* The time of day that the request names, as HH:MM; midnight when it names none. */
static const char *time_of_day(const struct lexical_filling *filling,
                               const struct parameter *parameter)
{
    for (size_t m = 0; m < filling->mentions.n; m++) {
        const struct mention *mention = &filling->mentions.list[m];
        if (mention->kind != MENTION_TIME)
            continue;
        lexical_account(filling, parameter, mention->first, mention->last);
        return mention->iso;
    }
    return "00:00";
}

/* Dates and times in the shape that the schema asks for; without one, as they are written, unless
 * that can only be understood today. */
static const char *shaped_text(const struct lexical_filling *filling,
                               const struct parameter *parameter, const struct mention *mention)
{
    const char *about = json_get_string(parameter->schema, "description");
    const char *format = json_get_string(parameter->schema, "format");
    const char *shape = mention->kind == MENTION_TIME ? "hh:mm" : "yyyy-mm-dd";
    bool is_asked = format || (about && (strcasestr(about, shape) || strcasestr(about, "iso")));
    if (!mention->iso && about && strcasestr(about, "code") && mention->first == mention->last)
        return lexical_code(filling->arena, lexical_word(filling, mention->first), mention->text);
    if (!mention->iso || (!is_asked && !mention->is_relative))
        return mention->text;
    if (!text_equal(format, "date-time") || mention->kind != MENTION_DATE)
        return mention->iso;
    return arena_printf(filling->arena, "%sT%s:00", mention->iso, time_of_day(filling, parameter));
}

static json_t *text_value(const struct lexical_filling *filling, const struct parameter *parameter,
                          const struct mention *mention)
{
    json_t *text = json_string(shaped_text(filling, parameter, mention));
    return text ? text : json_string("");
}

/* A list of all mentions of one kind that follow one another, as in "a, b and c". */
static json_t *texts_value(struct lexical_filling *filling, const struct parameter *parameter,
                           const struct mention *first)
{
    json_t *list = json_array();
    const struct mention *last = filling->mentions.list + filling->mentions.n;
    json_array_append_new(list, text_value(filling, parameter, first));
    size_t end = first->last;
    for (const struct mention *next = first + 1; next < last; next++) {
        bool is_near = next->first > end && next->first - end <= 2;
        if (next->kind != first->kind || !is_near)
            continue;
        json_array_append_new(list, text_value(filling, parameter, next));
        lexical_use_up(filling, next->first, next->last);
        lexical_account(filling, parameter, next->first, next->last);
        end = next->last;
    }
    return list;
}

/* "5 %" is 0.05 unless the parameter speaks of percent. */
static bool wants_share(const struct parameter *parameter)
{
    const char *about = json_get_string(parameter->schema, "description");
    bool speaks_of_percent = about && (strcasestr(about, "percent") || strchr(about, '%'));
    return parameter->type == PARAMETER_NUMBER && !speaks_of_percent;
}

static json_t *value_of(struct lexical_filling *filling, const struct parameter *parameter,
                        const struct mention *mention)
{
    switch (parameter->type) {
    case PARAMETER_INTEGER:
    case PARAMETER_NUMBER:
        return number_value(&filling->request.tokens[mention->first], wants_share(parameter));
    case PARAMETER_NUMBERS:
        return numbers_value(filling, mention);
    case PARAMETER_STRINGS:
        return texts_value(filling, parameter, mention);
    case PARAMETER_STRING:
    case PARAMETER_BOOLEAN:
    case PARAMETER_OTHER:
        return text_value(filling, parameter, mention);
    }
    return json_null();
}

struct pair {
    struct parameter *parameter;
    const struct mention *mention;
    double affinity;
};

/* "A TTL of 600": the name of a parameter is no value. */
static bool names_another(const struct lexical_filling *filling, const struct mention *mention)
{
    const struct lexical_token *token = lexical_word(filling, mention->first);
    for (size_t p = 0; mention->first == mention->last && p < filling->n; p++)
        if (strcasecmp(filling->parameters[p].name, token->text) == 0)
            return true;
    return false;
}

/* "To a playlist" names what is wanted, not which. */
static bool only_names(const struct lexical_filling *filling, const struct parameter *parameter,
                       const struct mention *mention)
{
    bool is_loose = mention->kind == MENTION_PHRASE || mention->kind == MENTION_TERM ||
                    mention->kind == MENTION_NAME || mention->kind == MENTION_FOLDER;
    for (size_t i = mention->first; is_loose && i <= mention->last; i++) {
        const struct lexical_token *token = lexical_word(filling, i);
        is_loose = lexical_names(parameter, token) || names_another(filling, mention) ||
                   token->sense == SENSE_FILE || token->sense == SENSE_FOLDER ||
                   (mention->kind != MENTION_NAME && mention->kind != MENTION_PHRASE &&
                    lexical_holds(&filling->tool_words, SIZE_MAX, token));
    }
    return is_loose && !mention->is_said;
}

/* "Tomorrow" alone does not say when something begins. */
static bool lacks_time(const struct lexical_filling *filling, const struct parameter *parameter,
                       const struct mention *mention)
{
    bool begins = text_equal(json_get_string(parameter->schema, "format"), "date-time") &&
                  lexical_is_called(parameter, " start begin time when at ");
    for (size_t m = 0; begins && m < filling->mentions.n; m++)
        begins = filling->mentions.list[m].kind != MENTION_TIME;
    return begins && mention->kind == MENTION_DATE && !strchr(mention->text, 'T');
}

static struct affinity affinity_of(const struct lexical_filling *filling, size_t p, size_t m)
{
    return filling->affinities[p * filling->mentions.n + m];
}

/* "num1" and "num2", "a" and "b" are filled in the order of what is said. */
static bool is_series(const char *one, const char *other)
{
    size_t same = strcspn(one, "0123456789");
    bool are_letters = strlen(one) == 1 && strlen(other) == 1;
    return are_letters ||
           (one[same] && strncmp(one, other, same) == 0 && isdigit((unsigned char)other[same]));
}

/* Whether one of the mentions that are left, or one of the open parameters, is as good a match. */
static bool is_contested(const struct lexical_filling *filling, const struct pair *pair)
{
    size_t p = (size_t)(pair->parameter - filling->parameters), open = 1, fitting = 0;
    size_t m = (size_t)(pair->mention - filling->mentions.list);
    double enough = affinity_of(filling, p, m).all - CLEARLY_LESS;
    for (size_t other = 0; other < filling->n; other++) {
        const struct parameter *rival = &filling->parameters[other];
        if (other == p || (rival->value && !rival->is_doubted) || !rival->required ||
            affinity_of(filling, other, m).all < enough)
            continue;
        if (rival->is_doubted || !is_series(pair->parameter->name, rival->name))
            return true;
        open++;
    }
    for (size_t other = 0; other < filling->mentions.n; other++)
        fitting += filling->mentions.list[other].kind == pair->mention->kind &&
                   !lexical_is_used(filling, &filling->mentions.list[other]) &&
                   affinity_of(filling, p, other).all >= enough;
    bool takes_all = pair->parameter->type == PARAMETER_STRINGS;
    return fitting > open && !takes_all;
}

/* A required value that little speaks for is better asked for. */
static bool is_doubtful(const struct lexical_filling *filling, const struct pair *pair)
{
    size_t p = (size_t)(pair->parameter - filling->parameters);
    size_t m = (size_t)(pair->mention - filling->mentions.list);
    static const char clear_leads[] = " about to from by called named in into near at ";
    enum mention_kind kind = pair->mention->kind;
    double said = affinity_of(filling, p, m).said;
    if (kind == MENTION_PHRASE)
        return said <
               (lexical_listed(clear_leads, pair->mention->lead) ? WELL_SAID : ENOUGH_FOR_PHRASE);
    bool is_loose = kind == MENTION_NAME || kind == MENTION_NUMBER || kind == MENTION_QUOTED;
    const struct parameter *parameter = pair->parameter;
    if (kind == MENTION_NUMBER && parameter->type == PARAMETER_STRING && !parameter->wants_id &&
        !parameter->wants_year && !parameter->wants_date && said < WELL_SAID &&
        !lexical_is_made_for(parameter, pair->mention))
        return true;
    return is_loose && said < WELL_SAID && is_contested(filling, pair);
}

static size_t n_for_mail(const struct lexical_filling *filling)
{
    size_t n = 0;
    for (size_t p = 0; p < filling->n; p++)
        n += filling->parameters[p].wants_email;
    return n;
}

static void consider(const struct lexical_filling *filling, size_t p, size_t m, struct pair *best)
{
    struct parameter *parameter = &filling->parameters[p];
    const struct mention *mention = &filling->mentions.list[m];
    if (parameter->value || json_object_get(parameter->schema, "enum") ||
        lexical_is_used(filling, mention) || lacks_time(filling, parameter, mention) ||
        only_names(filling, parameter, mention))
        return;
    double affinity = affinity_of(filling, p, m).all;
    bool number = mention->kind == MENTION_NUMBER;
    bool is_loose = mention->kind == MENTION_EMAIL && filling->n_addresses > 1 &&
                    (parameter->type != PARAMETER_STRINGS || n_for_mail(filling) > 1);
    double optional = is_loose ? ENOUGH_FOR_OPTIONAL_ADDRESS
                      : number ? ENOUGH_FOR_OPTIONAL_NUMBER
                               : ENOUGH_FOR_OPTIONAL;
    bool is_phrase = mention->kind == MENTION_PHRASE;
    double required = is_phrase ? ENOUGH_FOR_REQUIRED_PHRASE : ENOUGH_FOR_REQUIRED;
    double enough = parameter->required ? required : optional;
    double ordered = affinity - ORDER_MATTERS * (double)(p + m) + (parameter->required ? 0.5 : 0);
    if (affinity >= enough && (!best->parameter || ordered > best->affinity))
        *best = (struct pair){ parameter, mention, ordered };
}

/* The rules, as explanations name them. */
static const char *const rule_names[] = {
    [MENTION_NUMBER] = "number", [MENTION_NUMBERS] = "list of numbers",
    [MENTION_QUOTED] = "quoted", [MENTION_DATE] = "date",
    [MENTION_PATH] = "path",     [MENTION_NAME] = "name",
    [MENTION_PHRASE] = "phrase", [MENTION_GLOB] = "file pattern",
    [MENTION_FOLDER] = "folder", [MENTION_SQL] = "statement",
    [MENTION_ID] = "id",         [MENTION_EMAIL] = "address",
    [MENTION_TERM] = "term",     [MENTION_TIME] = "time",
};

/* "In the study" for a room: the preposition goes with what the parameter is called. */
static bool leads_to(const struct lexical_filling *filling, const struct pair *pair)
{
    size_t p = (size_t)(pair->parameter - filling->parameters);
    size_t m = (size_t)(pair->mention - filling->mentions.list);
    return pair->mention->kind == MENTION_PHRASE && pair->parameter->wants_place &&
           *pair->mention->lead && affinity_of(filling, p, m).said >= 3;
}

/* Takes the best pair of parameter and mention, as long as there is one. */
static bool fill_best(struct lexical_filling *filling)
{
    struct pair best = { 0 };
    for (size_t p = 0; p < filling->n; p++)
        for (size_t m = 0; m < filling->mentions.n; m++)
            consider(filling, p, m, &best);
    if (!best.parameter)
        return false;
    const struct mention *mention = best.mention;
    best.parameter->is_doubted = is_doubtful(filling, &best);
    filling->out->n_doubted += best.parameter->is_doubted;
    if (best.parameter->is_doubted && !best.parameter->required)
        filling->out->unmet = mention->text;
    for (size_t i = mention->first; i <= mention->last; i++)
        filling->used[i] =
            mention->kind != MENTION_SQL || !lexical_is_path(lexical_word(filling, i)->text);
    filling->out->n_suited += (mention->kind != MENTION_TERM || mention->is_marked) &&
                              lexical_is_made_for(best.parameter, mention);
    lexical_fill(filling, best.parameter, value_of(filling, best.parameter, mention),
                 mention->first, mention->last, rule_names[mention->kind],
                 best.parameter->is_doubted                      ? DOUBTFUL
                 : best.affinity > 8 || leads_to(filling, &best) ? 1
                                                                 : 0.6);
    return true;
}

/* "Give path or text.": the parameters that such a sentence of the description names, of which one
 * at least has to be given. */
static void find_wanting(const struct lexical_filling *filling, const char *description)
{
    static const char *const begins[] = { "Give ", "Provide ", "Specify ", "Pass " };
    const char *at = NULL;
    for (size_t i = 0; description && !at && i < ARRAY_LENGTH(begins); i++)
        at = strstr(description, begins[i]);
    const char *sentence = arena_strndup(filling->arena, at ? at : "", at ? strcspn(at, ".\n") : 0);
    struct lexical_text words = lexical_read(filling->arena, sentence, LEXICAL_MAX_WORDS, false);
    const char *first = NULL;
    size_t named = 0;
    for (size_t p = 0; p < filling->n && strstr(sentence, " or "); p++)
        for (size_t i = 0; i < words.n; i++) {
            if (strcmp(words.tokens[i].text, filling->parameters[p].name) != 0)
                continue;
            if (filling->parameters[p].value)
                return;
            first = named++ ? first : filling->parameters[p].name;
            break;
        }
    filling->out->wanting = named > 1 ? first : NULL;
}

/* Whether the words are part of a value, here or where they are said again. */
static bool is_taken(const struct lexical_filling *filling, const char *text)
{
    for (size_t m = 0; m < filling->mentions.n; m++)
        if (strcmp(filling->mentions.list[m].text, text) == 0 &&
            lexical_is_used(filling, &filling->mentions.list[m]))
            return true;
    return false;
}

static void count(const struct lexical_filling *filling)
{
    for (size_t p = 0; p < filling->n; p++) {
        const struct parameter *parameter = &filling->parameters[p];
        bool is_text = parameter->type == PARAMETER_STRING;
        filling->out->n_required += parameter->required;
        filling->out->n_missing += is_text && parameter->required && !parameter->value;
    }
    for (size_t m = 0; m < filling->mentions.n; m++) {
        const struct mention *mention = &filling->mentions.list[m];
        bool is_strong = mention->kind == MENTION_PATH || mention->kind == MENTION_GLOB;
        filling->out->n_unused += is_strong && !is_taken(filling, mention->text);
    }
}

/* A word of grammar between two that are accounted for belongs to them: "between 10 and 20". */
static bool is_accounted(const struct lexical_filling *filling, size_t i)
{
    bool is_inner = i && i + 1 < filling->request.n && filling->led[i - 1] && filling->led[i + 1];
    return filling->led[i] || (is_inner && lexical_word(filling, i)->is_function);
}

static void collect_spans(const struct lexical_filling *filling)
{
    struct lexical_slots *out = filling->out;
    const struct lexical_token *tokens = filling->request.tokens;
    out->spans = arena_array(filling->arena, struct lexical_span, filling->request.n + 1);
    for (size_t i = 0; i < filling->request.n; i++) {
        if (!is_accounted(filling, i))
            continue;
        if (i && is_accounted(filling, i - 1)) {
            struct lexical_span *last = &out->spans[out->n_spans - 1];
            last->length = tokens[i].offset + tokens[i].length - last->offset;
        } else {
            out->spans[out->n_spans++] =
                (struct lexical_span){ tokens[i].offset, tokens[i].length };
        }
    }
}

static void fill(struct arena *arena, const struct tool *tool, const char *request, int64_t today,
                 bool takes_objects, struct lexical_slots *out)
{
    *out = (struct lexical_slots){ .args = arena_keep_json(arena, json_object()) };
    struct lexical_filling filling = { .arena = arena, .text = request, .out = out };
    filling.request = lexical_read_request(arena, request);
    filling.mentions = lexical_mentions(arena, request, &filling.request, today);
    filling.used = arena_array(arena, bool, filling.request.n + 1);
    filling.led = arena_array(arena, bool, filling.request.n + 1);
    filling.tool_words = lexical_read(
        arena, arena_printf(arena, "%s %s", tool->name, tool->title ? tool->title : ""),
        LEXICAL_MAX_WORDS, true);
    for (size_t m = 0; m < filling.mentions.n; m++)
        filling.n_addresses += filling.mentions.list[m].kind == MENTION_EMAIL;
    read_parameters(&filling, tool->input_schema);
    /* Once for all: affinities do not change while parameters are filled. */
    size_t n = filling.mentions.n;
    filling.affinities = arena_array(arena, struct affinity, filling.n * n + 1);
    for (size_t p = 0; p < filling.n; p++)
        for (size_t m = 0; m < n; m++)
            filling.affinities[p * n + m] = lexical_affinity(
                &filling.parameters[p], &filling.mentions.list[m], &filling.request);
    lexical_fill_texts(&filling);
    lexical_fill_forms(&filling);
    lexical_fill_ranges(&filling);
    lexical_fill_units(&filling);
    lexical_fill_choices(&filling);
    lexical_fill_examples(&filling);
    lexical_fill_clauses(&filling);
    lexical_fill_paths(&filling);
    while (fill_best(&filling))
        ;
    if (takes_objects)
        lexical_fill_objects(&filling, tool, today);
    lexical_find_order(&filling);
    find_wanting(&filling, tool->description);
    count(&filling);
    collect_spans(&filling);
}

void lexical_fill_members(struct arena *arena, const struct tool *object, const char *request,
                          int64_t today, struct lexical_slots *out)
{
    fill(arena, object, request, today, false, out);
}

void lexical_slots_fill(struct arena *arena, const struct tool *tool, const char *request,
                        int64_t today, struct lexical_slots *out)
{
    fill(arena, tool, request, today, true, out);
}
