/* What words say of a plot: which mark, what is done to the values, which column is meant. English
 * words; case does not matter, and a plural is its singular. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_WORDS_H
#define APPLICATION_FIGURE_PLOT_PLOT_WORDS_H

#include "domain/figure/plot_spec.h"

struct plot_wish {
    bool has_mark, has_aggregate, sorted;
    enum plot_mark mark;
    enum plot_aggregate aggregate;
};

/* The caption decides where both say something. */
struct plot_wish plot_words_read(const char *caption, const char *intent);
/* True when the text speaks of the column: "response time" of "response_time_ms". */
bool plot_words_mention(const char *text, const char *column);
/* True for "A against B", "A versus B", "A over B", "A as a function of B". */
bool plot_words_against(const char *text, const char *a, const char *b);
/* Columns along which something goes on (year, epoch, x), and those that only name rows (id). */
bool plot_words_name_axis(const char *column);
bool plot_words_name_key(const char *column);

#endif
