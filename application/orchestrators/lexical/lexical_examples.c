/* What a description shows as a value, "number plate, for example B-AX 100", tells of others: the
 * same words are one where the request says them, and so is what is built alike, where the form is
 * peculiar enough to be no other word. */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define FORM_MAX_BYTES 48
#define EXAMPLE_MAX_WORDS 3 /* with blanks between them: "KA-TR 512" */

/* Where the examples of a description begin; "" when it has none. */
static const char *examples_of(const struct parameter *parameter)
{
    static const char *const leads[] = { "for example", "e.g.", "such as", "for instance" };
    const char *about = json_get_string(parameter->schema, "description");
    for (size_t i = 0; about && i < ARRAY_LENGTH(leads); i++) {
        const char *at = strcasestr(about, leads[i]);
        if (at)
            return at + strlen(leads[i]) + strspn(at + strlen(leads[i]), " ,:");
    }
    return "";
}

/* The piece of the list at *at, which it moves behind: "room, e.g. kitchen or 'living room'". */
static const char *next_example(struct arena *arena, const char **at)
{
    static const char *const joints[] = { " or ", " and " };
    size_t length = strcspn(*at, ",;()");
    const char *piece = *at;
    for (size_t i = 0; i < ARRAY_LENGTH(joints); i++) {
        const char *joint = strstr(piece, joints[i]);
        if (joint && (size_t)(joint - piece) < length)
            length = (size_t)(joint - piece);
    }
    const char *stop = strstr(piece, ". ");
    if (stop && (size_t)(stop - piece) < length)
        length = (size_t)(stop - piece);
    *at += length;
    *at += **at == ' ' ? strcspn(*at + 1, " ") + 1 : **at == ',';
    *at += strspn(*at, " ");
    while (length && strchr(". ", piece[length - 1]))
        length--;
    return arena_strndup(arena, piece, length);
}

/* "A-A 9" for "KA-TR 512": letters of one case and digits count once however many they are, and so
 * does a part that is repeated: "9.9" for "1987.44.2". "" when it is too long. */
static const char *form_of(struct arena *arena, const char *text, size_t length)
{
    char form[FORM_MAX_BYTES + 1];
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char is = isdigit(c) ? '9' : isupper(c) ? 'A' : isalpha(c) || c >= 0x80 ? 'a' : (char)c;
        if (n && form[n - 1] == is && isalnum(c))
            continue;
        if (n == FORM_MAX_BYTES)
            return "";
        form[n++] = is;
        bool is_repeated = n >= 5 && memcmp(form + n - 2, form + n - 4, 2) == 0;
        n -= is_repeated ? 2 : 0;
    }
    return arena_strndup(arena, form, n);
}

/* A word, a name and a number are built like many others; "1987.44.2" is no number. */
static bool is_peculiar(const char *example, const char *form)
{
    bool is_number = strcmp(form, "9.9") == 0 && strchr(example, '.') == strrchr(example, '.');
    bool has_digit = strchr(form, '9') != NULL;
    return strlen(form) > 1 && !is_number && (has_digit || strpbrk(form, "./_"));
}

/* The words of the text from a byte on, up to n with a blank between; 0 when there are fewer. */
static size_t words_end(const char *text, size_t from, size_t n)
{
    size_t end = from;
    for (size_t i = 0; i < n; i++) {
        end += i ? strspn(text + end, " ") : 0;
        if (!text[end])
            return 0;
        end += strcspn(text + end, " \t\n");
    }
    while (end > from && strchr(".,;:!?)", text[end - 1]))
        end--;
    return end;
}

static bool is_free(const struct lexical_filling *filling, size_t from, size_t end,
                    size_t *out_first, size_t *out_last)
{
    bool found = false;
    for (size_t i = 0; i < filling->request.n; i++) {
        const struct lexical_token *token = lexical_word(filling, i);
        if (token->offset + token->length <= from || token->offset >= end)
            continue;
        if (filling->used[i])
            return false;
        *out_first = found ? *out_first : i;
        *out_last = i;
        found = true;
    }
    return found;
}

/* An id begins as the one that is shown: "msg-7" for "msg-1042", but a number plate as it likes. */
static bool begins_alike(const char *example, const char *said)
{
    size_t letters = 0;
    while (islower((unsigned char)example[letters]))
        letters++;
    return !letters || !strchr("-_", example[letters]) || strncmp(example, said, letters) == 0;
}

/* The first words of the request that are built like the example. */
static bool fill_alike(struct lexical_filling *filling, struct parameter *parameter,
                       const char *example)
{
    const char *text = filling->text, *form = form_of(filling->arena, example, strlen(example));
    size_t n_words = 1, first, last;
    for (const char *at = example; (at = strchr(at, ' ')); at++)
        n_words++;
    if (n_words > EXAMPLE_MAX_WORDS || !is_peculiar(example, form))
        return false;
    for (size_t from = strspn(text, " \t\n"); text[from];
         from += strcspn(text + from, " \t\n"), from += strspn(text + from, " \t\n")) {
        size_t end = words_end(text, from, n_words);
        if (end <= from || strcmp(form_of(filling->arena, text + from, end - from), form) != 0 ||
            !begins_alike(example, text + from) || !is_free(filling, from, end, &first, &last))
            continue;
        const char *said = arena_strndup(filling->arena, text + from, end - from);
        lexical_fill(filling, parameter, json_string(said), first, last, "like the example", 1);
        lexical_use_up(filling, first, last);
        filling->out->n_suited++;
        return true;
    }
    return false;
}

/* Its values are words, not of a form of their own or whole sentences. */
static bool is_named_by_words(const struct parameter *parameter)
{
    return !parameter->wants_sql && !parameter->wants_path && !parameter->wants_date &&
           !parameter->wants_time && !parameter->wants_id && !parameter->wants_link &&
           !parameter->wants_email && !parameter->wants_text;
}

static void fill_same(struct lexical_filling *filling, struct parameter *parameter,
                      const char *example)
{
    size_t first;
    struct lexical_text words = lexical_read(filling->arena, example, 8, false);
    if (!words.n || words.tokens->is_number || words.tokens->is_function ||
        !lexical_is_said(filling, &words, &first))
        return;
    const struct lexical_token *last = lexical_word(filling, first + words.n - 1);
    size_t from = lexical_word(filling, first)->offset;
    const char *said =
        arena_strndup(filling->arena, filling->text + from, last->offset + last->length - from);
    lexical_fill(filling, parameter, json_string(said), first, first + words.n - 1, "example", 1);
}

static bool takes_examples(const struct parameter *parameter)
{
    return parameter->type == PARAMETER_STRING && !parameter->value &&
           !json_object_get(parameter->schema, "enum");
}

void lexical_fill_forms(struct lexical_filling *filling)
{
    for (size_t p = 0; p < filling->n; p++) {
        struct parameter *parameter = &filling->parameters[p];
        const char *at = takes_examples(parameter) && !parameter->wants_date &&
                                 !parameter->wants_time && !parameter->wants_path &&
                                 !parameter->wants_glob && !parameter->wants_text
                             ? examples_of(parameter)
                             : "";
        while (*at && !parameter->value && !strchr(".;()", *at))
            if (fill_alike(filling, parameter, next_example(filling->arena, &at)))
                break;
    }
}

void lexical_fill_examples(struct lexical_filling *filling)
{
    for (size_t p = 0; p < filling->n; p++) {
        struct parameter *parameter = &filling->parameters[p];
        const char *at =
            takes_examples(parameter) && is_named_by_words(parameter) ? examples_of(parameter) : "";
        while (*at && !parameter->value && !strchr(".;()", *at))
            fill_same(filling, parameter, next_example(filling->arena, &at));
    }
}
