/* What stands in place of a program, a pattern or a statement and is none: prose, code in which
 * everything is still to be written, names of textbooks that are to be filled in. */
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_GAP_BYTES 60 /* of a name between < and > */
#define MAX_GAP_WORDS 4
#define PROSE_MIN_WORDS 3

/* Statements that do nothing, or say that something is to be done. */
static const char *const idle[] = {
    "",
    "pass",
    "...",
    "{",
    "}",
    "};",
    "end",
    "{}",
    "return",
    "return;",
    "return None",
    "return null;",
    "return nil",
    "return 0;",
    "return 0",
    "return None;",
    "return \"\"",
    "return '';",
    "return \"\";",
    "body",
    "endfunction",
    "return false",
    "return false;",
    "return true;",
    "return true",
    "fi",
    "done",
    "});",
    "})",
    ")",
};
/* Anywhere in a line. */
static const char *const not_yet[] = {
    "NotImplemented", "not implemented", "unimplemented!",
    "todo!",          "Not implemented", "UnsupportedOperation"
};
/* Beginnings of lines that bring in what others wrote. */
static const char *const bringing[] = { "import ",  "from ",    "#include",
                                        "using ",   "package ", "require",
                                        "require(", "use ",     "\"use strict\"" };
/* A task with one of these may want a program that does nothing. */
static const char *const idle_tasks[] = {
    "nothing",       "empty",       "no-op",     "noop",      "stub",     "interface",
    "abstract",      "hook",        "minimal",   "smallest",  "skeleton", "not implemented",
    "unimplemented", "placeholder", "declar",    "leer",      "nichts",   "vide",
    "rien",          "vací",        "vaci",      "nada",      "vuot",     "niente",
    "nulla",         "squelette",   "esqueleto", "scheletro", "gerüst"
};

static bool contains_any(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasestr(text, list[i]))
            return true;
    return false;
}

static bool has_any(struct span text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memmem(text.text, text.length, list[i], strlen(list[i])))
            return true;
    return false;
}

static bool begins_with(struct span line, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) <= line.length && memcmp(line.text, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* Whether the task has the word, in any case. */
static bool names(const char *task, const char *word, size_t length)
{
    for (; *task; task++)
        if (strncasecmp(task, word, length) == 0)
            return true;
    return false;
}

/* "#define" and "#main {" begin something else than a comment. */
static bool is_hash_of_code(struct span line, size_t at)
{
    static const char *const directives[] = { "#include", "#define", "#if",    "#else",
                                              "#endif",   "#undef",  "#pragma" };
    struct span rest = { line.text + at, line.length - at };
    bool is_selector = rest.length > 1 && isalpha((unsigned char)rest.text[1]) &&
                       memchr(rest.text, '{', rest.length);
    return is_selector || begins_with(rest, directives, ARRAY_LENGTH(directives));
}

/* "class Missing(Exception):" needs nothing in it. */
static bool is_derived_class(struct span line)
{
    static const char *const word[] = { "class " };
    return begins_with(line, word, 1) && memchr(line.text, '(', line.length);
}

/* Where a comment begins; the length of the line when there is none. */
static size_t comment_at(struct span line)
{
    for (size_t i = 0; i < line.length; i++) {
        bool is_pair = i + 1 < line.length;
        if ((line.text[i] == '#' && !is_hash_of_code(line, i)) ||
            (is_pair &&
             (memcmp(line.text + i, "//", 2) == 0 || memcmp(line.text + i, "/*", 2) == 0 ||
              memcmp(line.text + i, "--", 2) == 0)) ||
            (i + 3 <= line.length && memcmp(line.text + i, "\"\"\"", 3) == 0))
            return i;
    }
    return line.length;
}

/* "def f(x):", "int f() {", but not "while (*d++ = *s++) {", whose condition does the work */
static bool is_frame(struct span line)
{
    static const char *const loop[] = { "while" };
    char last = line.text[line.length - 1];
    if (begins_with(line, loop, 1) && memmem(line.text, line.length, "++", 2))
        return false;
    return last == ':' || last == '{' ||
           (line.length > 2 && memcmp(line.text + line.length - 2, "{}", 2) == 0);
}

/* "return true;" where the task speaks of true. */
static bool returns_what_was_asked(struct span line, const char *task)
{
    static const char word[] = "return ";
    size_t n = 0;
    if (!begins_with(line, (const char *const[]){ word }, 1))
        return false;
    const char *value = line.text + strlen(word);
    while (n < line.length - strlen(word) && isalnum((unsigned char)value[n]))
        n++;
    return n && names(task, value, n);
}

static bool is_idle(struct span line, const char *task)
{
    if (returns_what_was_asked(line, task))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(idle); i++)
        if (strlen(idle[i]) == line.length && memcmp(idle[i], line.text, line.length) == 0)
            return true;
    return has_any(line, not_yet, ARRAY_LENGTH(not_yet));
}

/* The next thing is a brace, which makes a head of the line before. */
static bool opens_a_block(struct span behind)
{
    behind = canonical_trim(behind);
    return behind.length && *behind.text == '{';
}

/* Frames and comments alone. A frame with nothing in it on one line ("class A: pass") is left to
 * the checks of examples. */
bool candidate_is_stub(struct span code, const char *task)
{
    size_t n_frames = 0, n_comments = 0, n_brought = 0;
    bool is_derived = false;
    const char *stop = code.text + code.length;
    if (contains_any(task, idle_tasks, ARRAY_LENGTH(idle_tasks)))
        return false;
    while (code.length) {
        const char *end = memchr(code.text, '\n', code.length);
        size_t n = end ? (size_t)(end - code.text) : code.length;
        struct span line = canonical_trim((struct span){ code.text, n });
        size_t comment = comment_at(line);
        n_comments += comment < line.length;
        line = canonical_trim((struct span){ line.text, comment });
        bool is_empty = !line.length || is_idle(line, task);
        bool is_brought = !is_empty && begins_with(line, bringing, ARRAY_LENGTH(bringing));
        if (!is_empty && !is_brought && !is_frame(line) &&
            !(line.text[line.length - 1] == ')' && end &&
              opens_a_block((struct span){ end, (size_t)(stop - end) })))
            return false;
        is_derived = is_derived || is_derived_class(line);
        n_brought += is_brought;
        n_frames += !is_empty && !is_brought;
        code = (struct span){ code.text + n + (end != NULL), code.length - n - (end != NULL) };
    }
    bool is_whole = (is_derived && n_frames == 1) || (n_brought && !n_frames);
    return n_frames + n_comments > 0 && !(is_whole && !n_comments);
}

/* "La fonction renvoie la somme." Code and patterns have other signs than these, and no sentence.
 */
bool candidate_is_prose(struct span text)
{
    size_t n_words = 0, n_small = 0, n_large = 0;
    bool in_word = false, has_parentheses = false;
    if (!text.length || !strchr(".?!", text.text[text.length - 1]) ||
        (text.length > 1 && !isalpha((unsigned char)text.text[text.length - 2]) &&
         (unsigned char)text.text[text.length - 2] < 0x80 && text.text[text.length - 2] != ' '))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        bool is_word = isalnum(c) || c >= 0x80;
        if (!is_word && !strchr(" \t\n,.;:?!'-()", (char)c))
            return false;
        has_parentheses = has_parentheses || c == '(';
        n_words += is_word && !in_word;
        n_small += islower(c) != 0;
        n_large += isupper(c) != 0;
        in_word = is_word || c == '\'' || c == '-';
    }
    return n_words >= (has_parentheses ? 2 * PROSE_MIN_WORDS : PROSE_MIN_WORDS) &&
           n_small > 2 * n_large;
}

/* Words of patterns that only say that a pattern should be there. */
static const char pattern_words[] = " regulärer regulären reguläre"
                                    " pattern regex regexp expression regular muster ausdruck "
                                    "motif expression patron patrón expresión "
                                    "expresion modello espressione schema your the my here dein "
                                    "deine ihr ihre hier votre ton ma mon "
                                    "ici tu su aquí aqui tuo tua il qui flag flags name foo bar ";
static const char pattern_nouns[] =
    " pattern regex regexp muster ausdruck motif patron patrón expresión expresion modello "
    "espressione foo regularexpression ";

/* "^your_pattern$", "pattern1|pattern2" */
bool candidate_is_pattern_gap(struct span text, const char *task)
{
    size_t n_nouns = 0;
    for (size_t i = 0, n; i < text.length; i += n ? n : 1) {
        for (n = 0; i + n < text.length && (isalpha((unsigned char)text.text[i + n]) ||
                                            (unsigned char)text.text[i + n] >= 0x80);)
            n++;
        if (!n && !strchr(" ^$/|()<>[]{}_?:0123456789", text.text[i]))
            return false;
        if (n && !text_is_listed(pattern_words, text.text + i, n))
            return false;
        n_nouns +=
            n && text_is_listed(pattern_nouns, text.text + i, n) && !names(task, text.text + i, n);
    }
    return n_nouns > 0;
}

/* Beginnings of statements, in lower case as all of SQL is by now. */
static const char *const statements[] = { "select",   "with",      "insert",  "update",   "delete",
                                          "create",   "alter",     "drop",    "values",   "explain",
                                          "pragma",   "replace",   "merge",   "truncate", "begin",
                                          "commit",   "grant",     "revoke",  "attach",   "detach",
                                          "rollback", "savepoint", "release", "vacuum",   "analyze",
                                          "reindex",  "set",       "show",    "call",     "(" };
/* Words of statements, and what textbooks call tables, columns and values. */
static const char sql_words[] = " select from where and or not insert into values update set "
                                "delete create table drop alter add "
                                "column order by group having limit offset as on join inner left "
                                "right full outer cross distinct "
                                "all union count sum avg min max asc desc in is null like between "
                                "exists case when then else end "
                                "primary key int integer text varchar ";
static const char textbook_words[] =
    " table_name tablename column_name columnname column columns column1 column2 column3 col1 col2 "
    "your_table your_column your_database condition conditions value value1 value2 table table1 "
    "mytable datatype nombre_tabla condición "
    "tabelle tabellenname spalte spalte1 spalte2 spalten spaltenname wert wert1 bedingung "
    "nom_de_la_table nom_table nom_colonne colonne colonne1 colonne2 valeur valeur1 condition "
    "tabla nombre_tabla nombre_de_tabla columna columna1 columna2 valor valor1 condicion "
    "tabella nome_tabella colonna colonna1 colonna2 valore valore1 condizione ";

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* Every name in it is a textbook's, and the task has none of them. */
static bool has_textbook_names_only(struct span sql, const char *task)
{
    size_t n_names = 0;
    for (size_t i = 0, n; i < sql.length; i += n ? n : 1) {
        for (n = 0; i + n < sql.length && is_name_byte(sql.text[i + n]);)
            n++;
        if (strchr("'\"`[", sql.text[i]))
            return false;
        if (!n || isdigit((unsigned char)sql.text[i]))
            continue;
        bool is_textbook = text_is_listed(textbook_words, sql.text + i, n);
        if (is_textbook && names(task, sql.text + i, n))
            return false;
        if (!is_textbook && !text_is_listed(sql_words, sql.text + i, n))
            return false;
        n_names += is_textbook && !text_is_listed(sql_words, sql.text + i, n);
    }
    return n_names > 0;
}

/* "<table name>" and not "a <b and c> d". */
static bool is_name_gap(const char *at)
{
    size_t n_words = 1, n = 0;
    for (; is_name_byte(at[n]) || at[n] == ' '; n++)
        n_words += at[n] == ' ';
    bool is_condition = memmem(at, n, " and ", 5) || memmem(at, n, " or ", 4);
    return n && n <= MAX_GAP_BYTES && at[n] == '>' && n_words <= MAX_GAP_WORDS && !is_condition &&
           !isdigit((unsigned char)*at);
}

/* "<b>" in a text is more likely HTML than something to be filled in. */
static bool is_tag(const char *at)
{
    return at[0] && (at[1] == '>' || (at[1] && at[2] == '>'));
}

/* "[condition]" */
static bool is_textbook_gap(const char *at, const char *task)
{
    size_t n = 0;
    while (is_name_byte(at[n]))
        n++;
    return strchr("]}", at[n]) && text_is_listed(textbook_words, at, n) && !names(task, at, n);
}

static bool begins_a_statement(struct span sql)
{
    static const char alone[] = " begin commit rollback end vacuum analyze reindex ";
    if (text_is_listed(alone, sql.text, sql.length))
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++) {
        size_t n = strlen(statements[i]);
        if (sql.length > n && memcmp(sql.text, statements[i], n) == 0 &&
            (statements[i][0] == '(' || !is_name_byte(sql.text[n])))
            return true;
    }
    return false;
}

bool candidate_is_sql_gap(struct span sql, const char *task)
{
    char quote = '\0';
    if (!begins_a_statement(sql) || has_textbook_names_only(sql, task))
        return true;
    for (const char *at = sql.text, *end = at + sql.length; at < end; at++) {
        bool is_apart = at == sql.text || strchr(" (,='\"", at[-1]);
        bool is_gap = *at == '<' && is_apart && is_name_gap(at + 1) && !strchr(task, '<') &&
                      !(quote && is_tag(at + 1));
        bool is_bracketed = !quote && strchr("[{", *at) && is_textbook_gap(at + 1, task);
        bool is_cut = text_starts_with(at, "...") || text_starts_with(at, "\xE2\x80\xA6");
        if (is_gap || is_bracketed || (!quote && is_cut))
            return true;
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (strchr("'\"`", *at))
            quote = *at;
    }
    return false;
}
