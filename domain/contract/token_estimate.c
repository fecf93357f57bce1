/* The costs are averages over some 200 files of English, JSON and source code (C, C++, Python,
 * JavaScript, Rust, shell), each token of the Mistral v3 tokenizer counted where it ends. What
 * that tokenizer does: digits and line breaks stand alone, one blank belongs to the word behind
 * it, blanks in a row are one token up to 16. The tekken tokenizers of later models make fewer
 * tokens of the same text. */
#include "domain/contract/token_estimate.h"
#include "domain/base/attributes.h"
#include <stdbool.h>
#include <string.h>

enum {
    ONE = 100, /* costs are hundredths of a token */
    TABLE = 16,
    LETTER_BEYOND = 40, /* each letter of a word beyond the tables */
    CAPITAL_BEYOND = 45,
    BLANKS_PER_TOKEN = 16,
    SAME_PER_TOKEN = 8, /* "--------" */
    PUNCTUATION_EACH = 60,
};

enum kind { BLANK, BREAK, DIGIT, SMALL, CAPITAL, PUNCTUATION, FOREIGN };

/* By the number of letters: a word behind a blank; a word elsewhere or with a first capital, whose
 * first letters are seldom known together; a word in capitals. */
static const uint16_t plain_costs[TABLE] = { 0,   100, 100, 103, 106, 108, 110, 114,
                                             120, 128, 139, 145, 155, 165, 175, 195 };
static const uint16_t inner_costs[TABLE] = { 0,   100, 107, 119, 115, 118, 128, 135,
                                             147, 160, 183, 190, 235, 240, 280, 320 };
static const uint16_t capital_costs[TABLE] = { 0,   100, 110, 160, 171, 205, 218, 246,
                                               290, 315, 359, 385, 430, 460, 490, 520 };
static const uint16_t punctuation_costs[] = { 0, 100, 105, 136, 206, 266 };

struct scan {
    const unsigned char *at, *end;
    int64_t cost;
    bool after_blank; /* one, which the next word takes along */
};

static enum kind kind_of(unsigned char c)
{
    static const unsigned char kinds[256] = {
        [0 ... 31] = BREAK,          [' '] = BLANK,
        ['!' ... '/'] = PUNCTUATION, ['0' ... '9'] = DIGIT,
        [':' ... '@'] = PUNCTUATION, ['A' ... 'Z'] = CAPITAL,
        ['[' ... '`'] = PUNCTUATION, ['a' ... 'z'] = SMALL,
        ['{' ... '~'] = PUNCTUATION, [127] = BREAK,
        [128 ... 255] = FOREIGN,
    };
    return (enum kind)kinds[c];
}

/* Moves behind all that follow of the kind; how many there were. */
static size_t skip(struct scan *scan, enum kind kind)
{
    const unsigned char *start = scan->at;
    while (scan->at < scan->end && kind_of(*scan->at) == kind)
        scan->at++;
    return (size_t)(scan->at - start);
}

static int64_t cost_of(const uint16_t costs[static TABLE], size_t letters, int64_t beyond)
{
    if (letters < TABLE)
        return costs[letters];
    return costs[TABLE - 1] + (int64_t)(letters - TABLE + 1) * beyond;
}

static void take_capitals(struct scan *scan)
{
    size_t capitals = skip(scan, CAPITAL), small = skip(scan, SMALL);
    /* "HTTPServer" is HTTP and Server */
    size_t of_word = small ? 1 : 0;
    if (capitals > of_word)
        scan->cost += cost_of(capital_costs, capitals - of_word, CAPITAL_BEYOND);
    if (small)
        scan->cost += cost_of(inner_costs, small + 1, LETTER_BEYOND);
}

static void take_punctuation(struct scan *scan)
{
    const unsigned char *start = scan->at;
    size_t n = skip(scan, PUNCTUATION), last = ARRAY_LENGTH(punctuation_costs) - 1;
    if (n <= 3)
        scan->cost += punctuation_costs[n];
    else if (memcmp(start, start + 1, n - 1) == 0)
        scan->cost += ONE + ONE * (int64_t)(n / SAME_PER_TOKEN);
    else if (n <= last)
        scan->cost += punctuation_costs[n];
    else
        scan->cost += punctuation_costs[last] + (int64_t)(n - last) * PUNCTUATION_EACH;
}

/* By the first byte of a character. */
static int64_t cost_of_character(const unsigned char *at, const unsigned char *end)
{
    unsigned char lead = *at;
    if (lead < 0xc0)
        return 0; /* paid for with the lead; alone it is not text */
    if (lead < 0xce)
        return 75; /* Latin letters, which also cut their word in two */
    if (lead == 0xd0 || lead == 0xd1)
        return 50; /* Cyrillic: pairs and syllables are known */
    if (lead < 0xe3)
        return 105;
    if (lead < 0xf0)
        return 120; /* Chinese, Japanese, Korean: one, or one a byte */
    return lead == 0xf0 && at + 1 < end && at[1] == 0x9f ? 150 : 400;
}

static void take_foreign(struct scan *scan)
{
    const unsigned char *start = scan->at;
    size_t n = skip(scan, FOREIGN);
    if (scan->after_blank && *start >= 0xe3)
        scan->cost += ONE; /* the blank stands alone */
    for (size_t i = 0; i < n; i++)
        scan->cost += cost_of_character(start + i, scan->at);
}

static void take_run(struct scan *scan)
{
    size_t n;
    switch (kind_of(*scan->at)) {
    case BLANK:
        n = skip(scan, BLANK);
        if (n > 1)
            scan->cost += ONE * (int64_t)((n + BLANKS_PER_TOKEN - 1) / BLANKS_PER_TOKEN);
        scan->after_blank = n == 1;
        return;
    case BREAK:
        scan->cost += ONE * (int64_t)skip(scan, BREAK);
        break;
    case DIGIT:
        scan->cost += ONE * (int64_t)(skip(scan, DIGIT) + scan->after_blank);
        break;
    case SMALL:
        scan->cost += cost_of(scan->after_blank ? plain_costs : inner_costs, skip(scan, SMALL),
                              LETTER_BEYOND);
        break;
    case CAPITAL:
        take_capitals(scan);
        break;
    case PUNCTUATION:
        take_punctuation(scan);
        break;
    case FOREIGN:
        take_foreign(scan);
        break;
    }
    scan->after_blank = false;
}

int64_t token_estimate(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    /* the tokenizer puts a blank in front of the text */
    struct scan scan = { .at = bytes, .end = bytes + length, .after_blank = true };
    while (scan.at < scan.end)
        take_run(&scan);
    int64_t tokens = (scan.cost + ONE - 1) / ONE;
    return tokens || !length ? tokens : 1;
}
