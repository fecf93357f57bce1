/* Two texts are the same answer when their canonical texts are equal byte by byte. What may
 * differ without meaning anything depends on the kind, which is written down with the result:
 *
 *   text    CR LF and CR are LF, byte order marks and zero-width characters go, every run of white
 *           space is one blank, ends are trimmed; characters are in Unicode's form NFC, and quotes
 *           and apostrophes of typesetting are plain ones
 *   code    CR LF is LF, and line ends at the end of the text do not count; everything else does:
 *           indentation, empty lines, blanks at the ends of lines
 *   json    keys sorted, no blanks, numbers in their shortest form; duplicate keys are refused
 *   number  one number, alone: sign, leading and trailing zeros, exponent, grouping and blanks
 *           around it do not count, nor does Markdown's emphasis; 4, 4.0, +4, 4e0, **4** and "1
 * 000" (1000) compare as numbers, exactly, and so do 1/2, 2/4 and 0.5; "0,125" is refused, for it
 * may be a fraction regex   delimiters /…/flags, a code fence and empty lines around it go; the
 * pattern itself is not touched, blanks at its ends included sql     comments go, white space
 * outside of quotes is folded, the last semicolon goes, words outside of quotes are lower case;
 * quotes are those of SQLite, [name] among them
 *
 * A fence (three backticks) around the whole is not part of code, json, number, regex and sql.
 * Pure. */
#ifndef DOMAIN_CONSENSUS_CANONICAL_TEXT_H
#define DOMAIN_CONSENSUS_CANONICAL_TEXT_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/consensus/role_set.h"

#define CANONICAL_MAX_POWER 999999 /* of ten, of the first digit of a number */

/* In the arena. ERR_INVALID: the text is none of that kind (no number, broken JSON, two
 * statements …) with the reason as an instruction in the hint; ERR_LIMIT: longer than
 * ENVELOPE_MAX_CANONICAL_BYTES. A text of which nothing is left is ERR_INVALID in every kind. */
MUST_CHECK
enum err_code canonical_text(struct arena *arena, enum canonical_kind kind, const char *text,
                             const char **out, struct err *err);

#endif
