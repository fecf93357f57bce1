/* A request cut into actions, in order: "read A and then B", "search for X and count the lines".
 * A cut is where another verb begins behind "and", "then", a comma or the end of a sentence; behind
 * "then" also where none does, and the verb before it is carried over. "Before" and "after" turn
 * the order round where a verb follows. Items that are joined, "the
 * weather in Oslo and Rome", are one action until a tool is known to take one of them at a time. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ACTIONS_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ACTIONS_H

#include "application/finding/request_verbs.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/lexical/lexical_words.h"

#define LEXICAL_MAX_ACTIONS 8 /* the last has the rest */

/* What stands for something of the action before. */
enum lexical_back {
    BACK_NOTHING,
    BACK_SAME,   /* "it": what that was done to */
    BACK_RESULT, /* "the first match": what it gave */
};

struct lexical_action {
    const char *text; /* with the verb that it shares with the one before, without what goes back */
    const char *said; /* as it stands in the request */
    size_t offset;    /* of that */
    enum lexical_back back;
    bool only_shows; /* it says no more than that what was just read is to be shown */
};

struct lexical_actions {
    struct lexical_action *list;
    size_t n;
    bool is_ordered; /* "then" is said */
};

/* shares: of "flag m-20 green and m-21 yellow" each item with words of its own is an action. */
MUST_CHECK
enum err_code lexical_actions_read(struct arena *arena, struct assets *assets, const char *text,
                                   bool shares, struct lexical_actions *out, struct err *err);

/* Joined items, of which the values have one. */
struct lexical_items {
    const char **texts;       /* the action once for each of them */
    size_t n;                 /* 0: there are none */
    struct lexical_span span; /* bytes of the action, from the first to the last */
};

/* tokens: of the text. The texts are in the arena. */
struct lexical_items lexical_actions_each(struct arena *arena, const char *text,
                                          const struct lexical_text *tokens,
                                          const struct lexical_slots *slots);

#endif
