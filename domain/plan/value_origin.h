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
 * the request does not have. Pure. */
#ifndef DOMAIN_PLAN_VALUE_ORIGIN_H
#define DOMAIN_PLAN_VALUE_ORIGIN_H

#include "domain/tool/tool.h"

/* The texts in which a value may stand: the request, the conversation. */
struct said {
    const char *const *texts;
    size_t n;
};

/* Whether the planner writes the parameter itself. */
bool value_is_written(const struct tool *tool, const char *name);

/* Whether a literal value of a given parameter was said: each of its words and numbers is one in
 * the texts, upper and lower case being the same. True for the other two kinds of parameters, for
 * the parameter's default and for what holds references ('{'). */
bool value_is_said(const struct tool *tool, const char *name, const json_t *value,
                   struct said said);

#endif
