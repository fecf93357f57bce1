#include "domain/plan/value_origin.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

#define WORD_MAX_BYTES 32 /* of one word of a name; a longer one is no word of the lists */
#define STEM_BYTES 4
#define STEM_MIN_BYTES 3 /* a shorter word has no stem but itself */
#define CODE_LETTERS 3   /* of a currency, a language, a country */
#define YEAR_DIGITS 4    /* a longer number without a sign in it is an id */
#define UNIT_LETTERS 3
#define EXTENSION_LETTERS 4

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define WORD_CHARACTERS LETTERS DIGITS
#define BLANKS " \t\r\n,;<>()\"'"

#define FORMAL_LANGUAGES                                                                           \
    " sql query expression formula equation regex regexp pattern glob selector xpath jsonpath jq " \
    "cypher graphql script statement "
#define TEXTS                                                                                      \
    " text body content contents message subject title summary description comment caption reply " \
    "answer prompt instructions poem paragraph letter essay story thought markdown html "
#define PROGRAMS " code command program " /* alone; in a compound such as zip_code it is an id */
#define CODE " code program script "
#define PATTERNS " regex regexp pattern glob selector xpath jsonpath jq template "
#define PROGRAM_ENDINGS                                                                            \
    " sh bash zsh py js mjs ts jsx tsx html htm css vue php rb pl java kt go rs c h cpp hpp cs "   \
    "swift lua r m sql tex json yml yaml toml xml jinja jinja2 j2 tmpl tpl hbs mustache ejs erb "  \
    "liquid template "
#define LINKS " to of for in on with from that which as by at " /* behind the head noun */
/* Whole words, in lower case: of what stands for a value that is not known, and beside it. */
#define STAND_INS                                                                                  \
    " file files folder directory path name email mail address addresses id n na tbd todo "        \
    "unknown none null undefined example placeholder value datei ordner pfad fichier dossier "     \
    "archivo carpeta cartella "
#define BESIDE_STAND_INS " the a an my your this that it of to e s txt der die das "
#define FILLERS                                                                                    \
    " the and for with from that der die das den und mit von les des une una los las del per "
/* Of words that say a number, a date or a time, in English, German, French, Spanish, Italian. */
#define EMPTY                                                                                      \
    " empty blank nothing clear leer leere leeren leerer leeres nichts vide vider rien vacío "    \
    "vacía vaciar nada vuoto vuota svuota svuotare niente "
#define NUMBER_STEMS                                                                               \
    " zero two thre four five six seve eigh nine ten elev twel thir fift sixt twen hund "          \
    "thou mill half doze doub twic both pair quar max maxi min mini full last firs seco "          \
    "few coup null zwei drei vier fün sech sieb acht neun zehn elf zwö zwan taus halb dutz "     \
    "dopp beid voll deux troi quat cinq sept huit neuf dix onze douz ving tren cent demi "         \
    "dos tres cuat cinc seis siet ocho nuev diez once doce vein cien mil medi dobl due tre "       \
    "sei sett otto nove diec undi dodi vent mezz toda tomo toni yest now noon midn morn "          \
    "nigh week hour minu day days dail mont year mond tues wedn thur frid satu sund janu "         \
    "febr marc apri may june july augu octo dece heut morg gest aben mitt stun tag tage "          \
    "tags täg woch mona jahr dien donn frei sams sonn mai juni juli okto deze aujo dema "         \
    "soir midi mati heur jour sema mois lund mard merc jeud vend dima hoy mañ ayer noch "         \
    "tard hora día mes año lune mart mié juev sáb domi oggi doma ieri sera matt ora ore "      \
    "gior mese anno giov vene saba "

/* The head noun of a name or of the first words of a description, in lower case: the last word
 * before a link, a stop or the end. Words of a name are told by capitals as well as by what is no
 * letter. *out_alone: it is the only word. */
static void find_head(const char *text, char head[WORD_MAX_BYTES], bool *out_alone)
{
    char word[WORD_MAX_BYTES];
    size_t n = 0;
    for (*head = '\0';; n++) {
        size_t length = 0;
        text += strcspn(text, WORD_CHARACTERS ".,;:(");
        for (; isalnum((unsigned char)*text) && length + 1 < sizeof word; text++) {
            if (length && isupper((unsigned char)text[0]) && islower((unsigned char)text[-1]))
                break;
            word[length++] = (char)tolower((unsigned char)*text);
        }
        word[length] = '\0';
        if (length == 0 || text_is_listed(LINKS, word, strlen(word)))
            break;
        memcpy(head, word, sizeof word);
    }
    *out_alone = n == 1;
}

enum kind { KIND_GIVEN, KIND_TEXT, KIND_FORMAL };

static enum kind kind_of(const char *text)
{
    char head[WORD_MAX_BYTES];
    bool is_alone;
    find_head(text ? text : "", head, &is_alone);
    if (text_is_listed(FORMAL_LANGUAGES, head, strlen(head)))
        return KIND_FORMAL;
    return text_is_listed(TEXTS, head, strlen(head)) ||
                   (is_alone && text_is_listed(PROGRAMS, head, strlen(head)))
               ? KIND_TEXT
               : KIND_GIVEN;
}

static bool names_program(const char *file)
{
    const char *dot = file ? strrchr(file, '.') : NULL;
    return dot && text_is_listed(PROGRAM_ENDINGS, dot + 1, strlen(dot + 1));
}

bool value_is_code(const char *name, const json_t *args)
{
    const char *other;
    const json_t *value;
    const char *text = json_string_value(json_object_get(args, name));
    char head[WORD_MAX_BYTES];
    bool is_alone;
    find_head(name, head, &is_alone);
    if (!text || text_is_listed(PATTERNS, head, strlen(head)))
        return text;
    if (*text && strchr("<[{(", *text) && !strpbrk(text + 1, "<[{(\n"))
        return false;
    if (kind_of(name) == KIND_TEXT)
        json_each_member (args, other, value)
            if (strcmp(other, name) != 0 && names_program(json_string_value(value)))
                return true;
    return is_alone && text_is_listed(CODE, head, strlen(head));
}

static bool has_type(const json_t *schema, const char *name)
{
    const json_t *type = json_object_get(schema, "type");
    bool is_it = text_equal(json_string_value(type), name);
    for (size_t i = 0; i < json_array_size(type); i++)
        is_it = is_it || text_equal(json_string_value(json_array_get(type, i)), name);
    return is_it;
}

static const json_t *schema_of(const struct tool *tool, const char *name)
{
    const json_t *schema = json_object_get(json_object_get(tool->input_schema, "properties"), name);
    return schema_view_resolve(tool->input_schema, schema);
}

static bool is_choice(const json_t *schema)
{
    return json_object_get(schema, "enum") || json_object_get(schema, "const");
}

bool value_is_written(const struct tool *tool, const char *name)
{
    const json_t *schema = schema_of(tool, name), *items = json_object_get(schema, "items");
    const char *format = json_get_string(schema, "format");
    if (has_type(schema, "object") ||
        has_type(schema_view_resolve(tool->input_schema, items), "object"))
        return true;
    if (!has_type(schema, "string") || is_choice(schema) || json_object_get(schema, "pattern") ||
        (format && strcmp(format, "regex") != 0))
        return false;
    enum kind kind = kind_of(name);
    return kind == KIND_FORMAL || (kind == KIND_TEXT && tool->read_only != HINT_YES) ||
           kind_of(json_get_string(schema, "description")) == KIND_FORMAL;
}

struct word {
    const char *text;
    size_t length;
};

/* The next word from *text on, which moves behind it; of length 0 at the end. */
static struct word next_word(const char **text)
{
    struct word word = { .text = *text };
    while (*word.text && !text_is_word_byte(*word.text))
        word.text++;
    word.length = text_word_length(word.text);
    *text = word.text + word.length;
    return word;
}

struct said_word {
    struct word word;
    char stem[STEM_BYTES + 1];
};

/* The first letters of a word in lower case. */
static void read_stem(struct word word, char stem[STEM_BYTES + 1])
{
    size_t n = word.length < STEM_BYTES ? word.length : STEM_BYTES;
    for (size_t i = 0; i < n; i++)
        stem[i] = (char)tolower((unsigned char)word.text[i]);
    stem[n] = '\0';
}

/* What is not ASCII begins like anything else that is not. */
static size_t first_of(struct word word)
{
    unsigned char first = (unsigned char)tolower((unsigned char)*word.text);
    return first < 0x80 ? first : 0x80;
}

const struct said *said_read(struct arena *arena, const char *text, const struct said *next)
{
    struct said *said = arena_new(arena, struct said);
    size_t n = 0, at[ARRAY_LENGTH(said->starts)];
    struct word word;
    *said = (struct said){ .text = text, .next = next, .has_number = strpbrk(text, DIGITS) };
    for (const char *end = text; (word = next_word(&end)).length; n++)
        said->starts[first_of(word) + 1]++;
    for (size_t i = 1; i < ARRAY_LENGTH(said->starts); i++)
        said->starts[i] += said->starts[i - 1];
    memcpy(at, said->starts, sizeof at);
    said->words = arena_array(arena, struct said_word, n + 1);
    for (const char *end = text; (word = next_word(&end)).length;) {
        struct said_word *one = &said->words[at[first_of(word)]++];
        one->word = word;
        read_stem(word, one->stem);
        said->has_number =
            said->has_number || text_is_listed(NUMBER_STEMS, one->stem, strlen(one->stem));
    }
    return said;
}

/* The first said word that fits, or of what else was said; NULL when there is none. */
static const char *find_fitting(const struct said *said, struct word wanted,
                                bool (*fits)(const struct said_word *one,
                                             const struct said_word *wanted))
{
    struct said_word word = { .word = wanted };
    size_t first = first_of(wanted);
    read_stem(wanted, word.stem);
    for (; said; said = said->next)
        for (size_t i = said->starts[first]; i < said->starts[first + 1]; i++)
            if (fits(&said->words[i], &word))
                return said->words[i].word.text;
    return NULL;
}

/* wanted: may go on behind its first word, as an address does. */
static bool begins_at(const struct said_word *one, const struct said_word *wanted)
{
    const char *text = one->word.text;
    size_t length = wanted->word.length;
    return strncasecmp(text, wanted->word.text, length) == 0 && !text_is_word_byte(text[length]);
}

const char *said_find(const struct said *said, const char *words)
{
    while (*words && !text_is_word_byte(*words))
        words++;
    const struct word word = { words, strlen(words) };
    return *words ? find_fitting(said, word, begins_at) : NULL;
}

static bool is_word_said(struct word word, const struct said *said)
{
    while (word.length && !text_is_word_byte(*word.text))
        word.text++, word.length--;
    return word.length && find_fitting(said, word, begins_at);
}

static bool is_one_said(const char *list, const struct said *said)
{
    for (struct word word; (word = next_word(&list)).length;)
        if (is_word_said(word, said))
            return true;
    return false;
}

static bool is_text_said(const char *value, const struct said *said)
{
    for (struct word word; (word = next_word(&value)).length;)
        if (!is_word_said(word, said))
            return false;
    return true;
}

static bool is_part_said(const char *text, const struct said *said)
{
    while (said && !strstr(said->text, text))
        said = said->next;
    return said;
}

bool said_is_empty_text(const struct said *said)
{
    return is_part_said("\"\"", said) || is_part_said("''", said) || is_one_said(EMPTY, said);
}

static bool is_scalar_said(const json_t *value, const struct said *said)
{
    char number[64];
    const char *text = json_string_value(value);
    snprintf(number, sizeof number, "%.15g", json_number_value(value));
    if (json_is_number(value))
        return is_text_said(number, said) ||
               is_one_said(text_number_words(json_number_value(value)), said);
    if (text && !*text)
        return said_is_empty_text(said);
    return !text || strchr(text, '{') || is_text_said(text, said);
}

/* Letters that are not ASCII agree with any other: "München" is Munich. */
static bool share_stem(const struct said_word *a, const struct said_word *b)
{
    const char *one = a->stem, *other = b->stem;
    size_t one_length = a->word.length, other_length = b->word.length, i = 0;
    size_t shorter = one_length < other_length ? one_length : other_length;
    if (shorter < STEM_MIN_BYTES)
        return one_length == other_length && strcmp(one, other) == 0;
    while (i < shorter && one[i] && one[i] == other[i])
        i++;
    bool is_foreign = ((one[i] | other[i]) & 0x80) && (i || (one[0] & other[0] & 0x80));
    return (i == shorter || i == STEM_BYTES || is_foreign) &&
           !text_is_listed(FILLERS, one, strlen(one)) &&
           !text_is_listed(FILLERS, other, strlen(other));
}

static bool is_stem_said(struct word word, const struct said *said)
{
    return find_fitting(said, word, share_stem);
}

static bool is_any_number_said(const struct said *said)
{
    while (said && !said->has_number)
        said = said->next;
    return said;
}

/* "20", "14:30", "2026-03-09T10:00Z", "30min": what may be computed from another number. */
static bool is_figure(struct word token)
{
    size_t digits = strspn(token.text, DIGITS);
    size_t unit = digits + strspn(token.text + digits, LETTERS);
    size_t all = strspn(token.text, DIGITS "-+:./,TZ%");
    return (digits && digits <= YEAR_DIGITS && unit <= digits + UNIT_LETTERS &&
            unit >= token.length) ||
           (all >= token.length && (digits || strchr("-+", *token.text)) &&
            (digits <= YEAR_DIGITS && strpbrk(token.text + 1, "-:./,%")));
}

/* Whether the parts with digits of "INV-4821" were said; "invoice 4821" says them too. */
static bool is_id_said(struct word token, const struct said *said)
{
    const char *end = token.text;
    for (struct word word; (word = next_word(&end)).length && end <= token.text + token.length;) {
        size_t letters = strcspn(word.text, DIGITS);
        struct word number = { word.text + letters, word.length - letters };
        if (letters < word.length && !is_word_said(word, said) && !is_word_said(number, said))
            return false;
    }
    return true;
}

/* The host of a URL; of length 0 where the token is none. */
static struct word host_of(struct word token)
{
    const char *behind = strstr(token.text, "://");
    if (!behind || behind >= token.text + token.length)
        return (struct word){ 0 };
    behind += strlen("://");
    behind += strncmp(behind, "www.", 4) == 0 ? 4 : 0;
    return (struct word){ behind, strcspn(behind, "/:?#" BLANKS) };
}

static bool is_text_invented(const char *text, const struct said *said)
{
    bool has_word = false, is_near = strlen(text) <= CODE_LETTERS && !strpbrk(text, DIGITS);
    for (const char *at = text + strspn(text, BLANKS); *at; at += strspn(at, BLANKS)) {
        const struct word token = { at, strcspn(at, BLANKS) }, host = host_of(token);
        at += token.length;
        if (host.length || memchr(token.text, '@', token.length)) {
            if (!is_word_said(host.length ? host : token, said))
                return true;
            is_near = true;
        } else if (strcspn(token.text, DIGITS) < token.length) {
            if (is_figure(token) ? !is_any_number_said(said) : !is_id_said(token, said))
                return true;
            is_near = true;
        }
        const char *end = token.text;
        for (struct word word; !is_near && (word = next_word(&end)).length && end <= at;) {
            has_word = true;
            is_near = is_stem_said(word, said);
        }
    }
    return has_word && !is_near;
}

/* "the file", "path/to/file.txt", "N/A": each word names a kind of thing, and none says which. */
static bool is_stand_in(const char *text)
{
    bool has_kind = false;
    for (const char *end = text; *end;) {
        char lower[WORD_MAX_BYTES] = "";
        const struct word word = next_word(&end);
        for (size_t i = 0; i < word.length && i + 1 < sizeof lower; i++)
            lower[i] = (char)tolower((unsigned char)word.text[i]);
        bool is_kind = text_is_listed(STAND_INS, lower, strlen(lower));
        if (word.length && !is_kind && !text_is_listed(BESIDE_STAND_INS, lower, strlen(lower)))
            return false;
        has_kind = has_kind || is_kind;
    }
    return has_kind;
}

static bool is_scalar_invented(const json_t *value, const struct said *said)
{
    const char *text = json_string_value(value);
    if (text && is_stand_in(text))
        return true;
    if (json_is_number(value)) /* the singular says 1 */
        return json_number_value(value) != 1 && !is_any_number_said(said);
    return text && !strchr(text, '{') && is_text_invented(text, said);
}

static bool is_free(const struct tool *tool, const char *name, const json_t *value)
{
    const json_t *schema = schema_of(tool, name), *usual = json_object_get(schema, "default");
    return is_choice(schema) || is_choice(json_object_get(schema, "items")) ||
           (usual && json_equal(usual, value)) || value_is_written(tool, name);
}

static bool is_file_name(const char *text)
{
    const char *dot = text ? strrchr(text, '.') : NULL;
    size_t length = dot ? strspn(dot + 1, LETTERS) : 0;
    return length && length <= EXTENSION_LETTERS && !dot[1 + length] && !strpbrk(text, "@:" BLANKS);
}

bool value_is_invented(const struct tool *tool, const char *name, const json_t *value,
                       const struct said *said)
{
    bool is_invented = is_scalar_invented(value, said);
    for (size_t i = 0; i < json_array_size(value) && !is_invented; i++)
        is_invented = is_scalar_invented(json_array_get(value, i), said);
    const char *text = json_string_value(value);
    bool is_look = tool->read_only == HINT_YES && is_file_name(text) && !is_stand_in(text);
    /* "*" is everything that is there. */
    is_invented = is_invented || (text && *text && tool->read_only != HINT_YES &&
                                  text[strspn(text, "*/~")] == '\0' && !is_part_said(text, said));
    return is_invented && !is_look && !is_free(tool, name, value);
}

bool value_is_said(const struct tool *tool, const char *name, const json_t *value,
                   const struct said *said)
{
    bool is_said = is_scalar_said(value, said);
    for (size_t i = 0; i < json_array_size(value) && is_said; i++)
        is_said = is_scalar_said(json_array_get(value, i), said);
    return is_said || is_free(tool, name, value);
}
