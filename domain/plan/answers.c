#include "domain/plan/answers.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

enum { PHRASE_BYTES = 200 }; /* longer texts are no phrases */

static bool is_among(const json_t *words, const char *list, const char *text)
{
    return json_array_has_text(json_object_get(words, list), text);
}

/* Without the quotes around all of it. In the arena. */
static const char *unquoted(struct arena *arena, const char *text, size_t length)
{
    bool is_quoted = length > 1 && strchr("\"'`", *text) && text[length - 1] == *text &&
                     !memchr(text + 1, *text, length - 2);
    return arena_strndup(arena, text + is_quoted, length - 2 * is_quoted);
}

/* Without blanks, commas and semicolons around it, and without its quotes. */
static const char *bare(struct arena *arena, const char *text, size_t length)
{
    static const char marks[] = BLANKS ",;";
    while (length && strchr(marks, text[length - 1]))
        length--;
    size_t before = strspn(text, marks);
    text += before < length ? before : length;
    return unquoted(arena, text, length - (before < length ? before : length));
}

/* Its words in lower case, without accents, punctuation and courtesy: "No, thanks!" is "no". "" for
 * a text that is longer than a phrase. */
static const char *plain(struct arena *arena, const json_t *words, const char *text)
{
    static const char gaps[] = BLANKS ".,;:!";
    size_t length = strlen(text);
    const char *said = "", *word = text_unaccented(arena, text, length > PHRASE_BYTES ? 0 : length);
    for (size_t n; *(word += strspn(word, gaps)); word += n) {
        n = strcspn(word, gaps);
        const char *one = arena_strndup(arena, word, n);
        if (!is_among(words, "please", one))
            said = arena_printf(arena, "%s%s%s", said, *said ? " " : "", one);
    }
    return said;
}

/* Behind what stands at `at`: a quoted or bracketed part as a whole, else one byte. */
static size_t skip(const char *text, size_t at)
{
    static const char opens[] = "[{(\"`", closes[] = "]})\"`";
    const char *open = text[at] ? strchr(opens, text[at]) : NULL;
    char close = open ? closes[open - opens] : '\0';
    unsigned depth = 1;
    for (size_t i = at + 1; open && text[i]; i++) {
        if (text[i] == close && --depth == 0)
            return i + 1;
        depth += text[i] == *open && *open != close;
    }
    return at + 1;
}

/* The word that ends at *at, which becomes its start. */
static const char *word_before(struct arena *arena, const char *text, size_t *at)
{
    size_t end = *at;
    while (*at && text_is_word_byte(text[*at - 1]))
        --*at;
    return text_unaccented(arena, text + *at, end - *at);
}

/* Whether a clause begins there, perhaps with an article, to whose start *at goes then: at the
 * start of the text, behind a separator or "and". */
static bool begins_clause(struct arena *arena, const json_t *words, const char *text, size_t *at)
{
    for (size_t end = *at;; end = *at) {
        while (end && strchr(" \t", text[end - 1]))
            end--;
        if (!end || strchr(",;.\n", text[end - 1]))
            return true;
        const char *word = word_before(arena, text, &end);
        if (!is_among(words, "the", word))
            return is_among(words, "and", word);
        *at = end;
    }
}

/* Where an answer says which question it is for. */
struct mark {
    size_t start, value; /* of the mark, and of what follows it */
    size_t question;
};

/* Where the key ends that stands at `at`, '_' and '-' as they are or as blanks; 0: it does not. */
static size_t key_end(const char *text, size_t at, const char *key)
{
    for (; *key; key++, at++)
        if (tolower((unsigned char)text[at]) != tolower((unsigned char)*key) &&
            !(strchr("_-", *key) && text[at] == ' '))
            return 0;
    return text_is_word_byte(text[at]) ? 0 : at + strspn(text + at, " \t");
}

/* "key=", "key:" or "the key is ". */
static bool find_key(struct arena *arena, const struct answer_reading *reading, const char *text,
                     size_t at, struct mark *out)
{
    for (size_t i = 0; i < reading->n; i++) {
        size_t end = key_end(text, at, reading->questions[i].key), start = at;
        size_t word = end ? strcspn(text + end, BLANKS) : 0;
        bool is_sign = end && (text[end] == '=' || (text[end] == ':' && text[end + 1] != '/'));
        bool is_verb = word && text[end + word] &&
                       is_among(reading->words, "is", arena_strndup(arena, text + end, word)) &&
                       begins_clause(arena, reading->words, text, &start);
        *out = (struct mark){ start, end + (is_sign ? 1 : word), i };
        if (is_sign || is_verb)
            return true;
    }
    return false;
}

/* "1) " or "2. ", the first of them at the start. */
static bool find_number(struct arena *arena, const struct answer_reading *reading, const char *text,
                        size_t at, struct mark *out)
{
    char *end;
    (void)arena;
    unsigned long number = isdigit((unsigned char)text[at]) ? strtoul(text + at, &end, 10) : 0;
    if (number < 1 || number > reading->n || reading->n == 1 || !*end || !strchr(").:", *end) ||
        !end[1] || !strchr(BLANKS, end[1]) || (at && !isdigit((unsigned char)*text)))
        return false;
    *out = (struct mark){ at, (size_t)(end + 1 - text), number - 1 };
    return true;
}

/* Fills the values where marks say whose they are. False: there are no marks. */
static bool read_marked(struct arena *arena, const struct answer_reading *reading, const char *text,
                        bool (*find)(struct arena *, const struct answer_reading *, const char *,
                                     size_t, struct mark *),
                        struct answers *out)
{
    struct mark *marks = NULL, mark;
    size_t n = 0, capacity = 0;
    for (size_t at = 0; text[at];) {
        bool begins = at == 0 || strchr(BLANKS ",;", text[at - 1]);
        bool found = begins && find(arena, reading, text, at, &mark);
        at = found ? mark.value : skip(text, at);
        if (found)
            *arena_push(arena, marks, n, capacity) = mark;
    }
    for (size_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? marks[i + 1].start : strlen(text), joint;
        while (end > marks[i].value && strchr(BLANKS, text[end - 1]))
            end--;
        joint = end;
        if (i + 1 < n && is_among(reading->words, "and", word_before(arena, text, &joint)))
            end = joint;
        const char *value =
            bare(arena, text + marks[i].value, end > marks[i].value ? end - marks[i].value : 0);
        if (out->values[marks[i].question])
            out->meaning = ANSWER_UNCLEAR;
        out->values[marks[i].question] = value;
    }
    return n > 0;
}

/* Parts between line breaks and semicolons (level 0), commas as well (1), "and" as well (2). */
static size_t split_at(struct arena *arena, const json_t *words, const char *text, unsigned level,
                       const char ***out)
{
    const char **parts = NULL;
    size_t n = 0, capacity = 0, start = 0, at = 0, gap;
    for (bool is_end = false; !is_end; at = gap ? at + gap : is_end ? at : skip(text, at)) {
        is_end = !text[at];
        size_t sign = !is_end && strchr(level ? ";\n," : ";\n", text[at]) ? 1 : 0;
        size_t word = at + sign + strspn(text + at + sign, " \t");
        size_t length = strcspn(text + word, BLANKS);
        bool is_and = word > at && text[word + length] &&
                      is_among(words, "and", arena_strndup(arena, text + word, length));
        gap = is_and && (sign || level == 2) ? word + length - at : sign;
        if (!gap && !is_end)
            continue;
        const char *part = bare(arena, text + start, at - start);
        if (*part)
            *arena_push(arena, parts, n, capacity) = part;
        start = at + gap;
    }
    *out = parts;
    return n;
}

size_t answers_split(struct arena *arena, const json_t *words, const char *text, size_t n,
                     const char ***out)
{
    const char **all, **last;
    size_t n_parts = split_at(arena, words, text, 0, out);
    if (n ? n_parts != n : n_parts < 2)
        n_parts = split_at(arena, words, text, 1, out);
    if (n_parts == 0 || n_parts == n)
        return n_parts;
    size_t n_all = split_at(arena, words, text, 2, &all);
    size_t n_last = split_at(arena, words, (*out)[n_parts - 1], 2, &last);
    if (n ? n_all != n : n_all + 1 != n_parts + n_last)
        return n_parts;
    *out = all;
    return n_all;
}

/* One part for each question, in their order; or a single part, for the first of them. */
static void read_in_order(struct arena *arena, const struct answer_reading *reading,
                          const char *text, struct answers *out)
{
    const char *whole = unquoted(arena, text, strlen(text)), **parts = &whole;
    size_t n = reading->n == 1 ? 1 : answers_split(arena, reading->words, text, reading->n, &parts);
    out->meaning = n == reading->n || n == 1 ? ANSWER_VALUES : ANSWER_UNCLEAR;
    for (size_t i = 0; i < n && out->meaning == ANSWER_VALUES; i++) {
        out->values[i] = parts[i];
        if (!reading->fits(reading->context, &reading->questions[i], parts[i]))
            out->meaning = n == 1 ? ANSWER_MISFIT : ANSWER_UNCLEAR;
    }
}

/* "never mind", "no", "forget that, please list src"; "what do you mean?". False: an answer. */
static bool is_refusal(struct arena *arena, const struct answer_reading *reading, const char *text,
                       struct answers *out)
{
    const json_t *words = reading->words;
    const char *said = plain(arena, words, text);
    size_t end = 0; /* not at the dot of "stop.md" */
    while (text[end] && !strchr(",;:!\n", text[end]) &&
           (text[end] != '.' || !strchr(BLANKS ".", text[end + 1])))
        end++;
    const char *first = plain(arena, words, arena_strndup(arena, text, end));
    const char *rest = text + end + strspn(text + end, ",.;:!" BLANKS);
    bool is_dropped = is_among(words, "drop", first), is_no = is_among(words, "no", first);
    out->rest = *rest && (is_dropped || is_no) && strcmp(said, first) != 0 ? rest : NULL;
    const char *asked = arena_strndup(arena, said, strcspn(said, "?"));
    bool is_asked = is_among(words, "explain", said) || is_among(words, "explain", asked);
    out->meaning = is_asked ? ANSWER_EXPLAIN : ANSWER_DROP;
    return is_asked || is_among(words, "drop", said) || is_among(words, "no", said) ||
           (out->rest && is_dropped);
}

void answers_read(struct arena *arena, const struct answer_reading *reading, const char *message,
                  struct answers *out)
{
    const char *text = message + strspn(message, BLANKS);
    size_t length = strlen(text);
    while (length && strchr(BLANKS, text[length - 1]))
        length--;
    text = arena_strndup(arena, text, length);
    *out = (struct answers){ .values = arena_array(arena, const char *, reading->n) };
    if (is_refusal(arena, reading, text, out)) {
        for (size_t i = 0; i < reading->n && !out->rest; i++)
            if (answers_choice(arena, reading->words, &reading->questions[i], text, false)) {
                out->values[i] = text;
                out->meaning = ANSWER_VALUES;
                return;
            }
        return;
    }
    bool is_long = length > ANSWERS_MAX_BYTES;
    out->meaning = ANSWER_VALUES;
    if (is_long && reading->n > 1)
        out->meaning = ANSWER_UNCLEAR;
    else if (is_long || (!read_marked(arena, reading, text, find_key, out) &&
                         !read_marked(arena, reading, text, find_number, out)))
        read_in_order(arena, reading, text, out);
}

/* The one choice that has most words of the text in its name; NULL as well where one is denied. */
static const char *choice_by_words(struct arena *arena, const json_t *words,
                                   const struct question *question, const char *said)
{
    enum { LEAST_BYTES = 3 };
    size_t most = 0;
    const char *found = NULL;
    for (size_t i = 0; i < question->n_choices; i++) {
        const char *name =
            text_unaccented(arena, question->choices[i], strlen(question->choices[i]));
        size_t shared = 0, n;
        for (const char *word = said; *(word += strspn(word, " ")); word += n) {
            n = strcspn(word, " ");
            const char *one = arena_strndup(arena, word, n);
            if (is_among(words, "not", one))
                return NULL;
            const char *at = n >= LEAST_BYTES ? strstr(name, one) : NULL;
            shared += at && (at == name || !text_is_word_byte(at[-1]));
        }
        found = shared > most ? question->choices[i] : shared == most ? NULL : found;
        most = shared > most ? shared : most;
    }
    return found;
}

const char *answers_choice(struct arena *arena, const json_t *words,
                           const struct question *question, const char *text, bool by_words)
{
    const json_t *meanings = json_object_get(words, "choices");
    const char *said = plain(arena, words, text);
    int64_t number;
    for (size_t i = 0; i < question->n_choices; i++)
        if (strcasecmp(question->choices[i], text) == 0 ||
            is_among(meanings, question->choices[i], said))
            return question->choices[i];
    if (question_is_numbered(question) && text_to_int64(text, &number) && number >= 1 &&
        (size_t)number <= question->n_choices)
        return question->choices[number - 1];
    return by_words && strcmp(question->key, "tool") == 0
               ? choice_by_words(arena, words, question, said)
               : NULL;
}
