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

struct entry {
    const char *key;  /* its words, "_" between them */
    const char *part; /* the separable one, or NULL */
    const char *deeds, *marks;
    struct entry *next; /* of the same first letter, the later ones first */
};

struct table {
    const char *language; /* NULL: all */
    struct entry *by_letter[256];
};

struct fact {
    const char *deed, *what;
};

struct verb_words {
    struct arena *arena;
    struct table *tables;
    size_t n_tables;
    struct fact *facts;
    size_t n_facts, facts_capacity;
};

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
    splitting.out.tokens = arena_array(arena, struct verb_token, REQUEST_MAX_VERB_WORDS);
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

struct loading {
    struct verb_words *words;
    struct table *table;
};

static bool states_facts(struct loading *loading, char *deeds, const char *facts)
{
    struct verb_words *words = loading->words;
    const char *deed;
    if (facts[0] != '!' && !text_starts_with(facts, "@reads"))
        return false;
    while ((deed = word_next_part(&deeds, BLANKS)))
        if (*deed)
            *arena_push(words->arena, words->facts, words->n_facts, words->facts_capacity) =
                (struct fact){ arena_strdup(words->arena, deed),
                               arena_printf(words->arena, " %s ", facts) };
    return true;
}

static void add_entry(struct loading *loading, const char *word, struct entry entry)
{
    struct arena *arena = loading->words->arena;
    struct entry **first = &loading->table->by_letter[(unsigned char)word[0]];
    const char *gap = strstr(word, "..");
    entry.key = gap ? arena_strndup(arena, word, (size_t)(gap - word)) : arena_strdup(arena, word);
    entry.part = gap ? arena_strdup(arena, gap + 2) : NULL;
    entry.next = *first;
    *first = arena_new(arena, struct entry);
    **first = entry;
}

static void read_line(void *context, char *keys, char *meanings)
{
    struct loading *loading = context;
    struct entry entry = { .deeds = NULL };
    const char *word;
    if (states_facts(loading, keys, meanings))
        return;
    while ((word = word_next_part(&meanings, BLANKS))) {
        const char **list = *word == '@' ? &entry.marks : &entry.deeds;
        if (*word)
            *list = arena_printf(loading->words->arena, "%s%s ", *list ? *list : " ", word);
    }
    while ((word = word_next_part(&keys, BLANKS)))
        if (*word)
            add_entry(loading, word, entry);
}

enum err_code verb_words_load(struct arena *arena, struct assets *assets,
                              const struct verb_words **out, struct err *err)
{
    struct verb_words *words = arena_new(arena, struct verb_words);
    const char **names = NULL;
    *words = (struct verb_words){ .arena = arena };
    enum err_code r =
        word_files_list(arena, assets, REQUEST_VERBS_FOLDER, &names, &words->n_tables, err);
    words->tables = r ? NULL : arena_array(arena, struct table, words->n_tables + 1);
    for (size_t i = 0; !r && i < words->n_tables; i++) {
        struct loading loading = { words, &words->tables[i] };
        if (word_file_is_language(names[i]))
            words->tables[i].language = arena_strndup(arena, names[i], 2);
        r = word_file_read(arena, assets, REQUEST_VERBS_FOLDER, names[i], read_line, &loading, err);
    }
    *out = words;
    return r;
}

/* What is looked for in a text, with one table. */
struct finding {
    struct arena *arena;
    struct verb_text *text;
    const struct table *table;
    bool is_tool;
};

/* "envia" in "enviamelo": pronouns of the language follow. */
static bool has_clitics(const struct finding *finding, const char *rest)
{
    for (size_t i = 0; *rest && i < MAX_CLITICS; i++) {
        const struct entry *entry = finding->table->by_letter[(unsigned char)*rest];
        while (entry && !(entry->marks && strstr(entry->marks, " @pronoun ") &&
                          text_starts_with(rest, entry->key)))
            entry = entry->next;
        if (!entry)
            return false;
        rest += strlen(entry->key);
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

static bool is_form(const struct finding *finding, const char *word, const struct entry *entry)
{
    size_t n = strlen(entry->key);
    if (!entry->deeds)
        return false;
    if (text_equal(finding->text->language, TOOL_INDEX_ENGLISH))
        return verb_is_form(word, entry->key, finding->is_tool);
    return strncmp(word, entry->key, n) == 0 && has_clitics(finding, word + n);
}

/* How many tokens from this one on are the words of the entry. */
static size_t begins(const struct finding *finding, size_t at, const struct entry *entry)
{
    struct verb_text *text = finding->text;
    const char *key = entry->key;
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
static void offer(const struct finding *finding, size_t at, const struct entry *entry)
{
    struct verb_token *token = &finding->text->tokens[at];
    size_t covers = begins(finding, at, entry);
    size_t part = covers && entry->part ? find_part(finding, at + covers, entry->part) : 0;
    size_t nearness = part == at + covers ? 2 * REQUEST_MAX_VERB_WORDS : part;
    size_t rank = (covers + !!part) * 4 * REQUEST_MAX_VERB_WORDS + nearness;
    if (!covers || rank < token->rank || (entry->part && !part))
        return;
    bool is_better = rank > token->rank || !token->marks;
    if (is_better || entry->marks)
        token->marks = is_better ? entry->marks
                                 : arena_printf(finding->arena, "%s%s", token->marks, entry->marks);
    if (rank > token->rank || !token->deeds)
        token->deeds = entry->deeds;
    token->rank = rank;
    token->covers = covers;
    token->part = part;
}

static size_t find_all(struct finding *finding)
{
    size_t known = 0;
    for (size_t separable = 0; separable < 2; separable++)
        for (size_t i = 0; i < finding->text->n; i++) {
            unsigned char letter = (unsigned char)finding->text->tokens[i].plain[0];
            const struct entry *entry = letter ? finding->table->by_letter[letter] : NULL;
            for (; entry; entry = entry->next)
                if (!!entry->part == separable)
                    offer(finding, i, entry);
        }
    for (size_t i = 0; i < finding->text->n; i++)
        known += finding->text->tokens[i].covers > 0;
    return known;
}

static struct verb_text unread_copy(struct arena *arena, const struct verb_text *text)
{
    struct verb_text copy = *text;
    copy.tokens = arena_array(arena, struct verb_token, text->n + 1);
    if (text->n)
        memcpy(copy.tokens, text->tokens, text->n * sizeof *text->tokens);
    return copy;
}

void verb_words_find(struct arena *arena, const struct verb_words *words, const char *language,
                     bool is_tool, struct verb_text *text)
{
    const struct verb_text unread = *text;
    size_t most = 0;
    text->language = language ? language : TOOL_INDEX_ENGLISH;
    for (size_t i = 0; i < words->n_tables; i++) {
        const struct table *table = &words->tables[i];
        struct verb_text copy = unread_copy(arena, &unread);
        struct finding finding = { arena, &copy, table, is_tool };
        bool is_english = text_equal(table->language, TOOL_INDEX_ENGLISH);
        if (!table->language || (language && !text_equal(language, table->language)))
            continue;
        copy.language = table->language;
        size_t known = find_all(&finding);
        if (known < most + !is_english)
            continue;
        most = known;
        *text = copy;
    }
    for (size_t i = 0; i < words->n_tables; i++) {
        struct finding finding = { arena, text, &words->tables[i], is_tool };
        if (!words->tables[i].language)
            find_all(&finding);
    }
}

bool verb_words_say(const struct verb_words *words, const char *deed, const char *what)
{
    for (size_t i = 0; i < words->n_facts; i++)
        if (text_equal(words->facts[i].deed, deed) &&
            text_is_listed(words->facts[i].what, what, strlen(what)))
            return true;
    return false;
}
