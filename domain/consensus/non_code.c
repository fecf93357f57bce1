/* What stands in place of a program, a pattern or a statement and is none.
 *
 * A program is looked at line by line, without its comments. A line brings in what others wrote or
 * is whole in itself, opens a block, does nothing, or does something. One line that does something
 * makes an answer, and so do two different values that are returned: something decides between
 * them. Of what is left, blocks with nothing in them are a stub, and so is all beside a comment
 * that says what should stand there. Nothing that the task asks for by its word is idle. Patterns
 * and SQL are no answer where all their names are a textbook's. */
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_GAP_WORDS 4 /* of a name between < and > */
#define PROSE_MIN_WORDS 3

/* A line of these alone does nothing. */
static const char idle_words[] =
    " pass return none null nil undefined true false 0 1 end fi done body endfunction ";
#define IDLE_SIGNS " \t(){}[];,.\"'!-"
/* Beginnings of lines that bring in what others wrote. */
static const char *const bringing[] = { "import ", "from ",    "#include", "using ",
                                        "use ",    "package ", "require",  "\"use strict\"" };

static bool has(struct span text, const char *part)
{
    return memmem(text.text, text.length, part, strlen(part)) != NULL;
}

static bool begins_with(struct span line, const char *beginning)
{
    size_t n = strlen(beginning);
    return n <= line.length && memcmp(line.text, beginning, n) == 0;
}

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

static size_t name_length(struct span text)
{
    size_t n = 0;
    while (n < text.length && is_name_byte(text.text[n]))
        n++;
    return n;
}

static struct span behind(struct span text, size_t n)
{
    return (struct span){ text.text + n, text.length - n };
}

/* Whether a word of the task begins so, in any case. */
static bool names(const char *task, const char *word, size_t length)
{
    for (const char *at = task; *at; at++)
        if ((at == task || !is_name_byte(at[-1])) && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

struct program {
    const char *task;
    struct span returned; /* the first line that returns a value and does nothing else */
    bool has_frame, has_whole, has_comment, has_gap, works;
};

/* The bytes of the comment that begins here; 0: none does. One that ends with its line has a blank
 * behind its mark, or a word that says what is to be done: "http://", "--x" and "#main" are none. A
 * text in three quotes is one where it begins a line. */
static size_t comment_at(struct span code, size_t at, bool begins_line)
{
    static const char *const marks[][2] = { { "/*", "*/" },         { "<!--", "-->" },
                                            { "\"\"\"", "\"\"\"" }, { "//", "\n" },
                                            { "--", "\n" },         { "#", "\n" } };
    struct span rest = behind(code, at);
    size_t i = 0;
    while (i < ARRAY_LENGTH(marks) && !begins_with(rest, marks[i][0]))
        i++;
    if (i == ARRAY_LENGTH(marks) || (at && !strchr(" \t\n;{})", code.text[at - 1])) ||
        (*rest.text == '"' && !begins_line))
        return 0;
    const char *open = marks[i][0], *close = marks[i][1];
    rest = behind(rest, strlen(open));
    struct span word = { rest.text, name_length(rest) };
    char next = word.length < rest.length ? rest.text[word.length] : '\n';
    if (*close == '\n' && !(word.length ? strchr(" :\n", next) && candidate_gap_words(word)
                                        : strchr(" \t!\n", next) != NULL))
        return 0;
    const char *end = memmem(rest.text, rest.length, close, strlen(close));
    return strlen(open) + (end ? (size_t)(end - rest.text) + strlen(close) : rest.length);
}

/* A copy with blanks in place of the comments, line by line as it was. */
static struct span without_comments(struct arena *arena, struct span code, struct program *program)
{
    char *copy = arena_strndup(arena, code.text, code.length);
    bool begins_line = true;
    for (size_t at = 0, n; at < code.length; at += n ? n : 1) {
        n = comment_at(code, at, begins_line);
        struct span comment = { code.text + at, n };
        program->has_comment = program->has_comment || (n && begins_line);
        program->has_gap =
            program->has_gap || candidate_gap_words(comment) > 1 || has(comment, "TODO");
        for (size_t i = at; i < at + n; i++)
            copy[i] = copy[i] == '\n' ? '\n' : ' ';
        char last = code.text[at + n - (n > 0)];
        begins_line = last == '\n' || (begins_line && strchr(" \t", last));
    }
    return (struct span){ copy, code.length };
}

static bool brings_in(struct span line)
{
    const char *end = memchr(line.text, ';', line.length);
    for (size_t i = 0; i < ARRAY_LENGTH(bringing); i++)
        if (begins_with(line, bringing[i]))
            return !end || end == line.text + line.length - 1;
    return false;
}

/* "class Missing(Exception):" needs nothing in it; nor does a tag. */
static bool is_whole(struct span line)
{
    const char *end = line.text + line.length - 1;
    return (*line.text == '<' && memchr(line.text, '>', line.length) == end) ||
           (begins_with(line, "class ") && (has(line, "(") || has(line, " extends ")));
}

static char take_last(struct span *line)
{
    char last = line->length ? line->text[line->length - 1] : '\0';
    *line = canonical_trim((struct span){ line->text, line->length - (last != '\0') });
    return last;
}

/* "def f(x):", "int f() {", a signature of the task; not "x = {", whose brace is a value, and not
 * "while (*d++ = *s++) {", which does the work in its condition. */
static bool is_frame(struct span line, struct span rest, const char *task)
{
    const char *arguments = memchr(line.text, '(', line.length);
    struct span head = line;
    char last = take_last(&head);
    if (last == '}')
        last = take_last(&head); /* "{}" */
    if (last == ';')
        return arguments && memchr(line.text, ' ', (size_t)(arguments - line.text)) &&
               memmem(task, strlen(task), head.text, head.length);
    if (last == ')')
        return begins_with(canonical_trim(rest), "{");
    bool is_value = last == '{' && head.length && strchr("=(,[:", head.text[head.length - 1]);
    bool is_loop = begins_with(line, "while") && has(line, "++");
    return (last == ':' || last == '{') && !is_value && !is_loop;
}

/* "raise NotImplementedError", "todo!()" */
static bool says_not_yet(struct span line)
{
    return has(line, "NotImplemented") || has(line, "not implemented") || has(line, "todo!") ||
           has(line, "unimplemented!") || has(line, "UnsupportedOperationException");
}

/* Every word of it does nothing. What the task asks for by its name does something, and so does the
 * second value that is returned. */
static bool is_idle(struct span line, struct program *program)
{
    struct span last = { 0 };
    for (size_t at = 0, n; at < line.length; at += n ? n : 1) {
        n = name_length(behind(line, at));
        if (n ? !text_is_listed(idle_words, line.text + at, n) : !strchr(IDLE_SIGNS, line.text[at]))
            return says_not_yet(line);
        last = n ? (struct span){ line.text + at, n } : last;
    }
    if (!begins_with(line, "return "))
        return true;
    if (program->returned.length)
        return program->returned.length == line.length &&
               memcmp(program->returned.text, line.text, line.length) == 0;
    program->returned = line;
    return program->has_gap || last.text == line.text ||
           !names(program->task, last.text, last.length);
}

bool candidate_is_stub(struct span code, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct program program = { .task = task };
    if (candidate_may_be_idle(task))
        return false;
    struct span left = without_comments(&arena, code, &program);
    while (left.length && !program.works) {
        const char *end = memchr(left.text, '\n', left.length);
        size_t n = end ? (size_t)(end - left.text) : left.length;
        struct span line = canonical_trim((struct span){ left.text, n });
        left = behind(left, n + (end != NULL));
        if (!line.length || brings_in(line))
            continue;
        if (is_whole(line))
            program.has_whole = true;
        else if (is_frame(line, left, task))
            program.has_frame = true;
        else
            program.works = !is_idle(line, &program);
    }
    return !program.works &&
           (program.has_frame || program.has_gap || (program.has_comment && !program.has_whole));
}

/* "La fonction renvoie la somme." Code and patterns have other signs than these, and no sentence.
 */
bool candidate_is_prose(struct span text)
{
    size_t n_words = 0, n_small = 0, n_large = 0, at_least = PROSE_MIN_WORDS;
    if (text.length < 2 || !strchr(".?!", text.text[text.length - 1]))
        return false;
    unsigned char last = (unsigned char)text.text[text.length - 2];
    if (!isalnum(last) && last < 0x80 && last != ' ')
        return false;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        bool is_word = isalnum(c) || c >= 0x80;
        if (!is_word && !strchr(" \t\n,.;:?!'-()", (char)c))
            return false;
        n_words += is_word && (!i || strchr(" \t\n(", text.text[i - 1]));
        n_small += islower(c) != 0;
        n_large += isupper(c) != 0;
        at_least = c == '(' || isdigit(last) ? 2 * PROSE_MIN_WORDS : at_least;
    }
    return n_words >= at_least && n_small > 2 * n_large;
}

/* How many letters stand here; digits and '_' tell names of textbooks apart. */
static size_t letters_at(struct span text, size_t at)
{
    size_t n = 0;
    while (at + n < text.length && is_name_byte(text.text[at + n]) &&
           !strchr("_0123456789", text.text[at + n]))
        n++;
    return n;
}

/* "^your_pattern$", "pattern1|pattern2": words alone, one of which says that a pattern should be
 * there. */
bool candidate_is_pattern_gap(struct span text, const char *task)
{
    static const char nouns[] =
        " pattern regex regexp regularexpression expression muster ausdruck motif "
        "patron patr\xC3\xB3n expresion expresi\xC3\xB3n modello espressione ";
    bool has_noun = false;
    for (size_t at = 0, n; at < text.length; at += n ? n : 1) {
        n = letters_at(text, at);
        if (!n && !strchr(" ^$/|()<>[]{}_?:0123456789", text.text[at]))
            return false;
        has_noun = has_noun ||
                   (text_is_listed(nouns, text.text + at, n) && !names(task, text.text + at, n));
    }
    return has_noun;
}

/* Beginnings of statements, in lower case as all of SQL is by now, and other words that say nothing
 * of what is asked for. */
static const char statements[] = " select with insert update delete create alter drop values "
                                 "explain pragma replace merge truncate "
                                 "begin commit grant revoke attach detach rollback savepoint "
                                 "release vacuum analyze reindex set show "
                                 "call ";
static const char sql_words[] =
    " from where and or not into add order by group having limit offset as on join inner left "
    "right full "
    "outer cross distinct all union count sum avg min max asc desc in is null like between exists "
    "case "
    "when then else end primary key int integer text varchar name your my nom nombre nome de la ";
/* What textbooks call tables, columns and values. */
static const char textbook_nouns[] =
    " table tablename mytable column columns columnname col database condition conditions value "
    "datatype "
    "tabelle tabellenname spalte spalten spaltenname wert bedingung colonne valeur tabla columna "
    "valor "
    "condicion condici\xC3\xB3n tabella colonna valore condizione ";

/* It has names, all of which are a textbook's, and not the task's. */
static bool has_textbook_names(struct span sql, const char *task)
{
    bool has_noun = false;
    for (size_t at = 0, n; at < sql.length; at += n ? n : 1) {
        const char *word = sql.text + at;
        n = letters_at(sql, at);
        bool is_noun = text_is_listed(textbook_nouns, word, n);
        if (strchr("'\"`[", *word) || (n && !is_noun && !text_is_listed(sql_words, word, n) &&
                                       !text_is_listed(statements, word, n)))
            return false;
        has_noun = has_noun || (is_noun && !names(task, word, n));
    }
    return has_noun;
}

/* "<table name>" and not "a <b and c> d"; "[condition]", "{table}". */
static bool is_gap_at(struct span text, const char *task)
{
    struct span inner = { text.text + 1, 0 };
    size_t n_words = 1;
    while (inner.length + 1 < text.length &&
           (is_name_byte(inner.text[inner.length]) || inner.text[inner.length] == ' '))
        n_words += inner.text[inner.length++] == ' ';
    char end = inner.length + 1 < text.length ? inner.text[inner.length] : '\0';
    if (*text.text != '<')
        return (end == ']' || end == '}') && has_textbook_names(inner, task);
    return end == '>' && inner.length && n_words <= MAX_GAP_WORDS && !has(inner, " and ") &&
           !has(inner, " or ") && !isdigit((unsigned char)*inner.text);
}

bool candidate_is_sql_gap(struct span sql, const char *task)
{
    char quote = '\0';
    bool begins = *sql.text == '(' || text_is_listed(statements, sql.text, name_length(sql));
    if (!begins || has_textbook_names(sql, task))
        return true;
    for (size_t i = 0; i < sql.length; i++) { /* what stands in quotes is data */
        struct span rest = behind(sql, i);
        bool is_apart = i && strchr(" (,=", sql.text[i - 1]);
        bool is_gap = (*rest.text == '<' && is_apart) || *rest.text == '[' || *rest.text == '{';
        if (!quote && ((is_gap && is_gap_at(rest, task)) || begins_with(rest, "...") ||
                       begins_with(rest, "\xE2\x80\xA6")))
            return true;
        if (quote)
            quote = *rest.text == quote ? '\0' : quote;
        else if (strchr("'\"`", *rest.text))
            quote = *rest.text;
    }
    return false;
}
