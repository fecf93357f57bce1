#include "application/orchestrators/lexical/lexical_actions.h"
#include "application/orchestrators/lexical/lexical_mentions.h"
#include "domain/base/text.h"
#include <string.h>

#define MAX_ITEMS 16
#define ITEM_WORDS 3  /* behind a preposition */
#define RANGE_REACH 8 /* tokens in which "the first 2 lines of a.txt" ends */
#define VERB_WITHIN 2 /* tokens at the beginning of an action */

/* In English, or of what the glossary has no word for. */
static const char *const following[] = { "then",      "afterwards", "anschliessend",
                                         "hinterher", "finally",    "entonces",
                                         "quindi",    "infine",     "enfin" };
static const char *const polite[] = { "please", "also" };
static const char *const earlier[] = { "before", "bevor", "ehe", "antes" };
static const char *const later[] = { "after", "nachdem" };
static const char *const late[] = { "bevor", "ehe", "nachdem" }; /* the verb stands at the end */
static const char *const linking[] = { "de", "di", "d", "que", "che", "you", "i", "du", "ich" };
static const char *const pronouns[] = { "it",    "its",   "them",  "their", "ihn",
                                        "deren", "darin", "there", "dort",  "dorthin",
                                        "la",    "alli",  "li" };
static const char *const firsts[] = { "first", "top" };
static const char *const results[] = {
    "match", "result", "results", "hit", "one", "file", "entry"
};

enum item_kind { NO_ITEM, ITEM_PATH, ITEM_QUOTED, ITEM_NUMBER, ITEM_CODE, ITEM_NAME };

static enum item_kind kind_of(const struct lexical_text *tokens, size_t i)
{
    if (i >= tokens->n)
        return NO_ITEM;
    const struct lexical_token *token = &tokens->tokens[i];
    if (token->kind == LEXICAL_QUOTED)
        return ITEM_QUOTED;
    if (token->is_number)
        return ITEM_NUMBER;
    if (lexical_is_path(token->text) || strchr(token->text, '*'))
        return ITEM_PATH;
    if (strpbrk(token->text, "0123456789"))
        return ITEM_CODE;
    return token->is_capital && i ? ITEM_NAME : NO_ITEM;
}

struct cutter {
    struct arena *arena;
    const char *text;
    struct lexical_text tokens;
    struct request_verbs verbs;
    struct lexical_actions out;
    size_t first; /* token of the action that is being read */
    bool shares;  /* its verb with items that are joined to it */
    bool turns;   /* what is said first is to be done last */
};

static bool is_any_verb(const struct cutter *cutter, size_t i)
{
    for (size_t v = 0; i < cutter->tokens.n && v < cutter->verbs.n; v++)
        if (cutter->verbs.list[v].offset == cutter->tokens.tokens[i].offset)
            return true;
    return false;
}

/* "starting from 5" tells how something is done, not what is to be done next. */
static bool is_verb(const struct cutter *cutter, size_t i)
{
    const struct lexical_token *token = &cutter->tokens.tokens[i];
    bool is_participle =
        i < cutter->tokens.n && token->length > 5 && text_ends_with(token->lower, "ing");
    return !is_participle && is_any_verb(cutter, i);
}

static bool is_word(const struct cutter *cutter, size_t i, const char *const *words, size_t n)
{
    const struct lexical_token *token = &cutter->tokens.tokens[i];
    return i < cutter->tokens.n && (lexical_is_one_of(token->english, words, n) ||
                                    lexical_is_one_of(token->lower, words, n));
}
#define IS_WORD(cutter, i, words) is_word((cutter), (i), (words), ARRAY_LENGTH(words))

/* "before you show", "avant de lire", "after listing": the verb's token, or the one before it. 0:
 * it says no order of deeds, as in "before noon". */
static size_t behind_order(const struct cutter *cutter, size_t i, const char *const *words,
                           size_t n)
{
    bool is_linked = IS_WORD(cutter, i + 1, linking);
    bool is_late = is_linked && IS_WORD(cutter, i, late); /* "bevor du A liest" */
    bool is_order = is_late || is_any_verb(cutter, i + 1 + is_linked);
    return is_word(cutter, i, words, n) && is_order ? i + 1 + is_linked : 0;
}

/* "after that", "y después": which of what is before it need not be said. */
static bool is_after_that(const struct cutter *cutter, size_t i, bool is_joined)
{
    static const char *const that[] = { "that" };
    return IS_WORD(cutter, i, later) &&
           (IS_WORD(cutter, i + 1, that) ||
            (is_joined && strcmp(cutter->tokens.tokens[i].lower, "after") != 0 &&
             !IS_WORD(cutter, i + 1, linking)));
}

/* The first token behind "and", "then", "please". */
static size_t skip(const struct cutter *cutter, size_t i, bool *out_follows)
{
    bool is_joined = cutter->tokens.tokens[i].before != 0;
    for (; i < cutter->tokens.n; i++) {
        const struct lexical_token *token = &cutter->tokens.tokens[i];
        bool follows =
            LEXICAL_ONE_OF(token->english, following) || is_after_that(cutter, i, is_joined);
        i += follows && i + 1 < cutter->tokens.n && strcmp(token->lower, "after") == 0;
        is_joined = is_joined || lexical_joins(token->lower);
        *out_follows = *out_follows || follows;
        if (!follows && !lexical_joins(token->lower) && !LEXICAL_ONE_OF(token->english, polite))
            break;
    }
    return i;
}

static bool begins_with_verb(const struct cutter *cutter, size_t first)
{
    for (size_t i = first; i < first + VERB_WITHIN; i++)
        if (is_verb(cutter, i))
            return true;
    return false;
}

/* "flag m-20 green and m-21 yellow": an item like the first, with words of its own. */
static bool begins_with_item(const struct cutter *cutter, size_t i)
{
    enum item_kind kind = kind_of(&cutter->tokens, i);
    size_t first = cutter->first;
    while (first < i && kind_of(&cutter->tokens, first) == NO_ITEM)
        first++;
    return cutter->shares && kind != NO_ITEM && kind != ITEM_NAME &&
           kind_of(&cutter->tokens, first) == kind && first + 1 < i && i + 1 < cutter->tokens.n &&
           !lexical_joins(cutter->tokens.tokens[i + 1].lower);
}

static bool has_path(const struct cutter *cutter, size_t from, size_t behind)
{
    for (size_t i = from; i < behind; i++)
        if (kind_of(&cutter->tokens, i) == ITEM_PATH)
            return true;
    return false;
}

/* "show lines 1-5 of a.txt and lines 7-9 of b.txt": a range of another file. */
static bool begins_with_range(const struct cutter *cutter, size_t i)
{
    static const char *const ranges[] = { "first", "last", "line", "lines" };
    bool is_range = IS_WORD(cutter, i, ranges) || IS_WORD(cutter, i + 1, ranges);
    return is_range && has_path(cutter, cutter->first, i) &&
           has_path(cutter, i,
                    cutter->tokens.n < i + RANGE_REACH ? cutter->tokens.n : i + RANGE_REACH);
}

/* "with subject 'Card' and text 'Frozen.'", ", comment 'Done'": a noun that says what the quoted
 * text is. */
static bool is_label(const struct cutter *cutter, size_t i)
{
    static const char *const nouns[] = { "text", "message", "label", "note", "title", "comment" };
    static const char *const with[] = { "with" };
    bool is_noun = IS_WORD(cutter, i, nouns) && i + 1 < cutter->tokens.n &&
                   cutter->tokens.tokens[i + 1].kind == LEXICAL_QUOTED;
    if (is_noun && !cutter->shares && cutter->tokens.tokens[i].before == ',')
        return true;
    for (size_t k = cutter->first; is_noun && k < i; k++)
        if (IS_WORD(cutter, k, with))
            return true;
    return false;
}

/* Where the next action begins when one ends before the token i, else 0. */
static size_t next_action(struct cutter *cutter, size_t i)
{
    const struct lexical_token *token = &cutter->tokens.tokens[i];
    size_t before = behind_order(cutter, i, earlier, ARRAY_LENGTH(earlier));
    size_t after = behind_order(cutter, i, later, ARRAY_LENGTH(later));
    if (before || after) {
        cutter->out.is_ordered = true;
        cutter->turns = after != 0;
        return before ? before : after;
    }
    bool follows = false;
    bool joins = lexical_joins(token->lower);
    size_t next = skip(cutter, i, &follows);
    bool breaks = token->before && strchr(",;.!&\n", token->before);
    if (next >= cutter->tokens.n || (!breaks && !joins && !follows))
        return 0;
    if (follows && i <= cutter->first + 1)
        return 0; /* "zähle dann die Wörter" */
    if (follows) {
        cutter->out.is_ordered = true;
        return next;
    }
    bool has_verb = cutter->turns || begins_with_verb(cutter, cutter->first);
    bool begins = (is_verb(cutter, next) && !is_label(cutter, next)) ||
                  begins_with_item(cutter, next) || begins_with_range(cutter, next);
    return has_verb && begins ? next : 0;
}

static const char *slice(const struct cutter *cutter, size_t first, size_t behind)
{
    const struct lexical_token *from = &cutter->tokens.tokens[first];
    const struct lexical_token *to = &cutter->tokens.tokens[behind - 1];
    return arena_strndup(cutter->arena, cutter->text + from->offset,
                         to->offset + to->length - from->offset);
}

/* "la luce": a pronoun of another language stands before a verb or at the end. */
static bool is_article(const struct cutter *cutter, size_t i)
{
    const struct lexical_token *token = &cutter->tokens.tokens[i];
    return strcmp(token->english, "the") == 0 && i + 1 < cutter->tokens.n && !token[1].before &&
           !token[1].is_function && !is_any_verb(cutter, i + 1);
}

/* The token behind a word or two that stand for something before; i itself where none does. */
static size_t going_back(const struct cutter *cutter, size_t i, enum lexical_back *out)
{
    if (IS_WORD(cutter, i, pronouns) && !is_article(cutter, i)) {
        *out = BACK_SAME;
        return i + 1;
    }
    if (!IS_WORD(cutter, i, firsts) || !IS_WORD(cutter, i + 1, results))
        return i;
    *out = BACK_RESULT;
    return i + 2;
}

/* The text of an action without the words that go back. */
static const char *without_back(const struct cutter *cutter, size_t first, size_t behind,
                                enum lexical_back *out)
{
    const char *text = "";
    for (size_t i = first; i < behind;) {
        size_t next = cutter->out.n ? going_back(cutter, i, out) : i;
        if (next > i) {
            i = next;
            continue;
        }
        size_t from = i;
        while (i < behind &&
               (!cutter->out.n || going_back(cutter, i, &(enum lexical_back){ 0 }) == i))
            i++;
        text =
            arena_printf(cutter->arena, "%s%s%s", text, *text ? " " : "", slice(cutter, from, i));
    }
    return text;
}

/* "read the file A and then B": what is before A is before B as well. */
static const char *with_verb(const struct cutter *cutter, const char *text, size_t first)
{
    size_t behind = is_verb(cutter, 0) ? 1 : 2;
    if (!cutter->out.n || is_any_verb(cutter, first) || begins_with_verb(cutter, first) ||
        !begins_with_verb(cutter, 0))
        return text;
    for (size_t i = behind; kind_of(&cutter->tokens, first) != NO_ITEM && i < first; i++)
        if (kind_of(&cutter->tokens, i) == kind_of(&cutter->tokens, first)) {
            behind = i;
            break;
        }
    return arena_printf(cutter->arena, "%s %s", slice(cutter, 0, behind), text);
}

static const struct request_verb *last_verb(const struct cutter *cutter, size_t from, size_t before)
{
    const struct request_verb *last = NULL;
    for (size_t v = 0; v < cutter->verbs.n; v++)
        if (cutter->verbs.list[v].offset >= from && cutter->verbs.list[v].offset < before)
            last = &cutter->verbs.list[v];
    return last;
}

/* "and print it out", "and show me the results". */
static bool only_shows(const struct cutter *cutter, size_t first, size_t behind)
{
    static const char *const deeds[] = { "show", "print" };
    static const char *const shown[] = { "out", "result", "results", "content", "contents" };
    const struct lexical_token *tokens = cutter->tokens.tokens;
    size_t from = tokens[first].offset;
    size_t end = tokens[behind - 1].offset + tokens[behind - 1].length;
    const struct request_verb *before = last_verb(cutter, 0, from);
    const struct request_verb *verb = last_verb(cutter, from, end);
    if (cutter->turns || !cutter->out.n || !before || before->changes || before->is_negated ||
        !verb || verb->is_negated || !LEXICAL_ONE_OF(verb->deed, deeds) || behind - first < 2)
        return false;
    for (size_t i = first; i < behind; i++) {
        bool is_of_verb =
            tokens[i].offset >= verb->offset && tokens[i].offset < verb->offset + verb->length;
        bool is_pronoun = IS_WORD(cutter, i, pronouns) ||
                          request_verbs_mark(&cutter->verbs, tokens[i].offset, "@pronoun");
        if (!is_of_verb && !is_pronoun && !tokens[i].is_function && !IS_WORD(cutter, i, shown))
            return false;
    }
    return true;
}

static void add_action(struct cutter *cutter, size_t first, size_t behind)
{
    bool is_first = cutter->out.is_ordered && IS_WORD(cutter, first, firsts);
    if (is_first && first + 1 < behind && !cutter->tokens.tokens[first + 1].is_number)
        first++;
    if (behind <= first)
        return;
    struct lexical_action action = { .said = slice(cutter, first, behind),
                                     .offset = cutter->tokens.tokens[first].offset,
                                     .only_shows = only_shows(cutter, first, behind) };
    action.text = with_verb(cutter, without_back(cutter, first, behind, &action.back), first);
    cutter->out.list[cutter->out.n++] = action;
}

/* "before you show me B, list A" */
static void begin(struct cutter *cutter)
{
    size_t before = behind_order(cutter, 0, earlier, ARRAY_LENGTH(earlier));
    size_t after = behind_order(cutter, 0, later, ARRAY_LENGTH(later));
    cutter->first = before ? before : after;
    cutter->turns = cutter->out.is_ordered = before != 0;
}

static void cut(struct cutter *cutter)
{
    begin(cutter);
    for (size_t i = cutter->first + 1;
         i < cutter->tokens.n && cutter->out.n + 1 < LEXICAL_MAX_ACTIONS; i++) {
        size_t next = next_action(cutter, i);
        if (!next)
            continue;
        add_action(cutter, cutter->first, i);
        cutter->first = i = next;
    }
    add_action(cutter, cutter->first, cutter->tokens.n);
    if (cutter->turns && cutter->out.n > 1) {
        struct lexical_action first = cutter->out.list[0];
        cutter->out.list[0] = cutter->out.list[1];
        cutter->out.list[1] = first;
    }
}

enum err_code lexical_actions_read(struct arena *arena, struct assets *assets, const char *text,
                                   bool shares, struct lexical_actions *out, struct err *err)
{
    struct cutter cutter = { .arena = arena, .text = text, .shares = shares };
    cutter.tokens = lexical_read_request(arena, text);
    cutter.out.list = arena_array(arena, struct lexical_action, LEXICAL_MAX_ACTIONS);
    enum err_code r = request_verbs_read(arena, assets, text, &cutter.verbs, err);
    if (!r)
        cut(&cutter);
    if (cutter.out.n <= 1) {
        cutter.out.list[0] = (struct lexical_action){ .text = text, .said = text };
        cutter.out.n = 1;
    }
    *out = cutter.out;
    return r;
}

/* Bytes of the text. */
struct item {
    size_t from, to;
};

/* The token behind the item that begins with the token i: "New York" is one. */
static size_t item_end(const struct lexical_text *tokens, size_t i)
{
    enum item_kind kind = kind_of(tokens, i);
    for (i++; kind == ITEM_NAME && kind_of(tokens, i) == ITEM_NAME && !tokens->tokens[i].before;)
        i++;
    return i;
}

/* Where the next item of the kind begins, SIZE_MAX: nothing joins one. noun: the word before the
 * first item, which may stand before each. */
static size_t next_item(const struct lexical_text *tokens, size_t i, enum item_kind kind,
                        const char *noun)
{
    bool joined = i < tokens->n && tokens->tokens[i].before == ',';
    if (i < tokens->n && lexical_joins(tokens->tokens[i].lower)) {
        joined = true;
        i++;
    }
    if (i < tokens->n && strcmp(tokens->tokens[i].lower, noun) == 0)
        i++;
    enum item_kind next = kind_of(tokens, i);
    bool is_file = (kind == ITEM_PATH && next == ITEM_NAME) ||
                   (kind == ITEM_NAME && next == ITEM_PATH); /* "README.md and LICENSE" */
    return joined && (next == kind || is_file) ? i : SIZE_MAX;
}

static size_t items_from(const struct lexical_text *tokens, size_t i, struct item *items)
{
    size_t n = 0;
    enum item_kind kind = kind_of(tokens, i);
    const char *noun = i ? tokens->tokens[i - 1].lower : "";
    while (kind != NO_ITEM && i != SIZE_MAX && n < MAX_ITEMS) {
        size_t behind = item_end(tokens, i);
        const struct lexical_token *last = &tokens->tokens[behind - 1];
        items[n++] = (struct item){ tokens->tokens[i].offset, last->offset + last->length };
        i = next_item(tokens, behind, kind, noun);
    }
    return n;
}

static size_t skip_articles(const struct lexical_text *tokens, size_t i)
{
    while (i < tokens->n && tokens->tokens[i].is_function && !lexical_is_lead(&tokens->tokens[i]))
        i++;
    return i;
}

/* The few words up to a token, or to the next sign; none: 0. */
static bool take_words(const struct lexical_text *tokens, size_t first, size_t behind,
                       struct item *out)
{
    size_t end = first;
    while (end < behind && (end == first || !tokens->tokens[end].before))
        end++;
    if (end == first || end - first > ITEM_WORDS)
        return false;
    const struct lexical_token *last = &tokens->tokens[end - 1];
    *out = (struct item){ tokens->tokens[first].offset, last->offset + last->length };
    return true;
}

/* "in docs and in src": what the same preposition leads to. */
static size_t items_behind(const struct lexical_text *tokens, struct item *items)
{
    for (size_t j = 2; j + 2 < tokens->n; j++)
        for (size_t i = j; lexical_joins(tokens->tokens[j].lower) && i-- > 0;) {
            const struct lexical_token *lead = &tokens->tokens[i];
            if (!lexical_is_lead(lead) || strcmp(lead->lower, tokens->tokens[j + 1].lower) != 0)
                continue;
            bool are_items = take_words(tokens, skip_articles(tokens, i + 1), j, &items[0]) &&
                             take_words(tokens, skip_articles(tokens, j + 2), tokens->n, &items[1]);
            return are_items ? 2 : 0;
        }
    return 0;
}

/* "the front door and the garage door": what stands before the same noun. */
static size_t items_before_noun(const struct lexical_text *tokens, struct item *items)
{
    for (size_t j = 2; j + 2 < tokens->n; j++) {
        if (!lexical_joins(tokens->tokens[j].lower))
            continue;
        size_t first = j - 1, second = skip_articles(tokens, j + 1), k = second + 1;
        while (first && !tokens->tokens[first - 1].is_function && j - first < ITEM_WORDS)
            first--;
        while (k < tokens->n && k < second + ITEM_WORDS &&
               strcmp(tokens->tokens[k].lower, tokens->tokens[j - 1].lower) != 0)
            k++;
        if (first + 1 < j && k < tokens->n && k < second + ITEM_WORDS &&
            take_words(tokens, first, j, &items[0]) && take_words(tokens, second, k + 1, &items[1]))
            return 2;
    }
    return 0;
}

static size_t n_taken(const struct lexical_slots *slots, const struct item *items, size_t n)
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < slots->n_spans; k++)
            taken += items[i].from >= slots->spans[k].offset &&
                     items[i].from < slots->spans[k].offset + slots->spans[k].length;
    return taken;
}

struct lexical_items lexical_actions_each(struct arena *arena, const char *text,
                                          const struct lexical_text *tokens,
                                          const struct lexical_slots *slots)
{
    struct item items[MAX_ITEMS];
    size_t n = 0;
    for (size_t i = 0; i < tokens->n && n < 2; i++)
        n = items_from(tokens, i, items);
    if (n < 2)
        n = items_behind(tokens, items);
    if (n < 2)
        n = items_before_noun(tokens, items);
    size_t taken = n < 2 ? 0 : n_taken(slots, items, n);
    if (taken != 1)
        return (struct lexical_items){ .n = 0 };
    struct lexical_items out = { .texts = arena_array(arena, const char *, n), .n = n };
    out.span = (struct lexical_span){ items[0].from, items[n - 1].to - items[0].from };
    for (size_t i = 0; i < n; i++)
        out.texts[i] = arena_printf(arena, "%.*s%.*s%s", (int)items[0].from, text,
                                    (int)(items[i].to - items[i].from), text + items[i].from,
                                    text + items[n - 1].to);
    return out;
}
