#include "application/orchestrators/lexical/lexical_finder.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

static const char *const naming_words[] = { "called", "named" };
static const char *const inside_words[] = { "in", "inside", "within", "under" };
static const char *const text_words[] = { "word",   "words", "text",    "phrase",
                                          "string", "term",  "keyword", "expression" };
static const char *const saying_words[] = { "echo", "say" };
/* Words before "folder" or behind "in" that name none. */
static const char *const no_names[] = { "new",     "current", "same",  "other", "whole",  "root",
                                        "parent",  "empty",   "here",  "there", "total",  "general",
                                        "working", "sub",     "which", "every", "english" };

static bool is_name(const struct lexical_token *token)
{
    return *token->text && token->kind == LEXICAL_WORD && !token->is_function &&
           !token->is_number && !finder_is_preposition(token) && !finder_is_article(token) &&
           token->sense == SENSE_NONE && !LEXICAL_ONE_OF(token->lower, no_names) &&
           !LEXICAL_ONE_OF(token->lower, naming_words);
}

/* "the folder notes", "a folder called notes", "the notes folder". */
static void find_named_folder(struct finder *finder, size_t i)
{
    size_t next = i + 1;
    next += LEXICAL_ONE_OF(finder_token_at(finder, next)->lower, naming_words);
    const struct lexical_token *behind = finder_token_at(finder, next);
    if (is_name(behind) && !behind->before)
        finder_add(finder, MENTION_FOLDER, next, next);
    else if (i && is_name(finder_token_at(finder, i - 1)))
        finder_add(finder, MENTION_FOLDER, i - 1, i - 1);
}

/* "… in notes", "ls notes": a bare word at the end; an article would make it a common noun. */
static void find_last_word_folder(struct finder *finder, size_t i)
{
    const struct lexical_token *word = finder_token_at(finder, i);
    bool opens = LEXICAL_ONE_OF(word->lower, inside_words) || (i == 0 && word->sense == SENSE_LIST);
    const struct lexical_token *last = finder_token_at(finder, i + 1);
    if (opens && i + 2 == finder->words->n && is_name(last) && !last->is_capital)
        finder_add(finder, MENTION_FOLDER, i + 1, i + 1);
}

/* "TODO", "max_lines": nobody says such a word but as itself. */
static bool is_code(const char *text)
{
    return (isupper((unsigned char)text[0]) && isupper((unsigned char)text[1])) ||
           strchr(text, '_');
}

static void add_term(struct finder *finder, size_t first)
{
    bool is_about_files = false;
    while (finder_is_article(finder_token_at(finder, first)))
        first++;
    bool is_announced = LEXICAL_ONE_OF(finder_token_at(finder, first)->lower, text_words) &&
                        first + 1 < finder->words->n;
    first += is_announced;
    size_t behind = first;
    while (behind < finder->words->n && !finder_token_at(finder, behind)->is_function &&
           (behind == first || !finder_ends_phrase(finder_token_at(finder, behind)))) {
        enum lexical_sense sense = finder_token_at(finder, behind++)->sense;
        is_about_files = is_about_files || sense == SENSE_FILE || sense == SENSE_FOLDER;
    }
    if (behind > first && !is_about_files)
        finder_add(finder, MENTION_TERM, first, behind - 1)->is_marked =
            is_announced || is_code(finder_token_at(finder, first)->text);
}

/* "the word pears", "for the phrase". */
static void find_announced_term(struct finder *finder, size_t i)
{
    const struct lexical_token *next = finder_token_at(finder, i + 1);
    bool is_announced = i && i + 1 < finder->words->n && finder->words->tokens[i - 1].is_function;
    if (is_announced && LEXICAL_ONE_OF(finder->words->tokens[i].lower, text_words) &&
        next->kind == LEXICAL_WORD && !next->is_function && next->sense == SENSE_NONE)
        finder_add(finder, MENTION_TERM, i + 1, i + 1)->is_marked = true;
}

/* "look for X", "search this for X", "find X": what a searching verb is about. */
static void find_sought_term(struct finder *finder, size_t i)
{
    if (finder->words->tokens[i].sense != SENSE_SEARCH)
        return;
    for (size_t k = i + 1; k < finder->words->n; k++)
        if (strcmp(finder->words->tokens[k].lower, "for") == 0) {
            add_term(finder, k + 1);
            return;
        }
    add_term(finder, i + 1);
}

/* "echo hello world": everything behind the verb. */
static void find_said_term(struct finder *finder)
{
    bool says = LEXICAL_ONE_OF(finder_token_at(finder, 0)->lower, saying_words);
    if (says && finder->words->n > 1 && finder->words->tokens[1].kind != LEXICAL_QUOTED)
        finder_add(finder, MENTION_TERM, 1, finder->words->n - 1);
}

static bool has_from(const char *text)
{
    return strcasestr(text, " from ") != NULL;
}

static const char *without_end_mark(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && (isspace((unsigned char)text[length - 1]) || strchr(".?!", text[length - 1])))
        length--;
    return arena_strndup(arena, text, length);
}

/* A statement is quoted, or runs to the end of the request. */
static void find_statement(struct finder *finder, size_t i)
{
    const struct lexical_token *token = &finder->words->tokens[i];
    const char *text = finder->request + token->offset;
    if (token->kind == LEXICAL_QUOTED && strncasecmp(token->text, "select ", 7) == 0)
        finder_add(finder, MENTION_SQL, i, i);
    else if (token->kind == LEXICAL_WORD && strcmp(token->lower, "select") == 0 && has_from(text))
        finder_add(finder, MENTION_SQL, i, finder->words->n - 1)->text =
            without_end_mark(finder->arena, text);
}

void finder_find_terms(struct finder *finder)
{
    find_said_term(finder);
    for (size_t i = 0; i < finder->words->n; i++) {
        find_statement(finder, i);
        if (finder->words->tokens[i].sense == SENSE_FOLDER)
            find_named_folder(finder, i);
        else
            find_last_word_folder(finder, i);
        find_announced_term(finder, i);
        find_sought_term(finder, i);
    }
}
