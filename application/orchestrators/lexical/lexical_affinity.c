/* An affinity is a sum: whether the kind of the mention suits the parameter's type and wishes,
 * whether the parameter is named right before it ("radius = 5"), whether the preposition before it
 * goes with the parameter, and how near the words of the parameter's name and description stand. */
#include "application/orchestrators/lexical/lexical_affinity.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include <ctype.h>
#include <string.h>

#define ABOUT_MAX_WORDS 40
#define REACH_BEFORE 4
#define REACH_BEHIND 3
#define NAMED_HERE 10.0 /* "radius = 5", "radius of 5", "radius is 5" */
#define COUNTED 2.6
#define COUNTED_PEOPLE 4.0
#define NAME_NEAR 3.0
#define ABOUT_NEAR 0.8
#define WRITTEN_OUT (-0.8) /* "two numbers" counts more often than it is an argument */
#define SEARCHED_FOR 4.2   /* "search for X" */
#define LED_BY 4.2         /* nothing else is said with "by" */
#define LED_PATH 6.0       /* "to b.txt" for a destination that nothing calls a path */
#define KIND_SUITS 4.0
#define KIND_IS_WRONG (-20.0) /* and anything near it */
#define KIND_IS_POSSIBLE (-15.0)

static const char date_words[] = " date day deadline birthday ";
static const char time_words[] = " time hour clock ";
static const char place_words[] =
    " room location city country place state region area address town county origin street venue "
    "destination ";
static const char path_words[] = " path file filename directory folder dir document ";
static const char query_words[] = " query keyword keywords term search ";
static const char file_words[] = " file filename document ";
static const char folder_words[] = " directory folder dir ";
static const char glob_words[] = " glob wildcard pattern ";
static const char sql_words[] = " sql ";
static const char term_words[] = " query text message pattern term search phrase keyword q string ";
static const char year_words[] = " year ";
static const char id_words[] = " id ids uuid identifier sha sku ";
static const char mail_words[] =
    " email mail to cc bcc recipient recipients sender attendees from participants emails ";
static const char text_words[] =
    " text message body content contents note comment description reason summary caption "
    "prompt subject observation observations ";
static const char address_words[] = " url uri link href ";
static const char link_words[] = " of is as are to at equals ";

/* Which words of a parameter's name or description a preposition goes with. */
static const struct {
    const char *lead, *words;
} leads[] = {
    { "from", " from start origin source base departure initial begin entity " },
    { "to", " to end destination target final arrival recipient assignee entity " },
    { "on", " printer device machine server host display " },
    { "in",
      " location city country place state region area language room building channel folder " },
    { "at", " location place venue restaurant store time " },
    { "near", " location place city " },
    { "with", " vet doctor person partner attendee attendees guest colleague entity " },
    { "by", " author artist director composer creator painter " },
    { "between", " start first origin from source " },
    { "called", " name title " },
    { "named", " name title " },
    { "for", " name item person subject topic company city purpose " },
    { "about", " topic subject query entity " },
    { "of", " name item subject topic company country city title owner assignee user author " },
};

static bool any_word(const struct lexical_text *text, size_t n, const char *words)
{
    for (size_t i = 0; i < text->n && i < n; i++)
        if (lexical_listed(words, text->tokens[i].english))
            return true;
    return false;
}

bool lexical_is_called(const struct parameter *parameter, const char *words)
{
    return any_word(&parameter->name_words, ABOUT_MAX_WORDS, words);
}

static bool wants(const struct parameter *parameter, const char *words)
{
    return lexical_is_called(parameter, words) || any_word(&parameter->about_words, 6, words);
}

static enum parameter_type type_of_text(const char *type)
{
    if (!type)
        return PARAMETER_OTHER;
    return strcmp(type, "string") == 0    ? PARAMETER_STRING
           : strcmp(type, "integer") == 0 ? PARAMETER_INTEGER
           : strcmp(type, "number") == 0  ? PARAMETER_NUMBER
           : strcmp(type, "boolean") == 0 ? PARAMETER_BOOLEAN
                                          : PARAMETER_OTHER;
}

static enum parameter_type type_of(const json_t *schema)
{
    const char *type = json_get_string(schema, "type");
    if (!type || strcmp(type, "array") != 0)
        return type_of_text(type);
    const json_t *items = json_object_get(schema, "items");
    enum parameter_type item = type_of_text(json_get_string(items, "type"));
    return item == PARAMETER_STRING                                ? PARAMETER_STRINGS
           : item == PARAMETER_INTEGER || item == PARAMETER_NUMBER ? PARAMETER_NUMBERS
                                                                   : PARAMETER_OTHER;
}

static size_t first_about(const struct parameter *parameter, const char *words)
{
    size_t i = 0;
    while (i < parameter->about_words.n &&
           !lexical_listed(words, parameter->about_words.tokens[i].english))
        i++;
    return i;
}

/* "file, relative to the workspace folder" is a file, "file or folder" is either. */
static void read_place(struct parameter *out)
{
    size_t file = first_about(out, file_words), folder = first_about(out, folder_words);
    bool is_file = lexical_is_called(out, file_words) || file < folder;
    bool is_folder = lexical_is_called(out, folder_words) || folder < file;
    bool is_either = is_file == is_folder || folder == file + 2 || file == folder + 2;
    out->wants_file = out->wants_path && (is_file || is_either);
    out->wants_folder = out->wants_path && (is_folder || is_either);
}

void lexical_parameter_read(struct arena *arena, const char *name, const json_t *schema,
                            bool required, struct parameter *out)
{
    const char *about = json_get_string(schema, "description");
    *out = (struct parameter){ .name = name, .schema = schema, .required = required };
    out->type = type_of(schema);
    out->name_words = lexical_read(arena, name, ABOUT_MAX_WORDS, true);
    out->about_words = lexical_read(arena, about ? about : "", ABOUT_MAX_WORDS, false);
    const json_t *items = json_object_get(schema, "items");
    const char *format = json_get_string(items ? items : schema, "format");
    const struct lexical_text *name_text = &out->name_words;
    size_t last = name_text->n ? name_text->n - 1 : 0;
    bool is_id = name_text->n && lexical_listed(id_words, name_text->tokens[last].lower);
    out->wants_id = is_id; /* of a message, say, and so not its text */
    out->wants_date = (format && strncmp(format, "date", 4) == 0) ||
                      (!is_id && (lexical_is_called(out, " when ") || wants(out, date_words)));
    out->wants_time = text_equal(format, "time") || (!is_id && wants(out, time_words));
    out->wants_place = !is_id && wants(out, place_words);
    out->wants_path = wants(out, path_words);
    read_place(out);
    out->wants_glob = wants(out, glob_words);
    out->wants_sql = wants(out, sql_words);
    out->wants_term = !out->wants_glob && !is_id && lexical_is_called(out, term_words);
    out->wants_email =
        text_equal(format, "email") || (!is_id && lexical_is_called(out, mail_words));
    out->wants_text = !is_id && lexical_is_called(out, text_words);
    out->wants_year = any_word(name_text, 1, year_words);
    out->wants_link = wants(out, address_words);
}

bool lexical_names(const struct parameter *parameter, const struct lexical_token *token)
{
    bool is_letter = token->length == 1 && token->kind == LEXICAL_WORD;
    return (is_letter || !token->is_function) &&
           lexical_holds(&parameter->name_words, SIZE_MAX, token);
}

static double nearness(const struct parameter *parameter, const struct lexical_token *token,
                       size_t distance)
{
    if (lexical_names(parameter, token))
        return NAME_NEAR / (double)distance;
    if (token->is_function || token->is_number ||
        !lexical_holds(&parameter->about_words, SIZE_MAX, token))
        return 0;
    return ABOUT_NEAR / (double)distance;
}

/* "radius = 5", "radius: 5", "radius of 5", "radius 5". */
static bool is_named_here(const struct parameter *parameter, const struct mention *mention,
                          const struct lexical_text *request)
{
    size_t at = mention->first;
    if (!at)
        return false;
    bool linked = lexical_listed(link_words, request->tokens[at - 1].english) && at > 1;
    const struct lexical_token *name = &request->tokens[at - 1 - linked];
    char sign = request->tokens[at].before;
    bool is_sole_letter = name->length == 1 && !linked && sign != '=' && sign != ':';
    const struct lexical_text *words = &parameter->name_words;
    return words->n && !is_sole_letter && lexical_same_word(&words->tokens[words->n - 1], name);
}

/* A comma, a full stop or another number ends what belongs to a mention. */
static bool is_border(const struct lexical_token *token)
{
    return token->before == '.' || token->before == ',' || token->before == ';';
}

static double words_before(const struct parameter *parameter, const struct mention *mention,
                           const struct lexical_text *request)
{
    double sum = 0;
    for (size_t d = 1; d <= REACH_BEFORE && d <= mention->first; d++) {
        const struct lexical_token *token = &request->tokens[mention->first - d];
        if (is_border(token + 1) || token->is_number)
            break;
        sum += nearness(parameter, token, d);
    }
    return sum;
}

static double words_behind(const struct parameter *parameter, const struct mention *mention,
                           const struct lexical_text *request)
{
    double sum = 0;
    for (size_t d = 1; d <= REACH_BEHIND && mention->last + d < request->n; d++) {
        const struct lexical_token *token = &request->tokens[mention->last + d];
        if (token->before || token->is_number)
            break;
        sum += nearness(parameter, token, d);
    }
    return sum;
}

static double lead_suits(const struct parameter *parameter, const struct mention *mention)
{
    if (strcmp(mention->lead, "for") == 0 && lexical_is_called(parameter, query_words))
        return SEARCHED_FOR;
    for (size_t i = 0; i < ARRAY_LENGTH(leads); i++) {
        if (strcmp(leads[i].lead, mention->lead) != 0)
            continue;
        if (lexical_is_called(parameter, leads[i].words))
            return mention->kind == MENTION_PATH      ? LED_PATH
                   : strcmp(mention->lead, "by") == 0 ? LED_BY
                                                      : 3;
        return any_word(&parameter->about_words, 8, leads[i].words) ? 1.5 : 0;
    }
    return 0;
}

/* Whether the pattern of the schema takes it. A pattern that takes any word says nothing for it. */
static bool meets_pattern(const struct parameter *parameter, const char *text)
{
    const json_t *pattern = json_object_get(parameter->schema, "pattern");
    json_auto_t *schema = json_pack("{s:O*}", "pattern", pattern);
    json_auto_t *value = json_string(text);
    bool accepts = true;
    return !pattern || json_schema_check(schema, value, NULL, &accepts, NULL) || accepts;
}

static bool is_as_the_pattern(const struct parameter *parameter, const char *text)
{
    return parameter->type == PARAMETER_STRING && !meets_pattern(parameter, "word") &&
           meets_pattern(parameter, text);
}

bool lexical_is_made_for(const struct parameter *parameter, const struct mention *mention)
{
    bool is_link = strstr(mention->text, "://") != NULL;
    bool is_place = strcmp(mention->lead, "on") == 0 || strchr(mention->text, '/');
    if (mention->kind == MENTION_PATH && parameter->wants_glob && is_place)
        return false; /* where a file is, or what is done on it, is not the search for it */
    if (is_as_the_pattern(parameter, mention->text))
        return true;
    if (parameter->type != PARAMETER_STRING && parameter->type != PARAMETER_STRINGS)
        return false;
    bool is_file = strchr(mention->text, '.') && !text_ends_with(mention->text, "/");
    bool wants_it = is_file ? parameter->wants_file : parameter->wants_path;
    return mention->kind == MENTION_PATH     ? (is_link ? parameter->wants_link : wants_it)
           : mention->kind == MENTION_FOLDER ? parameter->wants_folder
           : mention->kind == MENTION_GLOB   ? parameter->wants_glob
           : mention->kind == MENTION_SQL    ? parameter->wants_sql
           : mention->kind == MENTION_TERM   ? parameter->wants_term
           : mention->kind == MENTION_ID     ? parameter->wants_id
           : mention->kind == MENTION_EMAIL  ? parameter->wants_email
                                             : false;
}

/* Whoever gets mail is an address where the schema says so. */
static bool must_be_address(const struct parameter *parameter)
{
    const char *about = json_get_string(parameter->schema, "description");
    return text_equal(json_get_string(parameter->schema, "format"), "email") ||
           (parameter->wants_email && about && strcasestr(about, "address"));
}

/* "a meeting with Bob" says nothing of a title. */
static bool is_beside_title(const struct parameter *parameter, const struct mention *mention)
{
    return lexical_is_called(parameter, " title ") && mention->kind != MENTION_QUOTED &&
           !lexical_listed(" of called named about ", mention->lead);
}

/* Where the description shows an id ("for example T-104", "ORD- and digits"), others begin so. */
static bool begins_as_shown(const struct parameter *parameter, const char *id)
{
    const char *about = json_get_string(parameter->schema, "description");
    for (const char *at = about ? about : ""; *at; at += !!*at) {
        size_t letters = 0;
        while (isalpha((unsigned char)at[letters]))
            letters++;
        bool is_shown = letters && (at[letters] == '-' || at[letters] == '_') &&
                        !isalpha((unsigned char)at[letters + 1]);
        if (is_shown)
            return strncasecmp(at, id, letters + 1) == 0;
        at += letters;
    }
    return true;
}

/* An id has a digit and no blank; an address is an address. */
static bool cannot_be(const struct parameter *parameter, const struct mention *mention)
{
    bool is_idlike = mention->text[strcspn(mention->text, "0123456789")] &&
                     !strpbrk(mention->text, " /") && begins_as_shown(parameter, mention->text);
    bool is_text = mention->kind == MENTION_QUOTED || mention->is_said ||
                   (strcmp(mention->lead, "about") == 0 && strcmp(parameter->name, "subject") == 0);
    bool is_shaped = mention->kind == MENTION_DATE || mention->kind == MENTION_TIME;
    return (!is_shaped && !meets_pattern(parameter, mention->text)) ||
           (parameter->wants_id && !is_idlike) || (parameter->wants_text && !is_text) ||
           (must_be_address(parameter) && !strchr(mention->text, '@')) ||
           (parameter->wants_sql && mention->kind != MENTION_SQL) ||
           is_beside_title(parameter, mention);
}

static double text_kind_suits(const struct parameter *parameter, enum mention_kind kind)
{
    const double wrong_for_dates = parameter->wants_date ? KIND_IS_WRONG : 0;
    const double suits[] = {
        [MENTION_NUMBER] = parameter->wants_place || parameter->wants_date ||
                                   lexical_is_called(parameter, " unit units currency language ")
                               ? KIND_IS_WRONG
                               : -1.2,
        [MENTION_NUMBERS] = KIND_IS_WRONG,
        [MENTION_QUOTED] = parameter->wants_term   ? KIND_SUITS
                           : parameter->wants_glob ? 1
                                                   : 2,
        [MENTION_DATE] = parameter->wants_date ? KIND_SUITS : KIND_IS_WRONG,
        [MENTION_TIME] = parameter->wants_time ? KIND_SUITS : KIND_IS_WRONG,
        [MENTION_PATH] = parameter->wants_glob || parameter->wants_term ? KIND_IS_WRONG : 0,
        [MENTION_NAME] = wrong_for_dates + (parameter->wants_place  ? 2.5
                                            : parameter->wants_path ? 0
                                                                    : 1),
        [MENTION_PHRASE] = parameter->wants_path ? KIND_IS_WRONG : wrong_for_dates - 0.5,
    };
    /* The other kinds are only for parameters that are made for them. */
    if (kind == MENTION_ID)
        return parameter->wants_path || parameter->wants_text || parameter->wants_date ||
                       parameter->wants_time || parameter->wants_place
                   ? KIND_IS_WRONG
                   : -0.5;
    bool is_special = kind == MENTION_EMAIL || kind == MENTION_GLOB || kind == MENTION_FOLDER ||
                      kind == MENTION_SQL || kind == MENTION_TERM;
    return is_special ? KIND_IS_WRONG : suits[kind];
}

static double kind_suits(const struct parameter *parameter, const struct mention *mention,
                         const struct lexical_text *request)
{
    enum parameter_type type = parameter->type;
    if (lexical_is_made_for(parameter, mention) && !cannot_be(parameter, mention))
        return KIND_SUITS + (mention->kind == MENTION_SQL ? KIND_SUITS : 0);
    bool is_word = request->tokens[mention->first].kind == LEXICAL_WORD;
    if (type == PARAMETER_STRING && mention->kind == MENTION_NUMBER && is_word)
        return KIND_IS_WRONG; /* "two agents" */
    if (type == PARAMETER_STRING || type == PARAMETER_STRINGS)
        return cannot_be(parameter, mention) ? KIND_IS_WRONG
                                             : text_kind_suits(parameter, mention->kind);
    if (type == PARAMETER_NUMBERS && mention->kind == MENTION_NUMBERS)
        return KIND_SUITS;
    if ((type == PARAMETER_INTEGER || type == PARAMETER_NUMBER) &&
        mention->kind == MENTION_NUMBER) {
        const struct lexical_token *token = &request->tokens[mention->first];
        bool is_fraction = type == PARAMETER_INTEGER && !token->is_whole;
        bool is_year = parameter->wants_year && token->number >= 1000 && token->number < 3000;
        bool is_percent = token->is_percent && lexical_is_called(parameter, " percent percentage ");
        return is_fraction                   ? KIND_IS_WRONG
               : is_year || is_percent       ? KIND_SUITS
               : token->kind == LEXICAL_WORD ? WRITTEN_OUT
                                             : 0;
    }
    return KIND_IS_WRONG;
}

static const char people_words[] =
    " people persons person adults adult guests guest passengers passenger travellers "
    "seats servings diners ";

/* "5 commits" for a parameter that is described as a number of commits, "for two people" for one of
 * passengers. */
static double counted_by(const struct parameter *parameter, const struct mention *mention,
                         const struct lexical_text *request)
{
    size_t next = mention->last + 1;
    if (next >= request->n || request->tokens[next].before || request->tokens[next].is_function)
        return 0;
    bool is_people = lexical_listed(people_words, request->tokens[next].english) &&
                     lexical_is_called(parameter, people_words);
    bool is_about = lexical_holds(&parameter->about_words, SIZE_MAX, &request->tokens[next]);
    return is_people ? COUNTED_PEOPLE : is_about ? COUNTED : 0;
}

struct affinity lexical_affinity(const struct parameter *parameter, const struct mention *mention,
                                 const struct lexical_text *request)
{
    double kind = kind_suits(parameter, mention, request);
    if (kind < KIND_IS_POSSIBLE)
        return (struct affinity){ KIND_IS_WRONG, 0 };
    double named = is_named_here(parameter, mention, request) ? NAMED_HERE : 0;
    bool is_range = strcmp(mention->lead, "to") == 0 || strcmp(mention->lead, "from") == 0;
    bool is_led = is_range || mention->kind != MENTION_NUMBER;
    double counted = mention->kind == MENTION_NUMBER ? counted_by(parameter, mention, request) : 0;
    double lead = counted > 0 ? counted : is_led ? lead_suits(parameter, mention) : 0;
    double said = named + lead + words_before(parameter, mention, request) +
                  words_behind(parameter, mention, request);
    return (struct affinity){ kind + said, said };
}
