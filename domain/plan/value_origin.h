/* Where the value of a parameter may come from. Three kinds of parameters are told apart:
 *
 * - What is written: SQL, an expression, a pattern, the body of a mail, an object with members. It
 *   follows from the request without standing in it, so whoever plans the call writes it.
 * - What is chosen: true or false, one of an enumeration. Every choice was offered by the tool.
 * - What is given: all the rest, such as paths, ids, addresses, dates and amounts. It stands in
 *   the request or the conversation, or an earlier step gives it; else a person is asked.
 *
 * A parameter is written when it takes an object, or when its schema leaves the text free (no
 * enumeration, pattern or format) and the head noun of its name is a kind of text: "sql_query" and
 * "bodyText" are, "message_id" and "text_path" are not. Where the name does not tell, the head noun
 * of the description may still name a formal language ("the SQL statement to run"). A tool that
 * only reads works on the texts it is given, so for such a tool nothing but formal languages is
 * written: it may be sent a query that the request does not spell out, but not a text to count that
 * the request does not have.
 *
 * Of given values two things are asked. A plan is held to the words: what was not said in full is
 * asked for (value_is_said). An intent may put what was said in another form, so there only the
 * certain inventions are found (value_is_invented), because a needless question is worse than a
 * slip that the person sees:
 * - An e-mail address, the host of a URL, and the digits of an id ("INV-4821") stand in the texts:
 *   no one derives them from something else.
 * - A number, a date or a time needs some number or word of time in the texts. Which one is not
 *   judged: units are converted ("68 F" is 20), and days are counted from today.
 * - A name or a phrase shares the stem of a word (its first four letters, or all of a shorter one)
 *   with the texts: "readme" is README.md, and "bath" the bathroom.
 * - Codes of at most three letters (currency, language, country) follow from names.
 * - A tool that only reads may be sent to look into a likely file ("what is this folder about?" is
 *   answered by README.md): where there is none it says so. Pure. */
#ifndef DOMAIN_PLAN_VALUE_ORIGIN_H
#define DOMAIN_PLAN_VALUE_ORIGIN_H

#include "domain/base/arena.h"
#include "domain/tool/tool.h"

/* Whether the argument is a program or a pattern, whose language brackets belong to: by the name of
 * its parameter, or as the content of a file that another argument names ("hello.sh"). A text that
 * is in brackets as a whole is a pattern at most. */
bool value_is_code(const char *name, const json_t *args);

/* A text in which a value may stand, such as the request, and others that count as well. It is
 * split into words once, so that a long conversation is cheap to look into again and again. */
struct said {
    const char *text;
    const struct said *next;
    struct said_word *words; /* those with the same first letter beside each other */
    size_t starts[0x80 + 2]; /* of each first byte of ASCII in lower case, and of all others */
    bool has_number;         /* or a word of a number, a date or a time */
};

/* In the arena; the text stays the caller's. next may be NULL, as may each `said` below: nothing
 * was said. */
const struct said *said_read(struct arena *arena, const char *text, const struct said *next);

/* Where these words stand first, from their first letter or digit on, case aside and not within
 * longer ones; NULL where they do not. */
const char *said_find(const struct said *said, const char *words);
/* Whether the texts speak of an empty text: "replace it with nothing". Elsewhere "" stands for what
 * is not known. */
bool said_is_empty_text(const struct said *said);

/* Whether the planner writes the parameter itself. */
bool value_is_written(const struct tool *tool, const char *name);

/* Whether a literal value of a given parameter was said: each of its words and numbers is one in
 * the texts, upper and lower case being the same. True for the other two kinds of parameters, for
 * the parameter's default and for what holds references ('{'). */
bool value_is_said(const struct tool *tool, const char *name, const json_t *value,
                   const struct said *said);
/* Whether a literal value of a given parameter certainly comes from nothing that was said. False
 * where value_is_said does not ask either. */
bool value_is_invented(const struct tool *tool, const char *name, const json_t *value,
                       const struct said *said);

#endif
