#include "domain/plan/gap.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

/* Words in lower case, of English, German, French, Spanish and Italian. */
#define OUTPUTS                                                                                    \
    " output result results ausgabe ergebnis résultat sortie resultado salida risultato "
#define INSERT_BEFORE " insert insérer insertar inserire inserisci "
#define INSERT_BEHIND " einfügen einsetzen eintragen ergänzen "
#define HERE " here hier ici aquí qui "
#define VALUES                                                                                     \
    " name date time city town address email phone number amount price weather temperature "       \
    "title subject link url value text placeholder datum uhrzeit stadt ort adresse betrag preis "  \
    "wetter temperatur nom ville lieu heure montant prix météo nombre fecha hora ciudad lugar "  \
    "importe precio tiempo nome data ora città luogo importo prezzo tempo "
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define UNKNOWN " tbd tba xxx n/a "
#define TEMPLATES                                                                                  \
    " template templates placeholder placeholders vorlage vorlagen platzhalter modèle plantilla " \
    "marcador modello segnaposto jinja mustache handlebars "
/* Of files and hosts. */
#define FILE_ENDINGS                                                                               \
    " png jpg jpeg gif svg pdf txt md csv json xml html htm js ts py sh c h log doc docx xls "     \
    "xlsx ppt zip gz tar mp3 mp4 wav yml yaml sql com org net io "

/* A bracketed part of a text, or a run of underscores. */
struct bracketed {
    const char *text;                /* all of it */
    size_t at, length;               /* with the brackets */
    char content[GAP_MAX_BYTES + 1]; /* between them, without blanks at its ends */
};

static bool is_json(const char *text)
{
    json_t *value = NULL;
    size_t length = strlen(text);
    const char *first = text + strspn(text, " \t\r\n");
    if (!strchr("{[", *first) || json_parse(text, length, JSON_FOREIGN, &value, NULL))
        return false;
    json_decref(value);
    return true;
}

/* "print("x")", "run()" and "f'{x}'": a name with a bracket and a text or nothing behind it. */
static bool has_call(const char *text)
{
    for (const char *at = text; (at = strpbrk(at, "(\"'")); at++) {
        bool is_name = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool is_format = *at != '(' && is_name && at[-1] == 'f' &&
                         (at - 1 == text || !isalnum((unsigned char)at[-2]));
        if (is_format || (*at == '(' && is_name && at[1] && strchr(")\"'`{[", at[1])))
            return true;
    }
    return false;
}

/* Two lines that end as only those of programs do. */
static bool has_program_lines(const char *text)
{
    unsigned n = 0;
    for (const char *end = text; (end = strchr(end, '\n')); end++)
        n += end > text && strchr("{;}", end[-1]);
    return n >= 2;
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (size_t n; *text; text += n ? n : 1)
        if ((n = text_word_length(text)) == length && strncasecmp(text, word, n) == 0)
            return true;
    return false;
}

/* Whether a word of the text is in the list. */
static bool has_listed(const char *list, const char *text)
{
    for (size_t length; *text; text += length ? length : 1)
        if (text_is_listed(list, text, length = text_word_length(text)))
            return true;
    return false;
}

static bool is_sql(const char *text)
{
    const char *first = text + strspn(text, " \t\r\n(");
    return text_is_listed(" select with insert update delete ", first, text_word_length(first));
}

bool gap_is_code(const char *text)
{
    static const char *const marks[] = {
        "</",     "/>",     "<!",       "#!/",           "#include", "=>",  "$(",
        "$\"",    "::",     "\\begin{", "import {",      ".format(", "${{", "{%",
        "Usage:", "usage:", "Aufruf:",  "Utilisation :", "Uso:"
    };
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
        if (strstr(text, marks[i]))
            return true;
    const char *tick = strchr(text, '`');
    if (tick && strstr(tick, "${"))
        return true;
    return !is_sql(text) && (is_json(text) || has_call(text) || has_program_lines(text));
}

/* "step 1", "Schritt 2", "previous step" and their like; NULL when there is none. */
static const char *find_step(const char *text)
{
    static const char *const steps[] = { "step", "schritt", "étape", "etape", "paso", "passo" };
    static const char *const before[] = { "previous step", "vorigen schritt", "étape précédente",
                                          "paso anterior", "passo precedente" };
    for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) {
        const char *found = strcasestr(text, steps[i]);
        const char *behind = found ? found + strlen(steps[i]) : "";
        if (isdigit((unsigned char)behind[strspn(behind, " _#")]))
            return found;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(before); i++)
        if (strcasestr(text, before[i]))
            return strcasestr(text, before[i]);
    return NULL;
}

/* "from step 1", "aus Schritt 1". */
static bool is_from(const char *text, const char *step)
{
    const char *end = step;
    while (end > text && strchr(" '", end[-1]))
        end--;
    const char *word = end;
    while (word > text && text_is_word_byte(word[-1]))
        word--;
    return text_is_listed(" from of aus von de del dal della ", word, (size_t)(end - word));
}

/* "insert …" and "… einfügen". */
static bool is_insertion(const char *text)
{
    const char *last = text + strlen(text);
    while (last > text && text_is_word_byte(last[-1]))
        last--;
    return text_is_listed(INSERT_BEFORE, text, text_word_length(text)) ||
           text_is_listed(INSERT_BEHIND, last, strlen(last));
}

/* A short text that says what should stand there: "Output of step 1", "insert the weather here". */
static bool says_what_is_meant(const char *text)
{
    if (strlen(text) > GAP_MAX_PHRASE || strpbrk(text, "\n\x01"))
        return false;
    const char *step = find_step(text);
    return (step && (has_listed(OUTPUTS, text) || is_from(text, step))) ||
           (is_insertion(text) && has_listed(HERE, text)) ||
           text_is_listed(UNKNOWN, text, strlen(text));
}

/* "s1.", "step2[", "$s1.", "1.x": what can only be meant as a reference to a step. */
static bool begins_like_reference(const char *content)
{
    content += *content == '$';
    if (*content > '0' && *content <= '9' && content[1] == '.')
        return isalpha((unsigned char)content[2]);
    size_t letters = strncasecmp(content, "step", 4) == 0 ? 4 : 1;
    if (letters == 1 && content[0] != 's')
        return false;
    size_t digits = strspn(content + letters, "0123456789");
    return digits && content[letters + digits] && strchr(".[", content[letters + digits]);
}

bool gap_is_file_ending(const char *word)
{
    return text_is_listed(FILE_ENDINGS, word, strlen(word));
}

/* "s9.temp_c" as the whole text. */
static bool is_bare_reference(const char *text)
{
    const char *last = strrchr(text, '.');
    return begins_like_reference(text) && !(last && gap_is_file_ending(last + 1)) &&
           strspn(text, NAME_CHARACTERS "$.[]*") == strlen(text);
}

/* Words with what may stand between and behind them, at least one letter. */
static bool is_made_of_words(const char *content)
{
    bool has_letter = false;
    for (const char *at = content; *at; at++) {
        bool is_letter = isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80;
        has_letter = has_letter || is_letter;
        if (!is_letter && !isdigit((unsigned char)*at) && !strchr("_-.' []*", *at))
            return false;
    }
    return has_letter && text_is_word_byte(*content);
}

static bool is_element_of_html(const char *content)
{
    return text_is_listed(
        " a b br div em h1 h2 h3 h4 h5 h6 head hr html i img li ol p pre script span "
        "strong style sub sup svg td th tr u ul ",
        content, strlen(content));
}

/* At least two words of more than one letter, or a step: "weather report from the tool". */
static bool is_phrase(const char *content)
{
    size_t n = 0;
    for (const char *at = content; *at; at += strcspn(at, " "), at += strspn(at, " "))
        n += text_word_length(at) > 1 && !isdigit((unsigned char)*at);
    return n > 1 || find_step(content);
}

/* Whether it is all of the text. */
static bool is_whole(const struct bracketed *part)
{
    return part->at == strspn(part->text, " ") && !part->text[part->at + part->length];
}

/* One word that says what is wanted: "[weather]" alone, "[Name]", and where the request has the
 * word; in a text "[sic]" and "[chorus]" are words of its own. */
static bool is_name_of_value(const struct bracketed *part, const char *request)
{
    const char *word = part->content, *at = part->text + part->at, *behind = at + part->length;
    size_t length = text_word_length(word);
    bool begins_line = part->at == 0 || at[-1] == '\n' || (part->at > 1 && at[-2] == '-');
    if (begins_line && behind[0] == ' ' && behind[1]) /* "[done] buy plums" */
        return false;
    return !word[length] && length > 2 &&
           ((length > 3 && is_whole(part)) || text_is_listed(VALUES, word, length) ||
            has_word(request, word, length));
}

/* A run of underscores that stands for a word or a text; a line of them alone is a rule. */
static bool is_blank(const struct bracketed *part)
{
    const char *at = part->text + part->at, *behind = at + part->length;
    char before = part->at ? at[-1] : '\0';
    bool is_rule =
        strchr(part->text, '\n') && (!before || before == '\n') && (!*behind || *behind == '\n');
    return part->length >= GAP_BLANK && !is_rule && !text_is_word_byte(before) &&
           !text_is_word_byte(*behind);
}

/* "{b}" in "\\frac{a}{b}", and "{HOME}" in "${HOME}". */
static bool is_of_command(const struct bracketed *part)
{
    const char *at = part->text + part->at, *content = part->content;
    if (at > part->text && at[-1] == '$' && strspn(content, UPPER "_") == strlen(content))
        return true;
    while (at > part->text && (text_is_word_byte(at[-1]) || strchr("{}", at[-1])))
        at--;
    return at > part->text && at[-1] == '\\';
}

/* Between backticks, as code is in prose. */
static bool is_quoted_code(const struct bracketed *part)
{
    size_t n = 0;
    for (size_t i = 0; i < part->at; i++)
        n += part->text[i] == '`';
    return n % 2;
}

static bool is_gap_in_prose(const struct bracketed *part, const char *request)
{
    const char *at = part->text + part->at, *content = part->content;
    char before = part->at ? at[-1] : '\0', behind = at[part->length];
    bool is_attached = text_is_word_byte(before) || before == '?';
    if (*at == '_')
        return *content ? !content[2] || is_name_of_value(part, request) : is_blank(part);
    if (*at == 'T')
        return true;
    if (!is_made_of_words(content) || is_quoted_code(part))
        return false;
    if (*at == '{')
        return !is_of_command(part);
    if (is_attached || strpbrk(content, "[]"))
        return false;
    if (*at == '(')
        return is_insertion(content);
    if (*at == '<') /* a digit behind it is compared with: "n <5 OR p> 3" */
        return !is_element_of_html(content) && at[1] != ' ' && !isdigit((unsigned char)*content);
    /* Names of tables with blanks in them stand in brackets too. */
    bool is_name = is_sql(part->text) && before != '\'' && before != '"';
    return !is_name && !strchr("([:", behind ? behind : ' ') &&
           (is_phrase(content) || is_name_of_value(part, request));
}

/* "___" and "__CITY__". */
static bool read_underscores(const char *at, struct bracketed *out)
{
    size_t n = strspn(at, "_"), all = strspn(at, UPPER "_"), inner = all - n;
    while (inner && at[n + inner - 1] == '_')
        inner--;
    bool is_wrapped = n == 2 && inner && all == inner + 4 && inner <= GAP_MAX_BYTES &&
                      !text_is_word_byte(at[all]);
    out->length = is_wrapped ? all : n;
    memcpy(out->content, at + n, is_wrapped ? inner : 0);
    return true;
}

/* "TBD" and "TBA" as a word. */
static bool read_unknown(const char *at, struct bracketed *out)
{
    out->length = 3;
    return at[1] == 'B' && at[2] && strchr("AD", at[2]) && !text_is_word_byte(at[3]) &&
           (out->at == 0 || !text_is_word_byte(at[-1]));
}

/* The part that begins at `at`; false when it does not end on its line, or is too long for a gap.
 */
static bool read_bracketed(const char *text, size_t at, struct bracketed *out)
{
    *out = (struct bracketed){ .text = text, .at = at };
    const char open[] = { text[at], '\0' };
    if (*open == '_')
        return read_underscores(text + at, out);
    if (*open == 'T')
        return read_unknown(text + at, out);
    const char close[] = { (char)(*open + (*open == '(' ? 1 : 2)), '\0' }; /* in ASCII */
    size_t n = strspn(text + at, open);
    const char *from = text + at + n + strspn(text + at + n, " \t");
    size_t length = strcspn(from, close);
    const char *end = from + length;
    if (!*end || length > GAP_MAX_BYTES || memchr(from, '\n', length) ||
        memchr(from, *open, length))
        return false;
    memcpy(out->content, from, length);
    while (length && strchr(" \t", out->content[length - 1]))
        out->content[--length] = '\0';
    size_t closing = strspn(end, close);
    out->length = (size_t)(end - text) - at + (closing < n ? closing : n);
    return true;
}

/* Whether the person wants just this to stand there: says it, or asks for a template, whose names
 * are no whole value; those of Jinja and Mustache may have members. */
static bool is_wanted(const struct bracketed *part, const char *request)
{
    char written[2 * GAP_MAX_BYTES];
    const char *at = part->text + part->at;
    if (part->length < sizeof written) {
        memcpy(written, at, part->length);
        written[part->length] = '\0';
        if (strcasestr(request, written))
            return true;
    }
    bool is_name = strncmp(at, "{{", 2) == 0 ? !begins_like_reference(part->content)
                                             : !strpbrk(part->content, ".[|(");
    return is_name && !find_step(part->content) && !is_whole(part) &&
           has_listed(TEMPLATES, request);
}

bool gap_find(const char *text, const char *request, bool is_code, struct gap *out)
{
    is_code = (is_code && !is_sql(text)) || gap_is_code(text);
    if (is_bare_reference(text) || (!is_code && says_what_is_meant(text))) {
        *out = (struct gap){ 0, strlen(text) };
        return !strcasestr(request, text);
    }
    for (size_t at = 0; text[at]; at++) {
        struct bracketed part;
        if (!strchr("{<[(_T", text[at]) || !read_bracketed(text, at, &part))
            continue;
        bool is_sure = text[at] == '{' && begins_like_reference(part.content);
        bool is_gap = is_sure || (!is_code && is_gap_in_prose(&part, request));
        if (is_gap && !is_wanted(&part, request)) {
            *out = (struct gap){ part.at, part.length };
            return true;
        }
        at += is_gap || text[at] == '_' ? part.length - 1 : 0;
    }
    return false;
}
