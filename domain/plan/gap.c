#include "domain/plan/gap.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

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

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (text_is_word_byte(text[length]))
        length++;
    return length;
}

/* Whether a word of the text is in the list. */
static bool has_listed(const char *list, const char *text)
{
    for (size_t length; *text; text += length ? length : 1)
        if (text_is_listed(list, text, length = word_length(text)))
            return true;
    return false;
}

static bool is_sql(const char *text)
{
    const char *first = text + strspn(text, " \t\r\n(");
    return text_is_listed(" select with insert update delete ", first, word_length(first));
}

bool gap_is_code(const char *text)
{
    static const char *const marks[] = { "</",       "/>",       "<!",  "#!/", "#include",
                                         "=>",       "$(",       "$\"", "::",  "\\begin{",
                                         "import {", ".format(", "${{", "{%" };
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
        if (strstr(text, marks[i]))
            return true;
    const char *tick = strchr(text, '`');
    if (tick && strstr(tick, "${"))
        return true;
    return !is_sql(text) && (is_json(text) || has_call(text) || has_program_lines(text));
}

/* "step 1", "Schritt 2" and their like, with the number. */
static bool names_step(const char *text)
{
    static const char *const words[] = { "step", "schritt", "étape", "etape", "paso", "passo" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        const char *found = strcasestr(text, words[i]);
        const char *behind = found ? found + strlen(words[i]) : "";
        if (isdigit((unsigned char)behind[strspn(behind, " _#")]))
            return true;
    }
    return false;
}

static bool names_result(const char *text)
{
    return strlen(text) <= GAP_MAX_PHRASE && !strchr(text, '\n') && !strchr(text, GAP_REFERENCE) &&
           names_step(text) &&
           has_listed(" output result results ausgabe ergebnis résultat sortie resultado salida "
                      "risultato ",
                      text);
}

/* "s1.", "step2[", "$s1.": what can only be meant as a reference to a step. */
static bool begins_like_reference(const char *content)
{
    content += *content == '$';
    size_t letters = strncasecmp(content, "step", 4) == 0 ? 4 : 1;
    if (letters == 1 && content[0] != 's')
        return false;
    size_t digits = strspn(content + letters, "0123456789");
    return digits && content[letters + digits] && strchr(".[", content[letters + digits]);
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
        n += word_length(at) > 1 && !isdigit((unsigned char)*at);
    return n > 1 || names_step(content);
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
    if (at > part->text && at[-1] == '$' &&
        strspn(content, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(content))
        return true;
    while (at > part->text && (text_is_word_byte(at[-1]) || strchr("{}", at[-1])))
        at--;
    return at > part->text && at[-1] == '\\';
}

static bool is_gap(const struct bracketed *part)
{
    const char *at = part->text + part->at;
    char before = part->at ? at[-1] : '\0', behind = at[part->length];
    if (*at == '_')
        return is_blank(part);
    if (*at == '{' && begins_like_reference(part->content))
        return true;
    if (!is_made_of_words(part->content))
        return false;
    if (*at == '{')
        return !is_of_command(part);
    bool is_attached = text_is_word_byte(before) || before == '?';
    if (is_attached || strpbrk(part->content, "[]"))
        return false;
    if (*at == '<') /* a digit behind it is compared with: "n <5 OR p> 3" */
        return !is_element_of_html(part->content) && at[1] != ' ' &&
               !isdigit((unsigned char)*part->content);
    /* Names of tables with blanks in them stand in brackets too. */
    bool is_name = is_sql(part->text) && before != '\'' && before != '"';
    return !is_name && !strchr("([:", behind ? behind : ' ') && is_phrase(part->content);
}

/* The part that begins with the bracket at `at`; false when it does not end on its line, or is too
 * long for a gap. */
static bool read_bracketed(const char *text, size_t at, struct bracketed *out)
{
    const char open[] = { text[at], '\0' };
    if (*open == '_') {
        *out = (struct bracketed){ .text = text, .at = at, .length = strspn(text + at, "_") };
        return true;
    }
    const char close[] = { (char)(*open + 2), '\0' }; /* so it is in ASCII for all three */
    size_t n = strspn(text + at, open);
    const char *from = text + at + n + strspn(text + at + n, " \t");
    size_t length = strcspn(from, close);
    const char *end = from + length;
    *out = (struct bracketed){ .text = text, .at = at };
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

static bool is_template(const char *request)
{
    return has_listed(" template templates placeholder placeholders vorlage vorlagen platzhalter "
                      "modèle plantilla marcador modello segnaposto jinja mustache handlebars ",
                      request);
}

/* Whether the person wants just this to stand there. */
static bool is_wanted(const struct bracketed *part, const char *request)
{
    char written[2 * GAP_MAX_BYTES];
    size_t behind = part->at + part->length;
    bool is_whole = part->at == strspn(part->text, " ") && !part->text[behind];
    if (part->length < sizeof written) {
        memcpy(written, part->text + part->at, part->length);
        written[part->length] = '\0';
        if (strcasestr(request, written))
            return true;
    }
    bool is_name = !strpbrk(part->content, ".[|(") && !names_step(part->content);
    return is_name && !is_whole && is_template(request);
}

bool gap_find(const char *text, const char *request, struct gap *out)
{
    bool is_code = gap_is_code(text);
    if (!is_code && names_result(text) && !strcasestr(request, text)) {
        *out = (struct gap){ 0, strlen(text) };
        return true;
    }
    for (size_t at = 0; text[at]; at++) {
        struct bracketed part;
        if (!strchr("{<[_", text[at]) || !read_bracketed(text, at, &part) || !is_gap(&part)) {
            at += text[at] == '_' ? strspn(text + at, "_") - 1 : 0;
            continue;
        }
        bool is_sure = text[at] == '{' && begins_like_reference(part.content);
        if ((is_sure || !is_code) && !is_wanted(&part, request)) {
            *out = (struct gap){ part.at, part.length };
            return true;
        }
        at += part.length - 1;
    }
    return false;
}
