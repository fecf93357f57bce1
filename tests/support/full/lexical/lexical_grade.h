/* What an outcome of the lexical analyst is worth beside what a request wants. A set is a folder
 * with requests.json and the definitions of its tools, each with its server (tools.json, or
 * mock_tools.json and other_tools.json). A request:
 *
 *   {"id", "lang", "tools", "text", "expect": "do" | "ask" | "refuse",
 *    "calls": [{"tool", "args", "args_may"}], "alt": [[…], …], "ask_about": […],
 *    "tool_choices": […], "never": […], "also_ok": ["ask", "refuse"]}
 *
 * tools: "builtin" (servers files and mistro), "npm-everything", "npm-filesystem", "npm-memory", or
 * "mock" (all other servers). calls: in order; alt has other lists that are right. An argument
 * that equals its default, in the schema or told by the description, counts as left out; those of
 * args_may may be there or not, no others. {"$any": […]} is one of several values, "$today+1" a
 * day. Strings compare trimmed and without a final full stop. */
#ifndef TESTS_SUPPORT_FULL_LEXICAL_LEXICAL_GRADE_H
#define TESTS_SUPPORT_FULL_LEXICAL_LEXICAL_GRADE_H

#include "tests/support/full/lexical/lexical_subject.h"

struct lexical_grade {
    bool is_right;    /* the calls that were wanted, or a question about what was to be asked */
    bool is_done;     /* they were wanted and made */
    bool is_sensible; /* done, asked or refused as wanted, or as it was also acceptable */
    unsigned unasked; /* calls that change something, or must never be made, and were not wanted */
};

struct lexical_grade lexical_grade(const json_t *request, const struct lexical_outcome *found);

/* Days since 1970-01-01 of the local date, from which "$today" counts. */
int64_t lexical_today(void);

#endif
