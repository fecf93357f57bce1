/* Each kind of mention has a function that walks over the tokens and adds what it finds; several
 * kinds may find the same tokens. The order of the calls at the end decides only between equal
 * affinities. */
#include "application/orchestrators/lexical/lexical_mentions.h"
#include "application/orchestrators/lexical/lexical_finder.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

static const char prepositions[] =
    " in at for from to of by with on about near between into during called named as using ";
static const char name_joints[] = " of the de la von van d ";
static const char phrase_ends[] =
    " that which where when if is are was were and or has have given using per what whose "
    "under over after before ";
static const char articles[] = " a an the my our this your me ";

bool lexical_is_lead(const struct lexical_token *token)
{
    return lexical_listed(prepositions, token->english) || lexical_listed(articles, token->english);
}

static const char *lead_of(const struct lexical_finder *finder, size_t first)
{
    while (first && lexical_listed(articles, finder->words->tokens[first - 1].english))
        first--;
    if (!first || !lexical_listed(prepositions, finder->words->tokens[first - 1].english))
        return "";
    return finder->words->tokens[first - 1].english;
}

struct mention *lexical_add_mention(struct lexical_finder *finder, enum mention_kind kind,
                                    size_t first, size_t last)
{
    const struct lexical_token *from = &finder->words->tokens[first];
    const struct lexical_token *to = &finder->words->tokens[last];
    struct mention *mention =
        arena_push(finder->arena, finder->found.list, finder->found.n, finder->capacity);
    *mention = (struct mention){ .kind = kind, .first = first, .last = last };
    mention->lead = lead_of(finder, first);
    mention->text = from == to ? from->text
                               : arena_strndup(finder->arena, finder->request + from->offset,
                                               to->offset + strlen(to->text) - from->offset);
    return mention;
}

const struct lexical_token *lexical_token_at(const struct lexical_text *words, size_t i)
{
    static const struct lexical_token none = { .text = "", .lower = "", .english = "", .stem = "" };
    return i < words->n ? &words->tokens[i] : &none;
}

static const struct lexical_token *token_at(const struct lexical_finder *finder, size_t i)
{
    return lexical_token_at(finder->words, i);
}

/* The last number of the list that starts at `first`; `first` when it is alone. */
static size_t list_end(const struct lexical_finder *finder, size_t first)
{
    size_t last = first;
    for (;;) {
        size_t next = last + 1;
        bool joined = strcmp(token_at(finder, next)->english, "and") == 0;
        next += joined;
        const struct lexical_token *token = token_at(finder, next);
        if (!token->is_number || (!joined && token->before != ','))
            return last;
        last = next;
    }
}

static void find_numbers(struct lexical_finder *finder)
{
    size_t list_last = 0;
    for (size_t i = 0; i < finder->words->n; i++) {
        if (!finder->words->tokens[i].is_number)
            continue;
        lexical_add_mention(finder, MENTION_NUMBER, i, i);
        size_t last = list_end(finder, i);
        bool in_brackets = finder->words->tokens[i].before == '[';
        if ((last > i || in_brackets) && (i > list_last || !i))
            lexical_add_mention(finder, MENTION_NUMBERS, i, last);
        list_last = last > list_last ? last : list_last;
    }
}

bool lexical_is_path(const char *text)
{
    static const char bare[] =
        " license readme changelog notice copying authors contributing makefile dockerfile ";
    if (strchr(text, '*') || strchr(text, '@'))
        return false;
    if (isupper((unsigned char)text[0]) && lexical_listed(bare, text))
        return true;
    const char *dot = strrchr(text, '.');
    bool has_extension = dot && dot != text && isalpha((unsigned char)dot[1]) && strlen(dot) <= 6;
    return strchr(text, '/') || has_extension;
}

/* "topic=cats": the word is meant as it stands. */
static bool is_assigned(const struct lexical_token *token)
{
    return token->kind == LEXICAL_WORD && !token->is_number && token->before == '=';
}

static bool is_email(const char *text)
{
    const char *at = strchr(text, '@');
    return at && at > text && strchr(at, '.') && !strpbrk(text, " /:");
}

static bool is_id(const struct lexical_token *token)
{
    const char *digit = token->text + strcspn(token->text, "0123456789");
    return *digit && token->kind == LEXICAL_WORD && !token->is_number &&
           !strpbrk(token->text, "/:.*@,");
}

/* "csv files", "markdown files", "archivos csv": a pattern of their names. */
static void find_file_type(struct lexical_finder *finder, size_t i)
{
    static const char *const named[][2] = { { "markdown", "md" },
                                            { "python", "py" },
                                            { "javascript", "js" },
                                            { "typescript", "ts" },
                                            { "text", "txt" } };
    static const char endings[] = " yaml csv json log html pdf toml xml png md txt py js ts c h ";
    const struct lexical_token *token = token_at(finder, i);
    bool is_before = strcmp(token_at(finder, i + 1)->english, "files") == 0;
    bool is_behind = i && strcmp(token_at(finder, i - 1)->english, "files") == 0;
    const char *ending = token->lower + (*token->lower == '.');
    for (size_t t = 0; t < ARRAY_LENGTH(named); t++)
        ending = strcmp(ending, named[t][0]) == 0 ? named[t][1] : ending;
    if ((is_before || is_behind) && (*token->lower == '.' || lexical_listed(endings, ending)))
        lexical_add_mention(finder, MENTION_GLOB, i, i)->text =
            arena_printf(finder->arena, "*.%s", ending);
}

static void find_quoted_and_paths(struct lexical_finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        const struct lexical_token *token = &finder->words->tokens[i];
        find_file_type(finder, i);
        if (is_email(token->text))
            lexical_add_mention(finder, MENTION_EMAIL, i, i);
        if (token->kind == LEXICAL_QUOTED && strpbrk(token->text, "*"))
            lexical_add_mention(finder, MENTION_GLOB, i, i);
        if (is_id(token))
            lexical_add_mention(finder, MENTION_ID, i, i);
        if (token->kind == LEXICAL_QUOTED || is_assigned(token))
            lexical_add_mention(finder, MENTION_QUOTED, i, i);
        else if (token->kind == LEXICAL_WORD && lexical_is_path(token->text))
            lexical_add_mention(finder, MENTION_PATH, i, i);
        else if (token->kind == LEXICAL_WORD && strchr(token->text, '*'))
            lexical_add_mention(finder, MENTION_GLOB, i, i);
    }
}

static bool is_name_part(const struct lexical_finder *finder, size_t i)
{
    const struct lexical_token *token = token_at(finder, i);
    bool is_tag = *token->text == '#' || *token->text == '@';
    return token->kind == LEXICAL_WORD && (token->is_capital || is_tag) &&
           !lexical_is_path(token->text) && strcmp(token->text, "I") != 0;
}

static bool continues_name(const struct lexical_finder *finder, size_t i)
{
    bool stops = strchr(".,;:?!()", token_at(finder, i)->before) && token_at(finder, i)->before;
    return is_name_part(finder, i) && !stops;
}

static size_t name_end(const struct lexical_finder *finder, size_t first)
{
    size_t last = first;
    for (;;) {
        if (continues_name(finder, last + 1))
            last += 1;
        else if (lexical_listed(name_joints, token_at(finder, last + 1)->english) &&
                 !token_at(finder, last + 1)->before && continues_name(finder, last + 2))
            last += 2;
        else
            return last;
    }
}

static bool starts_sentence(const struct lexical_finder *finder, size_t i)
{
    char before = finder->words->tokens[i].before;
    return i == 0 || before == '.' || before == '?' || before == '!';
}

/* "Bella's appointment" is of Bella. */
static void drop_possessive(struct lexical_finder *finder, struct mention *name)
{
    size_t length = strlen(name->text);
    if (text_ends_with(name->text, "'s"))
        name->text = arena_strndup(finder->arena, name->text, length - 2);
}

/* "Paris, France" is one place and two names; both are mentioned. */
static void add_name(struct lexical_finder *finder, size_t first, size_t last)
{
    size_t next = last + 1;
    if (is_name_part(finder, next) && token_at(finder, next)->before == ',')
        lexical_add_mention(finder, MENTION_NAME, first, name_end(finder, next));
    if (token_at(finder, next)->kind == LEXICAL_NUMBER && !token_at(finder, next)->before &&
        *lead_of(finder, first) && token_at(finder, next)->is_whole)
        lexical_add_mention(finder, MENTION_NAME, first, next);
    drop_possessive(finder, lexical_add_mention(finder, MENTION_NAME, first, last));
}

static void find_names(struct lexical_finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        bool is_sentence_word = starts_sentence(finder, i) && !continues_name(finder, i + 1);
        const struct lexical_token *token = &finder->words->tokens[i];
        bool is_german_noun = i && !*lead_of(finder, i) &&
                              lexical_listed(" der die das den dem des ein eine einen einem einer ",
                                             token_at(finder, i - 1)->lower);
        bool is_article =
            lexical_listed(articles, token->english) && !continues_name(finder, i + 1);
        bool is_unit = i && token->length == 1 && token_at(finder, i - 1)->is_number; /* "72 F" */
        if (!is_name_part(finder, i) || is_sentence_word || is_unit || is_article ||
            is_german_noun ||
            (starts_sentence(finder, i) && (token->is_function || lexical_is_action(token->sense))))
            continue;
        size_t last = name_end(finder, i);
        add_name(finder, i, last);
        i = last;
    }
}

/* True when a phrase cannot go on with this token. */
static bool ends_phrase(const struct lexical_token *token)
{
    return token->kind != LEXICAL_WORD || token->is_number || token->before ||
           lexical_listed(prepositions, token->english) ||
           lexical_listed(phrase_ends, token->english);
}

static void find_phrases(struct lexical_finder *finder)
{
    for (size_t i = 0; i + 1 < finder->words->n; i++) {
        if (!lexical_listed(prepositions, finder->words->tokens[i].english))
            continue;
        size_t first = i + 1;
        while (lexical_listed(articles, token_at(finder, first)->english))
            first++;
        size_t behind = first;
        while (behind < finder->words->n && !ends_phrase(&finder->words->tokens[behind]) &&
               (behind == first || strcmp(finder->words->tokens[behind].english, "the") !=
                                       0)) /* "im Flur das Licht" */
            behind++;
        if (behind > first)
            lexical_add_mention(finder, MENTION_PHRASE, first, behind - 1);
    }
}

static const char naming_words[] = " called named ";
static const char inside_words[] = " in inside within under ";
static const char text_words[] = " word words text phrase string term keyword expression ";
static const char saying_words[] = " echo say ";
/* Words before "folder" or behind "in" that name none. */
static const char no_names[] =
    " new current same other whole root parent empty here there total general working sub "
    "which every english everything all anything name names tree structure listing "
    "itself ";

static bool is_name(const struct lexical_token *token)
{
    bool is_data = strcmp(token->lower, "data") == 0;
    return *token->text && token->kind == LEXICAL_WORD && (is_data || !token->is_function) &&
           !token->is_number && !lexical_listed(prepositions, token->english) &&
           !lexical_listed(articles, token->english) && token->sense == SENSE_NONE &&
           !lexical_listed(no_names, token->english) &&
           !lexical_listed(naming_words, token->english);
}

/* "the folder notes", "a folder called notes", "the notes folder". */
static void find_named_folder(struct lexical_finder *finder, size_t i)
{
    size_t next = i + 1;
    next += lexical_listed(naming_words, token_at(finder, next)->english);
    if (token_at(finder, next)->kind == LEXICAL_QUOTED)
        lexical_add_mention(finder, MENTION_FOLDER, next, next);
    else if (next == i + 1 && i > 1 && is_name(token_at(finder, i - 1)))
        lexical_add_mention(finder, MENTION_FOLDER, i - 1, i - 1);
    else if (is_name(token_at(finder, next)) && !token_at(finder, next)->before)
        lexical_add_mention(finder, MENTION_FOLDER, next, next);
}

/* "what is in notes", "ls notes", "in notes for X": a bare word; an article would make it a common
 * noun. */
static void find_bare_folder(struct lexical_finder *finder, size_t i)
{
    const struct lexical_token *word = token_at(finder, i);
    bool of_files = i && token_at(finder, i - 1)->sense == SENSE_FILE && lexical_is_lead(word);
    bool opens = of_files || lexical_listed(inside_words, word->english) ||
                 (i == 0 && word->sense == SENSE_LIST);
    while (opens && *token_at(finder, i + 1)->text == '-')
        i += token_at(finder, i + 2)->is_number && i + 3 < finder->words->n ? 2 : 1;
    const struct lexical_token *last = token_at(finder, i + 1);
    const struct lexical_token *behind = token_at(finder, i + 2);
    bool ends = i + 2 == finder->words->n || behind->before || lexical_is_lead(behind) ||
                behind->is_function || behind->is_number;
    bool has_slash =
        finder->request[last->offset + last->length] == '/' && last->length; /* "src/" */
    if (opens && (has_slash || (ends && is_name(last) && !last->is_capital)))
        lexical_add_mention(finder, MENTION_FOLDER, i + 1, i + 1);
}

/* "TODO", "max_lines": such a word is meant as itself. */
static bool is_code(const char *text)
{
    return (isupper((unsigned char)text[0]) && isupper((unsigned char)text[1])) ||
           strchr(text, '_');
}

static void add_term(struct lexical_finder *finder, size_t first)
{
    bool is_about_files = false;
    while (lexical_listed(articles, token_at(finder, first)->english))
        first++;
    if (*token_at(finder, first)->text == '-')
        return;
    bool is_announced = lexical_listed(text_words, token_at(finder, first)->english) &&
                        first + 1 < finder->words->n;
    first += is_announced;
    size_t behind = first;
    while (behind < finder->words->n && !token_at(finder, behind)->is_function &&
           (behind == first || !ends_phrase(token_at(finder, behind)))) {
        enum lexical_sense sense = token_at(finder, behind++)->sense;
        is_about_files = is_about_files || sense == SENSE_FILE || sense == SENSE_FOLDER;
    }
    if (behind > first && !is_about_files)
        lexical_add_mention(finder, MENTION_TERM, first, behind - 1)->is_marked =
            is_announced || is_code(token_at(finder, first)->text);
}

/* "the word pears", "for the phrase". */
static void find_announced_term(struct lexical_finder *finder, size_t i)
{
    const struct lexical_token *next = token_at(finder, i + 1);
    bool is_announced = i && i + 1 < finder->words->n && finder->words->tokens[i - 1].is_function;
    if (is_announced && lexical_listed(text_words, finder->words->tokens[i].english) &&
        next->kind == LEXICAL_WORD && !next->is_function && next->sense == SENSE_NONE)
        lexical_add_mention(finder, MENTION_TERM, i + 1, i + 1)->is_marked = true;
}

/* "grep -i TODO notes": a pattern, and where to look for it. */
static void find_command_arguments(struct lexical_finder *finder, size_t i)
{
    while (*token_at(finder, i)->text == '-')
        i++;
    if (token_at(finder, i)->kind == LEXICAL_WORD && *token_at(finder, i)->text &&
        !lexical_is_lead(token_at(finder, i)))
        lexical_add_mention(finder, MENTION_TERM, i, i)->is_marked = true;
    if (i + 2 == finder->words->n && is_name(token_at(finder, i + 1)))
        lexical_add_mention(finder, MENTION_FOLDER, i + 1, i + 1);
}

/* "look for X", "search this for X", "find X": what a searching verb is about. */
static void find_sought_term(struct lexical_finder *finder, size_t i)
{
    if (finder->words->tokens[i].sense != SENSE_SEARCH)
        return;
    if (strcmp(finder->words->tokens[i].lower, "grep") == 0) {
        find_command_arguments(finder, i + 1);
        return;
    }
    for (size_t k = i + 1; k < finder->words->n; k++)
        if (strcmp(finder->words->tokens[k].english, "for") == 0 ||
            strcmp(finder->words->tokens[k].lower, "nach") == 0) {
            add_term(finder, k + 1);
            return;
        }
    add_term(finder, i + 1);
}

/* "echo hello world": everything behind the verb. */
static void find_said_term(struct lexical_finder *finder)
{
    bool says = lexical_listed(saying_words, token_at(finder, 0)->english);
    if (says && finder->words->n > 1 && finder->words->tokens[1].kind != LEXICAL_QUOTED)
        lexical_add_mention(finder, MENTION_TERM, 1, finder->words->n - 1)->is_said = true;
}

static const char *without_end_mark(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && (isspace((unsigned char)text[length - 1]) || strchr(".?!", text[length - 1])))
        length--;
    return arena_strndup(arena, text, length);
}

/* "… on sales.csv" at the end says where to run it; in SQL a path stands behind FROM only. */
static void add_bare_statement(struct lexical_finder *finder, size_t i)
{
    size_t n = finder->words->n, last = n - 1;
    const char *joint = n > i + 2 ? token_at(finder, n - 2)->lower : "";
    bool has_file = lexical_is_path(token_at(finder, last)->text) &&
                    lexical_listed(" on in over against ", joint);
    const struct lexical_token *end = token_at(finder, has_file ? n - 2 : n);
    const char *text = finder->request + token_at(finder, i)->offset;
    size_t length = has_file ? end->offset - token_at(finder, i)->offset : strlen(text);
    lexical_add_mention(finder, MENTION_SQL, i, has_file ? n - 3 : last)->text =
        without_end_mark(finder->arena, arena_strndup(finder->arena, text, length));
}

/* A statement is quoted, or runs to the end of the request. */
static void find_statement(struct lexical_finder *finder, size_t i)
{
    const struct lexical_token *token = &finder->words->tokens[i];
    const char *text = finder->request + token->offset;
    if (token->kind == LEXICAL_QUOTED && strncasecmp(token->text, "select ", 7) == 0)
        lexical_add_mention(finder, MENTION_SQL, i, i);
    else if (token->kind == LEXICAL_WORD && strcmp(token->english, "select") == 0 &&
             strcasestr(text, " from "))
        add_bare_statement(finder, i);
}

/* Folders by the words around them, terms to search for, SQL statements. */
static void find_terms(struct lexical_finder *finder)
{
    find_said_term(finder);
    for (size_t i = 0; i < finder->words->n; i++) {
        find_statement(finder, i);
        if (finder->words->tokens[i].sense == SENSE_FOLDER)
            find_named_folder(finder, i);
        else
            find_bare_folder(finder, i);
        find_announced_term(finder, i);
        find_sought_term(finder, i);
    }
}

struct mentions lexical_mentions(struct arena *arena, const char *request,
                                 const struct lexical_text *words, int64_t today)
{
    struct lexical_finder finder = {
        .arena = arena, .request = request, .words = words, .today = today
    };
    lexical_find_dates(&finder);
    find_quoted_and_paths(&finder);
    find_numbers(&finder);
    find_names(&finder);
    find_phrases(&finder);
    find_terms(&finder);
    return finder.found;
}
