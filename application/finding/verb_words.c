#include "application/finding/verb_words.h"
#include "application/finding/request_verbs.h"
#include "application/ports/tool_index.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define RUN_ENDS BLANKS ",;!?()[]{}<>\""
#define SENTENCE_ENDS ".;!?\n"
#define VALUE_SIGNS "./@:_#=+&\\~$%*0123456789"
#define SHORTEST_VARIED 3 /* letters of a verb that may have other endings */
#define MAX_CLITICS 2

bool verb_has(const struct verb_token *token, const char *marks)
{
    for (size_t n; token->marks && *marks; marks += n + (marks[n] == ' ')) {
        n = strcspn(marks, " ");
        if (text_is_listed(token->marks, marks, n))
            return true;
    }
    return false;
}

struct splitting {
    struct arena *arena;
    const char *text;
    bool identifiers;
    struct verb_text out;
};

static void add_token(struct splitting *splitting, const char *at, size_t length, bool is_value)
{
    struct verb_text *out = &splitting->out;
    if (out->n < REQUEST_MAX_VERB_WORDS)
        out->tokens[out->n++] = (struct verb_token){
            .said = arena_strndup(splitting->arena, at, length),
            .plain = is_value ? "" : text_unaccented(splitting->arena, at, length),
            .offset = (size_t)(at - splitting->text),
            .length = length,
            .is_value = is_value,
        };
}

static void end_token(struct verb_text *out, char sign)
{
    char *ends = out->n ? &out->tokens[out->n - 1].ends : &(char){ 0 };
    if (strchr(SENTENCE_ENDS, sign))
        *ends = sign == '?' || *ends == '?' ? '?' : '.';
    else if (!*ends && (sign == ',' || sign == ':'))
        *ends = sign;
}

/* The words of a run; a path or an address is one value. */
static size_t add_run(struct splitting *splitting, const char *at)
{
    size_t length = strcspn(at, RUN_ENDS);
    while (length > 1 && strchr("\x01.:'*`", at[length - 1])) /* \x01: WORD_FILLER */
        length--;
    const char *run = arena_strndup(splitting->arena, at, length);
    if (!splitting->identifiers && strpbrk(run, VALUE_SIGNS)) {
        add_token(splitting, at, length, true);
        return length;
    }
    for (size_t from = 0, n; from < length; from += n ? n : 1) {
        for (n = 0; from + n < length && text_is_word_byte(at[from + n]); n++)
            if (n && splitting->identifiers && isupper((unsigned char)at[from + n]) &&
                islower((unsigned char)at[from + n - 1]))
                break;
        if (n)
            add_token(splitting, at + from, n, false);
    }
    return length;
}

/* The length of what is quoted here, with its quotes; 0 where no quote begins. */
static size_t quoted(const char *text, const char *at)
{
    if (!strchr("\"'`", *at) || (at > text && text_is_word_byte(at[-1])))
        return 0;
    for (const char *end = at + 1; (end = strchr(end, *at)); end++)
        if (!text_is_word_byte(end[1]))
            return (size_t)(end + 1 - at);
    return 0;
}

struct verb_text verb_text_split(struct arena *arena, const char *text, bool identifiers)
{
    const char *plain = word_plain_signs(arena, text);
    struct splitting splitting = { .arena = arena, .text = plain, .identifiers = identifiers };
    size_t most = strlen(text) + 1;
    splitting.out.tokens = arena_array(
        arena, struct verb_token, most < REQUEST_MAX_VERB_WORDS ? most : REQUEST_MAX_VERB_WORDS);
    for (const char *at = plain; *at && splitting.out.n < REQUEST_MAX_VERB_WORDS;) {
        size_t n = quoted(plain, at);
        bool begins_value = strchr("/~#$@.-+", *at) && at[1] && !strchr(RUN_ENDS, at[1]);
        if (n)
            add_token(&splitting, at, n, true);
        else if (text_is_word_byte(*at) || begins_value)
            n = add_run(&splitting, at);
        else
            end_token(&splitting.out, *at);
        at += n ? n : 1;
    }
    return splitting.out;
}

/* What is looked for in a text, with one table. */
struct finding {
    struct arena *arena;
    struct verb_text *text;
    const struct word_table *table;
    bool is_tool;
};

/* The line says something of a deed: "@reads", "!stop". */
static bool is_fact(const struct word_table *table, const struct word_entry *entry)
{
    return text_starts_with(table->texts + entry->meanings, " !") ||
           text_starts_with(table->texts + entry->marks, " @reads ");
}

/* "envia" in "enviamelo": pronouns of the language follow. */
static bool has_clitics(const struct finding *finding, const char *rest)
{
    const struct word_table *table = finding->table;
    for (size_t i = 0; *rest && i < MAX_CLITICS; i++) {
        const struct word_entry *entry = word_table_find(table, rest);
        const char *pronoun = NULL;
        for (; entry; entry = word_table_next(table, entry))
            if (strstr(table->texts + entry->marks, " @pronoun ") &&
                text_starts_with(rest, table->texts + entry->key))
                pronoun = table->texts + entry->key;
        if (!pronoun)
            return false;
        rest += strlen(pronoun);
    }
    return !*rest;
}

/* "merging", "planning"; of tools also "deletes", "copies". */
bool verb_is_form(const char *word, const char *verb, bool is_tool)
{
    size_t n = strlen(verb);
    if (n < SHORTEST_VARIED || strncmp(word, verb, n - 1) != 0)
        return false;
    char last = verb[n - 1];
    const char *rest = word + n - 1;
    if (last == 'y' && is_tool && text_equal(rest, "ies"))
        return true;
    if (last != 'e' && *rest++ != last)
        return false;
    if (is_tool && (text_equal(rest, "s") || text_equal(rest, "es")))
        return true;
    return text_equal(rest + (last != 'e' && *rest == last), "ing");
}

static bool is_form(const struct finding *finding, const char *word, const struct word_entry *entry)
{
    const char *key = finding->table->texts + entry->key;
    size_t n = strlen(key);
    if (!entry->meanings)
        return false;
    if (text_equal(finding->text->language, TOOL_INDEX_ENGLISH))
        return verb_is_form(word, key, finding->is_tool);
    return strncmp(word, key, n) == 0 && has_clitics(finding, word + n);
}

/* How many tokens from this one on are the words of the entry. */
static size_t begins(const struct finding *finding, size_t at, const struct word_entry *entry)
{
    struct verb_text *text = finding->text;
    const char *key = finding->table->texts + entry->key;
    for (size_t n = 0; at + n < text->n; n++) {
        size_t length = strcspn(key, "_");
        const char *plain = text->tokens[at + n].plain;
        bool is_word = strncmp(plain, key, length) == 0 && !plain[length];
        if (!is_word && !(n == 0 && !key[length] && is_form(finding, plain, entry)))
            return 0;
        if (!key[length])
            return n + 1;
        if (text->tokens[at + n].ends)
            return 0;
        key += length + 1;
    }
    return 0;
}

/* The separable part within the clause: next to the verb, else the last one that no article
 * follows ("on the porch"). 0: there is none. */
static size_t find_part(const struct finding *finding, size_t at, const char *part)
{
    const struct verb_text *text = finding->text;
    size_t found = 0;
    for (size_t i = at; i < text->n && !text->tokens[i - 1].ends; i++) {
        bool is_followed =
            i + 1 < text->n && !text->tokens[i].ends && verb_has(&text->tokens[i + 1], "@article");
        if (verb_has(&text->tokens[i], "@and"))
            break;
        if (strcmp(text->tokens[i].plain, part) == 0 && (i == at || !is_followed))
            found = i;
        if (found == at)
            break;
    }
    return found;
}

/* Longer words win; of equal ones a part that is next to the verb, then the one that stands
 * further behind. */
static void offer(const struct finding *finding, size_t at, const struct word_entry *entry)
{
    struct verb_token *token = &finding->text->tokens[at];
    const char *separable = word_table_text(finding->table, entry->part);
    const char *marks = word_table_text(finding->table, entry->marks);
    size_t covers = begins(finding, at, entry);
    size_t part = covers && separable ? find_part(finding, at + covers, separable) : 0;
    size_t nearness = part == at + covers ? 2 * REQUEST_MAX_VERB_WORDS : part;
    size_t rank = (covers + !!part) * 4 * REQUEST_MAX_VERB_WORDS + nearness;
    if (!covers || rank < token->rank || (separable && !part))
        return;
    bool is_better = rank > token->rank || !token->marks;
    if (is_better || marks)
        token->marks =
            is_better ? marks : arena_printf(finding->arena, "%s%s", token->marks, marks);
    if (rank > token->rank || entry->meanings)
        token->deeds = word_table_text(finding->table, entry->meanings);
    token->rank = rank;
    token->covers = covers;
    token->part = part;
}

static size_t find_all(struct finding *finding)
{
    size_t known = 0;
    for (size_t separable = 0; separable < 2; separable++)
        for (size_t i = 0; i < finding->text->n; i++) {
            const char *plain = finding->text->tokens[i].plain;
            const struct word_entry *entry = *plain ? word_table_find(finding->table, plain) : NULL;
            for (; entry; entry = word_table_next(finding->table, entry))
                if (!!entry->part == separable && !is_fact(finding->table, entry))
                    offer(finding, i, entry);
        }
    for (size_t i = 0; i < finding->text->n; i++)
        known += finding->text->tokens[i].covers > 0;
    return known;
}

static struct verb_token *copy_tokens(struct arena *arena, const struct verb_text *text)
{
    struct verb_token *tokens = arena_array(arena, struct verb_token, text->n + 1);
    if (text->n)
        memcpy(tokens, text->tokens, text->n * sizeof *tokens);
    return tokens;
}

void verb_words_find(struct arena *arena, const struct word_folder *words, const char *language,
                     bool is_tool, struct verb_text *text)
{
    const struct verb_text unread = *text;
    size_t most = 0;
    text->language = language ? language : TOOL_INDEX_ENGLISH;
    for (size_t i = 0; i < words->n; i++) {
        const struct word_file *file = &words->files[i];
        struct verb_text copy = unread;
        struct finding finding = { arena, &copy, &file->table, is_tool };
        bool is_english = text_equal(file->language, TOOL_INDEX_ENGLISH);
        if (!file->language || (language && !text_equal(language, file->language)))
            continue;
        copy.tokens = copy_tokens(arena, &unread);
        copy.language = file->language;
        size_t known = find_all(&finding);
        if (known < most + !is_english)
            continue;
        most = known;
        *text = copy;
    }
    for (size_t i = 0; i < words->n; i++) {
        struct finding finding = { arena, text, &words->files[i].table, is_tool };
        if (!words->files[i].language)
            find_all(&finding);
    }
}

bool verb_words_say(const struct word_folder *words, const char *deed, const char *what)
{
    for (size_t i = 0; i < words->n; i++) {
        const struct word_table *table = &words->files[i].table;
        const struct word_entry *entry = word_table_find(table, deed);
        for (; entry; entry = word_table_next(table, entry)) {
            uint32_t list = *what == '@' ? entry->marks : entry->meanings;
            if (list && is_fact(table, entry) && strcmp(table->texts + entry->key, deed) == 0 &&
                text_is_listed(table->texts + list, what, strlen(what)))
                return true;
        }
    }
    return false;
}
