/* Which words of an action a tool accounts for. Every word that carries meaning is one of four: a
 * word of the tool (of its name, title, description or parameters, or a sense of one), part of a
 * value or what leads to it, a word that says nothing, or left over. What is left over was asked
 * for and would not be done. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ACCOUNT_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ACCOUNT_H

#include "application/finding/request_verbs.h"
#include "application/finding/tool_ranking.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/orchestrators/lexical/lexical_words.h"

/* An action as far as it is the same for all tools. */
struct lexical_reading {
    const char *text;
    const char *safe_text;       /* without what looks like a secret */
    struct tool_ranking ranking; /* its request has the words, and behind them the verbs' deeds */
    size_t wish_length;          /* bytes before a blank line; what follows is given, not asked */
    size_t n_words;              /* the action's own */
    size_t *offsets;             /* of these in the text; SIZE_MAX: not found in it */
    struct lexical_text tokens;
    struct request_verbs verbs;
    size_t n_numbers;
    bool goes_back; /* a value comes from the action before */
};

/* What a word is to a tool. */
enum lexical_use { LEXICAL_SAYS_NOTHING, LEXICAL_TOOL_WORD, LEXICAL_OF_VALUE, LEXICAL_LEFT };

struct lexical_account {
    const struct lexical_span *items;
    enum lexical_use *uses;          /* by word */
    const struct tool_match **heard; /* by word: as what the tool has it; or NULL */
    size_t n_content, n_left;        /* words that carry meaning; those left over */
    size_t n_own, n_sense;           /* words of the tool; those that mean the same as one of it */
    size_t n_left_values;            /* numbers and quoted texts that no value has */
    /* The first word that no parameter takes and that says which, how, when or what not: "last",
     * "sorted", "if", "without"; or NULL. */
    const char *limited_by;
    bool excludes;      /* one of such words is a negation, or "why" */
    const char *joined; /* a word behind "and", where nothing else is accounted for; or NULL */
    enum verb_fit verb;
};

/* query.text is the action. Everything is in the arena. */
MUST_CHECK
enum err_code lexical_reading_make(struct arena *arena, const struct tool_query *query,
                                   struct lexical_reading *out, struct err *err);
/* Whether a word of the action has one of the marks of request_verbs.h: "@limit @condition". */
bool lexical_is_marked(const struct lexical_reading *reading, size_t i, const char *marks);
/* items: what is a value as well, beside the spans of the values. */
struct lexical_account lexical_account_make(struct arena *arena,
                                            const struct lexical_reading *reading,
                                            const struct ranked_tool *tool,
                                            const struct lexical_slots *slots,
                                            const struct lexical_span *items);
/* A word or some words of the action as they may be shown and logged: on one line, and not where
 * they are a secret or of one. In the arena. */
const char *lexical_told(struct arena *arena, const struct lexical_reading *reading,
                         const char *said);
/* The words left over, quoted and with commas, at most a handful. In the arena. */
const char *lexical_account_left(struct arena *arena, const struct lexical_reading *reading,
                                 const struct lexical_account *account);

/* Whether each word of these bytes of the text that says something is of the tool, or of its
 * values; one of them at least is no verb. */
bool lexical_account_covers(const struct lexical_reading *reading,
                            const struct lexical_account *account, size_t offset, size_t length);

#endif
