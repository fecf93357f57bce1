/* The reader takes, at each place, the first that fits: a quoted span, a number, a magnitude ("100
 * million" is one number), a word; any other character is the punctuation before the next token. */
#include "application/orchestrators/lexical/lexical_words.h"
#include "application/finding/word_files.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define LONGEST_LISTED 48 /* bytes of a word of a list */
#define MOST_WORDS 17     /* of one sense, and the NULL behind them */

static const char *const senses[N_SENSES][MOST_WORDS] = {
    [SENSE_READ] = { "read", "reads", "show", "shows", "print", "prints", "display", "displays",
                     "view", "open", "cat", "content", "contents", "say", "says", "see" },
    [SENSE_SEARCH] = { "search", "searches", "find", "finds", "look", "grep", "locate", "lookup",
                       "seek", "contain", "contains", "containing", "mention", "mentions",
                       "mentioned", "occur" },
    [SENSE_LIST] = { "list", "lists", "listing", "ls", "enumerate" },
    [SENSE_COUNT] = { "count", "counts", "counting", "many" },
    [SENSE_SIZE] = { "size", "sizes", "big", "large", "bytes" },
    [SENSE_FILE] = { "file", "files", "document", "documents" },
    [SENSE_FOLDER] = { "folder", "folders", "directory", "directories", "dir", "subfolder" },
    [SENSE_CREATE] = { "create", "creates", "make", "makes", "new", "mkdir" },
    [SENSE_DELETE] = { "delete", "deletes", "remove", "removes", "erase", "rm" },
    [SENSE_MOVE] = { "move", "moves", "rename", "renames", "mv" },
    [SENSE_CHANGE] = { "change", "changes", "edit", "edits", "modify", "replace", "update" },
    [SENSE_FETCH] = { "fetch", "fetches", "download", "downloads" },
    [SENSE_SUM] = { "sum", "add", "adds", "plus" },
    [SENSE_SEND] = { "send", "sends", "post", "posts" },
};

static enum lexical_sense sense_of(const char *lower)
{
    for (size_t sense = SENSE_NONE + 1; sense < N_SENSES; sense++)
        for (size_t i = 0; senses[sense][i]; i++)
            if (*senses[sense][i] == *lower && strcmp(senses[sense][i], lower) == 0)
                return (enum lexical_sense)sense;
    return SENSE_NONE;
}

bool lexical_is_action(enum lexical_sense sense)
{
    return sense != SENSE_NONE && sense != SENSE_FILE && sense != SENSE_FOLDER &&
           sense != SENSE_SIZE;
}

const char *const *lexical_words_of(enum lexical_sense sense)
{
    return senses[sense];
}

/* Words of grammar, and the verbs and nouns that every request and every description is full of. */
static const char function_words[] =
    " a about all also an and any are as at based be been between by calculate can certain "
    "compute could data default defaults details determine did do does each find for format "
    "from function get give given had has have how i if in information into is it its know let "
    "like me my need number numbers of on optional or our over per please provided return "
    "returns shall should show some specific specified tell than that the their them then "
    "there these they this those to under use used using value values via want was we were "
    "what when where which who whom whose why will with would you your ";

static const char *const endings[] = {
    "ically", "ively", "ive", "ations", "ation", "ating", "ated", "ates", "ingly",
    "ings",   "ing",   "ies", "ied",    "ers",   "er",    "ors",  "or",   "ally",
    "al",     "ly",    "es",  "ed",     "s",     "e",     "y",
};

static const struct {
    const char *word;
    double number;
} number_words[] = {
    { "zero", 0 },     { "one", 1 },     { "two", 2 },     { "three", 3 },     { "four", 4 },
    { "five", 5 },     { "six", 6 },     { "seven", 7 },   { "eight", 8 },     { "nine", 9 },
    { "ten", 10 },     { "eleven", 11 }, { "twelve", 12 }, { "dozen", 12 },    { "fifteen", 15 },
    { "twenty", 20 },  { "thirty", 30 }, { "forty", 40 },  { "fifty", 50 },    { "sixty", 60 },
    { "seventy", 70 }, { "eighty", 80 }, { "ninety", 90 }, { "hundred", 100 }, { "thousand", 1000 },
    { "twice", 2 },
};

struct reader {
    struct arena *arena;
    const char *original, *text; /* text: with plain quotes and apostrophes, byte for byte */
    size_t at, length;
    bool identifiers;
    char before;
    struct lexical_token *tokens;
    size_t n, capacity, max;
};

bool lexical_is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*word == *words[i] && strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool lexical_joins(const char *lower)
{
    static const char *const words[] = { "and", "und", "et", "y", "e", "&", "sowie", "plus" };
    return LEXICAL_ONE_OF(lower, words);
}

bool lexical_listed(const char *list, const char *word)
{
    char listed[LONGEST_LISTED + 3] = " ";
    size_t n = 0;
    while (word[n] && word[n] != ' ' && n < LONGEST_LISTED) {
        listed[n + 1] = (char)tolower((unsigned char)word[n]);
        n++;
    }
    listed[n + 1] = ' ';
    return n && !word[n] && strstr(list, listed);
}

static const char *stem_of(struct arena *arena, const char *lower)
{
    size_t length = strlen(lower);
    for (size_t i = 0; i < ARRAY_LENGTH(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (length >= ending + 3 && text_ends_with(lower, endings[i]))
            return arena_strndup(arena, lower, length - ending);
    }
    return lower;
}

/* What is known of a token's English word. */
static void classify(struct arena *arena, struct lexical_token *token)
{
    token->stem = stem_of(arena, token->english);
    token->is_function = lexical_listed(function_words, token->english);
    token->sense = sense_of(token->english);
    for (size_t i = 0; token->kind == LEXICAL_WORD && i < ARRAY_LENGTH(number_words); i++)
        if (strcmp(token->english, number_words[i].word) == 0) {
            token->number = number_words[i].number;
            token->is_number = token->is_whole = true;
        }
}

static const char *lower_of(struct arena *arena, const char *text, size_t length)
{
    size_t n = 0;
    char *lower = text_unaccented(arena, text, length);
    for (const char *at = lower; *at; at++)
        if (*at != WORD_FILLER)
            lower[n++] = *at;
    lower[n] = '\0';
    return lower;
}

static struct lexical_token *add_token(struct reader *reader, enum lexical_kind kind, size_t from,
                                       size_t to)
{
    struct lexical_token *token =
        arena_push(reader->arena, reader->tokens, reader->n, reader->capacity);
    const char *text = reader->original + from;
    *token = (struct lexical_token){ .kind = kind, .offset = from, .length = to - from };
    token->text = arena_strndup(reader->arena, text, to - from);
    token->english = token->lower = lower_of(reader->arena, reader->text + from, to - from);
    token->before = reader->before;
    token->is_capital =
        isupper((unsigned char)*text) || (*text == (char)0xC3 && (unsigned char)text[1] < 0x9F);
    classify(reader->arena, token);
    reader->before = 0;
    reader->at = to;
    return token;
}

static char peek(const struct reader *reader, size_t at)
{
    return at < reader->length ? reader->text[at] : '\0';
}

/* A filler stands for the other bytes of a sign: it belongs to what the sign belongs to. */
static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == WORD_FILLER;
}

static size_t behind_fillers(const struct reader *reader, size_t at)
{
    while (peek(reader, at) == WORD_FILLER)
        at++;
    return at;
}

/* Where the quoted span that starts at reader->at ends, 0 when nothing closes it. */
static size_t quoted_end(const struct reader *reader)
{
    char quote = peek(reader, reader->at);
    bool opens = quote == '"' || quote == '`' ||
                 (quote == '\'' && (!reader->at || !is_letter(reader->text[reader->at - 1])));
    for (size_t at = reader->at + 1; opens && at < reader->length; at++)
        if (reader->text[at] == quote &&
            !(quote == '\'' && is_letter(peek(reader, behind_fillers(reader, at + 1)))))
            return at;
    return 0;
}

static bool is_blank(char c)
{
    return isspace((unsigned char)c) || c == WORD_FILLER;
}

static bool read_quoted(struct reader *reader)
{
    size_t start = reader->at, from = start + 1, to = quoted_end(reader);
    size_t end = behind_fillers(reader, to + 1);
    while (from < to && is_blank(reader->text[from]))
        from++;
    while (to > from && is_blank(reader->text[to - 1]))
        to--;
    if (to <= from)
        return false;
    struct lexical_token *token = add_token(reader, LEXICAL_QUOTED, from, to);
    token->offset = start;
    token->length = end - start;
    reader->at = end;
    return true;
}

static size_t digits_end(const struct reader *reader, size_t at)
{
    while (isdigit((unsigned char)peek(reader, at)) ||
           (peek(reader, at) == ',' && isdigit((unsigned char)peek(reader, at + 1)) &&
            isdigit((unsigned char)peek(reader, at + 2)) &&
            isdigit((unsigned char)peek(reader, at + 3)) &&
            !isdigit((unsigned char)peek(reader, at + 4)) && at > reader->at))
        at++;
    return at;
}

/* "3,5" is a number where a comma parts no list: "[3,5]", "3,5,7", "(3,5)". */
static bool is_decimal_comma(const struct reader *reader, size_t at)
{
    size_t end = at + 1;
    bool in_list = reader->at && strchr("[(,", reader->text[reader->at - 1]);
    while (isdigit((unsigned char)peek(reader, end)))
        end++;
    return peek(reader, at) == ',' && !in_list && end > at + 1 && end <= at + 3 &&
           peek(reader, end) != ',';
}

static size_t number_end(const struct reader *reader)
{
    size_t at = reader->at + (peek(reader, reader->at) == '-');
    size_t end = digits_end(reader, at);
    if (end == at)
        return 0;
    if ((peek(reader, end) == '.' && isdigit((unsigned char)peek(reader, end + 1))) ||
        is_decimal_comma(reader, end))
        for (end++; isdigit((unsigned char)peek(reader, end));)
            end++;
    size_t exponent = end + 1 + (peek(reader, end + 1) == '-' || peek(reader, end + 1) == '+');
    if (peek(reader, end) == 'e' && isdigit((unsigned char)peek(reader, exponent)))
        for (end = exponent; isdigit((unsigned char)peek(reader, end));)
            end++;
    return end;
}

/* "2023-05-01", "10:30", "16th", "3/4", "6.md" and "6_a" are words although they start with a
 * digit. */
static bool is_odd_number(const struct reader *reader, size_t end)
{
    char c = peek(reader, end), next = peek(reader, end + 1);
    if (strchr("-:/.", c) && c && isdigit((unsigned char)next))
        return true;
    if (c == '_' || (c == '.' && islower((unsigned char)next)))
        return true;
    const char *behind = reader->text + end;
    return strncmp(behind, "st ", 3) == 0 || strncmp(behind, "nd ", 3) == 0 ||
           strncmp(behind, "rd ", 3) == 0 || strncmp(behind, "th", 2) == 0;
}

static bool read_number(struct reader *reader)
{
    size_t from = reader->at, end = number_end(reader), used = 0;
    const struct lexical_token *last = reader->n ? &reader->tokens[reader->n - 1] : NULL;
    bool after_letter = last && last->offset + last->length == from;
    char digits[64];
    if (!end || end - from >= sizeof digits || after_letter || is_odd_number(reader, end))
        return false;
    for (size_t at = from; at < end; at++)
        if (reader->text[at] != ',' || is_decimal_comma(reader, at))
            digits[used++] = reader->text[at] == ',' ? '.' : reader->text[at];
    digits[used] = '\0';
    struct lexical_token *token = add_token(reader, LEXICAL_NUMBER, from, end);
    token->is_number = text_to_double(digits, &token->number);
    token->is_whole = !digits[strcspn(digits, ".e")];
    token->is_percent = peek(reader, end + (peek(reader, end) == ' ')) == '%';
    return true;
}

/* "*.c", "*_test.c", "*" and "**" in a path: the asterisk of a file pattern, not that of a product.
 */
static bool is_wildcard(const struct reader *reader, size_t at)
{
    size_t behind = at + 1 + (peek(reader, at + 1) == '*');
    char next = peek(reader, behind);
    bool is_ending =
        (next == '.' || next == '_') && isalpha((unsigned char)peek(reader, behind + 1));
    return peek(reader, at) == '*' && (is_ending || next == '/');
}

/* Characters that belong to a word only between letters: paths, addresses, hyphens. */
static bool joins(const struct reader *reader, size_t at)
{
    char c = peek(reader, at), next = peek(reader, behind_fillers(reader, at + 1));
    if (reader->identifiers || !c || !next)
        return false;
    bool is_inner = strchr("-'./@&+_", c) && is_letter(next);
    bool is_url = c == ':' && (next == '/' || isdigit((unsigned char)next));
    bool is_pattern = is_wildcard(reader, at) || (c == '/' && is_wildcard(reader, at + 1));
    return is_inner || is_url || is_pattern || (c == '/' && next == '/');
}

static bool is_hump(const struct reader *reader, size_t at)
{
    return reader->identifiers && isupper((unsigned char)peek(reader, at)) &&
           islower((unsigned char)peek(reader, at - 1));
}

/* Where an article ends that an apostrophe joins to its noun: "l'objet", "dell'ordine"; else 0. */
static size_t elision_end(const struct reader *reader)
{
    static const char *const elided[] = { "l",    "d",    "qu",   "dell", "all",
                                          "dall", "nell", "sull", "un" };
    size_t end = reader->at;
    while (isalpha((unsigned char)peek(reader, end)))
        end++;
    bool is_joined = peek(reader, end) == '\'';
    const char *word = arena_strndup(reader->arena, reader->text + reader->at, end - reader->at);
    for (size_t i = 0; is_joined && !reader->identifiers && i < ARRAY_LENGTH(elided); i++)
        if (strcasecmp(word, elided[i]) == 0)
            return end;
    return 0;
}

/* An address of the web goes on to the next blank, but for what ends a sentence or a bracket. */
static size_t link_end(const struct reader *reader)
{
    size_t end = reader->at;
    while (end < reader->length && !is_blank(reader->text[end]) &&
           !strchr("\"'`<>", reader->text[end]))
        end++;
    while (end > reader->at && strchr(".,;:!?)", reader->text[end - 1]))
        end--;
    return end;
}

static size_t word_end(const struct reader *reader)
{
    size_t scheme = reader->at + strspn(reader->text + reader->at, "abcdefghijklmnopqrstuvwxyz");
    if (scheme > reader->at && text_starts_with(reader->text + scheme, "://"))
        return link_end(reader);
    size_t at = reader->at;
    char c = peek(reader, at), next = peek(reader, at + 1);
    bool is_tag = c == '#' && isalpha((unsigned char)next);
    bool is_path = !reader->identifiers && c &&
                   (is_tag || is_wildcard(reader, at) ||
                    (strchr("/~.", c) && (is_letter(next) || next == '/' || next == '.')));
    if (is_path)
        at++;
    while (at < reader->length &&
           (is_letter(reader->text[at]) || joins(reader, at) ||
            (is_path && strchr("/.", reader->text[at]) && is_letter(peek(reader, at + 1)))))
        if (is_hump(reader, ++at))
            break;
    return at > reader->at + is_path ? at : 0;
}

static bool read_word(struct reader *reader)
{
    size_t from = reader->at, end = word_end(reader), elided = elision_end(reader);
    if (!end)
        return false;
    size_t possessive = end - from > 2 && strncmp(reader->text + end - 2, "'s", 2) == 0 ? 2 : 0;
    add_token(reader, LEXICAL_WORD, from, elided ? elided : end - possessive);
    reader->at = elided ? elided + 1 : end;
    return true;
}

/* "100 million" is one number. */
static bool read_magnitude(struct reader *reader)
{
    static const struct {
        const char *word;
        double factor;
    } magnitudes[] = { { "hundred", 1e2 },
                       { "thousand", 1e3 },
                       { "million", 1e6 },
                       { "billion", 1e9 },
                       { "trillion", 1e12 } };
    struct lexical_token *number = reader->n ? &reader->tokens[reader->n - 1] : NULL;
    size_t end = word_end(reader);
    if (!number || !number->is_number || reader->before || end <= reader->at)
        return false;
    const char *word = reader->text + reader->at;
    size_t length = end - reader->at;
    for (size_t i = 0; i < ARRAY_LENGTH(magnitudes); i++) {
        if (length != strlen(magnitudes[i].word) || strncmp(word, magnitudes[i].word, length) != 0)
            continue;
        number->number *= magnitudes[i].factor;
        number->length = end - number->offset;
        reader->at = end;
        return true;
    }
    return false;
}

/* Anything else: what stands before the next token. A dash beyond ASCII is plainly a blank. */
static void skip_sign(struct reader *reader)
{
    bool is_dash = text_starts_with(reader->original + reader->at, "–") ||
                   text_starts_with(reader->original + reader->at, "—");
    char c = is_dash ? '-' : reader->text[reader->at];
    reader->at++;
    if (!is_blank(c))
        reader->before = c;
}

struct lexical_text lexical_read(struct arena *arena, const char *text, size_t max_tokens,
                                 bool identifiers)
{
    struct reader reader = { .arena = arena, .original = text, .identifiers = identifiers };
    reader.text = word_plain_signs(arena, text);
    reader.length = strlen(text);
    while (reader.at < reader.length && reader.n < max_tokens)
        if (reader.text[reader.at] == WORD_FILLER ||
            (!read_quoted(&reader) && !read_number(&reader) && !read_magnitude(&reader) &&
             !read_word(&reader)))
            skip_sign(&reader);
    return (struct lexical_text){ reader.tokens, reader.n };
}

struct lexical_text lexical_read_request(struct arena *arena, const char *text)
{
    struct lexical_text read = lexical_read(arena, text, LEXICAL_MAX_WORDS, false);
    lexical_gloss(arena, &read);
    for (size_t i = 0; i < read.n; i++) {
        struct lexical_token *token = &read.tokens[i];
        size_t dashes = strspn(token->english, "-");
        if (strlen(token->english) > dashes + 1) /* "--limit" is a word, "-i" is not */
            token->english += dashes;
        classify(arena, token);
    }
    return read;
}

bool lexical_same_word(const struct lexical_token *a, const struct lexical_token *b)
{
    return strcmp(a->stem, b->stem) == 0;
}

bool lexical_holds(const struct lexical_text *text, size_t n, const struct lexical_token *word)
{
    for (size_t i = 0; i < n && i < text->n; i++)
        if (lexical_same_word(&text->tokens[i], word))
            return true;
    return false;
}
