#include "domain/text/ungrounded.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

struct sentence {
    const json_t *lists;
    const char *words[UNGROUNDED_MAX_WORDS]; /* "," stands for itself */
    size_t n;
};

static bool is_in_list(const struct sentence *sentence, const char *word, const char *name,
                       size_t length)
{
    const json_t *globs = json_object_getn(sentence->lists, name, length);
    for (size_t i = 0; i < json_array_size(globs); i++) {
        const char *glob = json_string_value(json_array_get(globs, i));
        /* Most globs need a look at one byte only. */
        bool may_fit = glob && (*glob == *word || *glob == '[' ||
                                (*glob == '*' && (glob[1] == '[' || strchr(word, glob[1]))));
        if (may_fit && text_matches_glob(glob, word))
            return true;
    }
    return false;
}

/* element: "word", "@list" or "@list!other". */
static bool fits(const struct sentence *sentence, const char *word, const char *element,
                 size_t length)
{
    if (*element != '@')
        return strlen(word) == length && memcmp(word, element, length) == 0;
    const char *other = memchr(element, '!', length);
    size_t name = (other ? (size_t)(other - element) : length) - 1;
    return is_in_list(sentence, word, element + 1, name) &&
           !(other && is_in_list(sentence, word, other + 1, length - name - 2));
}

/* Whether the pattern fits the words from `at` on. The recursion is as deep as the pattern is long,
 * and one deeper for each word of a repeated list. */
static bool fits_at(const struct sentence *sentence, size_t at, const char *pattern)
{
    const char *element = pattern + strspn(pattern, " ");
    size_t length = strcspn(element, " ");
    const char *rest = element + length;
    bool is_end = at == sentence->n || strcmp(sentence->words[at], ",") == 0;
    if (length == 0)
        return true;
    if (*element == '.')
        return is_end;
    if (*element == '^')
        return (at == 0 || strcmp(sentence->words[at - 1], ",") == 0) &&
               fits_at(sentence, at, rest);
    if (*element == '~') {
        bool fit = fits_at(sentence, at, rest);
        while (!fit && at < sentence->n && strcmp(sentence->words[at], ",") != 0 &&
               !is_in_list(sentence, sentence->words[at], "not", strlen("not")))
            fit = fits_at(sentence, ++at, rest);
        return fit;
    }
    if (element[length - 1] == '*' && fits_at(sentence, at, rest))
        return true;
    if (is_end ||
        !fits(sentence, sentence->words[at], element, length - (element[length - 1] == '*')))
        return false;
    return fits_at(sentence, at + 1, element[length - 1] == '*' ? element : rest);
}

static bool fits_one(const struct sentence *sentence, const json_t *patterns)
{
    for (size_t i = 0; i < json_array_size(patterns); i++) {
        const char *pattern = json_string_value(json_array_get(patterns, i));
        for (size_t at = 0; pattern && *pattern && at < sentence->n; at++)
            if ((strchr("@^", *pattern) || *pattern == *sentence->words[at]) &&
                fits_at(sentence, at, pattern))
                return true;
    }
    return false;
}

/* The words up to a full stop or the end of the line, and where the next sentence begins. */
static const char *read_words(struct arena *arena, const char *text, struct sentence *out)
{
    bool is_open = true;
    for (out->n = 0; is_open && *text && out->n < UNGROUNDED_MAX_WORDS;) {
        size_t length = strcspn(text, " \n");
        bool ends = length && strchr(".!?", text[length - 1]),
             pauses = length && strchr(",;:", text[length - 1]);
        char *word = arena_strndup(arena, text, length), *apostrophe = strstr(word, "\u2019");
        if (apostrophe) {
            length -= strlen("\u2019") - 1;
            word = arena_printf(arena, "%.*s'%s", (int)(apostrophe - word), word,
                                apostrophe + strlen("\u2019"));
        }
        while (length && strchr(".!?,;:\"')*_", word[length - 1]))
            word[--length] = '\0';
        word += strspn(word, "\"'(*_");
        for (char *c = word; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (*word)
            out->words[out->n++] = word;
        if (pauses && out->n < UNGROUNDED_MAX_WORDS)
            out->words[out->n++] = ",";
        text += strcspn(text, " \n");
        is_open = !ends && *text != '\n';
        text += strspn(text, " \n");
    }
    return text;
}

/* Whether there are numbers, and all of them stand in what was said. */
static bool repeats_numbers(const struct sentence *sentence, const char *said)
{
    size_t n = 0, n_said = 0;
    for (size_t i = 0; i < sentence->n; i++)
        if (strpbrk(sentence->words[i], "0123456789")) {
            n++;
            n_said += strstr(said, sentence->words[i]) != NULL;
        }
    return n && n == n_said;
}

/* Whether a word of the text begins so; camelCase has several. */
static bool has_word(const char *text, const json_t *beginnings)
{
    for (size_t at = 0; text[at]; at++) {
        bool goes_on = at && text_is_word_byte(text[at - 1]) &&
                       !(isupper((unsigned char)text[at]) && islower((unsigned char)text[at - 1]));
        for (size_t i = 0; !goes_on && i < json_array_size(beginnings); i++) {
            const char *beginning = json_string_value(json_array_get(beginnings, i));
            if (beginning && strncasecmp(text + at, beginning, strlen(beginning)) == 0)
                return true;
        }
    }
    return false;
}

/* The lists, with those deeds alone that none of the tools does. */
static const json_t *lists_beside(struct arena *arena, const json_t *patterns, const char *done_by)
{
    const json_t *lists = json_object_get(patterns, "lists"),
                 *beside = json_object_get(patterns, "beside");
    if (!done_by || !*done_by)
        return lists;
    json_t *deeds = json_array(), *kinds = json_object_get(beside, "kinds"), *kind;
    size_t i;
    bool may_be_any = has_word(done_by, json_object_get(beside, "any"));
    json_array_foreach (kinds, i, kind)
        if (!may_be_any && !has_word(done_by, json_object_get(kind, "tools")))
            json_array_extend(deeds, json_object_get(kind, "deeds"));
    json_t *others = json_copy((json_t *)(uintptr_t)lists);
    json_object_set_new(others, "deed", deeds);
    return arena_keep_json(arena, others);
}

const char *ungrounded_claim(struct arena *arena, const json_t *patterns, const char *answer,
                             const char *said, const char *done_by)
{
    const json_t *deeds = json_object_get(patterns, "deeds"),
                 *actions = json_object_get(patterns, "actions"),
                 *facts = json_object_get(patterns, "facts");
    struct sentence sentence = { .lists = lists_beside(arena, patterns, done_by) };
    for (const char *next; *answer; answer = next) {
        next = read_words(arena, answer, &sentence);
        size_t length = (size_t)(next - answer);
        while (length && strchr(" \n", answer[length - 1]))
            length--;
        const char *text = arena_strndup(arena, answer, length);
        bool is_claim =
            fits_one(&sentence, deeds) ||
            (!done_by && (fits_one(&sentence, actions) ||
                          (fits_one(&sentence, facts) && !repeats_numbers(&sentence, said))));
        if (is_claim && !fits_one(&sentence, json_object_get(patterns, "passes")) &&
            !strstr(said, text))
            return text;
    }
    return NULL;
}
