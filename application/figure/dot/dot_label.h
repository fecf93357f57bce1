/* A label as lines of a picture: wrapped at blanks by display width, in lines of about the same
 * length, and cut with … where there would be too many of them. A word goes over the end of a line
 * only in a script that is written without blanks; one of usual length makes the lines wider, and
 * a longer one is broken where a reader would.
 * A line break in the label is kept. Writing for Graphviz defuses everything: quotes and
 * backslashes (so that \N and \G are two letters), entities, control characters and bidi
 * overrides. Pure. */
#ifndef APPLICATION_FIGURE_DOT_DOT_LABEL_H
#define APPLICATION_FIGURE_DOT_DOT_LABEL_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include <stdbool.h>

#define DOT_LABEL_MAX_LINES 8
#define DOT_LABEL_MIN_WRAP 6    /* columns; fewer are taken for these */
#define DOT_LABEL_WHOLE_WORD 16 /* columns of a word that is not broken */

struct dot_label {
    const char *lines[DOT_LABEL_MAX_LINES]; /* in the arena; as text, nothing is escaped yet */
    size_t n;
};

/* wrap: columns of a line (text_columns). */
struct dot_label dot_label_wrap(struct arena *arena, const char *text, size_t wrap);
/* The widest line in parts of the font's size, never less than DejaVu Sans needs for it. */
double dot_label_width(const struct dot_label *label);
/* As a quoted string; left: lines begin at the left, else they are centred. False when the buffer
 * is full. */
MUST_CHECK
bool dot_label_write(struct buf *out, const struct dot_label *label, bool left);
/* As a table of one cell in Graphviz' markup, with so many points around it, so that no edge beside
 * it touches it: plain labels of edges have no margin. */
MUST_CHECK
bool dot_label_write_padded(struct buf *out, const struct dot_label *label, unsigned padding);

#endif
