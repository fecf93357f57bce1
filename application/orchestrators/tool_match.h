/* The tool a model means when it writes a name that was not offered: the offered name or the full
 * one; the same letters in another case or with other separators ("Files.readFile"), with the
 * server or without; else a slip of at most TOOL_MATCH_MAX_SLIPS letters. Each only where one tool
 * alone fits: a guess between two would be a choice. Pure. */
#ifndef APPLICATION_ORCHESTRATORS_TOOL_MATCH_H
#define APPLICATION_ORCHESTRATORS_TOOL_MATCH_H

#include "application/finding/shortlist.h"

#define TOOL_MATCH_MAX_SLIPS 2
/* Letters of a name that allow for one slip: of shorter names another one is a slip away. The
 * first letter must be right: get_user is not set_user. */
#define TOOL_MATCH_LETTERS_PER_SLIP 4

/* NULL when no tool fits, or several do. */
const struct offered_tool *tool_match(const struct shortlist *list, const char *name);

#endif
