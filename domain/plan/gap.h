/* Gaps: what a small model writes where a value should stand, because it does not have the value or
 * does not write references as it was told. None of them may reach a tool.
 *
 * A gap is, on one line and of at most GAP_MAX_BYTES between its brackets:
 * - {…} of words, dots and indices ("{weather}", "{{ city }}", "{1.matches[0].path}"), and whatever
 *   begins like a reference to a step ("{s9.text | upper}");
 * - <…> of words that is not an element of HTML ("<weather>", not "<b>", "<https://x>" or "a<b>");
 * - […] of two words at least ("[weather report from the tool]", "[Your name]", not "[0-9]+",
 *   "[sic]" or "[my text](link)"), or of one that is the whole text, stands in the request or is a
 *   common name of a value ("[Date]"); in SQL only within quotes, as tables are named so;
 * - (…) that says to insert something ("(insert weather)");
 * - three or more underscores as a word of their own ("Dear ___,", not a line of Markdown), and
 *   "__CITY__" as "[city]";
 * - TBD;
 * - a short text that names in words what should stand there ("Output of step 1", "insert the
 *   weather here"), or a reference without braces ("s9.temp_c", not "s9.png").
 * Not a gap is what stands in the request; what is in a text of code or markup (gap_is_code) or
 * between backticks, unless it begins like a reference to a step; and, where the request is for a
 * template, a name in brackets within a longer text. Objects, sets, quantifiers and blocks ("{1,
 * 2}",
 * "{2,4}", "{ x; }") are not made of words alone, so they never are, and neither are arguments of
 * LaTeX and variables of a shell ("\frac{a}{b}", "${HOME}"). Pure. */
#ifndef DOMAIN_PLAN_GAP_H
#define DOMAIN_PLAN_GAP_H

#include <stdbool.h>
#include <stddef.h>

#define GAP_MAX_BYTES 64     /* between the brackets */
#define GAP_BLANK 3          /* underscores */
#define GAP_MAX_PHRASE 100   /* bytes of a text that can name a result in words */
#define GAP_REFERENCE '\x01' /* stands for each byte of a reference in a text that is searched */

struct gap {
    size_t at, length; /* in the text, with its brackets */
};

/* The first gap of the text. request: all that the person said; "" when nothing was. is_code: it is
 * known to be code, as gap_is_code may not see. */
bool gap_find(const char *text, const char *request, bool is_code, struct gap *out);
/* "png", "txt": behind a name and a dot that is a file, no member of a result. */
bool gap_is_file_ending(const char *word);
/* Whether the text is evidently JSON, markup or a program, where brackets belong to the language.
 * SQL is not meant: it has no use for such brackets. */
bool gap_is_code(const char *text);

#endif
