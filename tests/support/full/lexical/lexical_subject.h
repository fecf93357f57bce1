/* The lexical analyst as tests and benches measure it: the tools it may choose from, and what it
 * does with a request. The shape of its own result is known in lexical_subject.c alone. */
#ifndef TESTS_SUPPORT_FULL_LEXICAL_LEXICAL_SUBJECT_H
#define TESTS_SUPPORT_FULL_LEXICAL_LEXICAL_SUBJECT_H

#include "application/ports/tool_index.h"
#include "domain/base/arena.h"
#include "domain/tool/tool.h"

struct lexical_tools {
    struct arena arena;
    struct tool_index *index;
    const struct tool **list;
    size_t n, capacity;
    int64_t today; /* days since 1970-01-01 where the person is; 0: not known */
};

/* Takes the reference of a definition as a server lists it. */
void lexical_tools_add(struct lexical_tools *tools, const char *server, json_t *definition);
/* The built-in tools as the server "files" has them, and mistro's own jobs, which stand beside
 * whatever is configured. */
void lexical_tools_add_workspace(struct lexical_tools *tools, bool with_writing);
void lexical_tools_add_jobs(struct lexical_tools *tools);
/* Builds the index; to be called when all tools are there. False: it failed. */
bool lexical_tools_index(struct lexical_tools *tools);
void lexical_tools_finish(struct lexical_tools *tools);

enum lexical_did { LEXICAL_ACTED, LEXICAL_ASKED, LEXICAL_REFUSED };

struct lexical_act {
    const struct tool *tool;
    const json_t *args;
};

struct lexical_outcome {
    enum lexical_did did;
    struct lexical_act *calls; /* in order; of a question for values those it is about */
    size_t n_calls;
    const char **keys; /* what is asked: names of parameters, or "tool" */
    size_t n_keys;
    const struct tool **choices; /* of the question which tool */
    size_t n_choices;
    double score;        /* 0..1, how likely what it does is right */
    double tool_score;   /* … and its tool */
    const char *refusal; /* why; NULL where it did not refuse */
    const char *explanation;
};

/* Everything in *out lives in the arena. */
MUST_CHECK
enum err_code lexical_outcome_of(struct arena *arena, const struct lexical_tools *tools,
                                 const char *text, struct lexical_outcome *out, struct err *err);

#endif
