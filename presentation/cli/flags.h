/* What people are told of flags: which ones the help of a command and the completions of shells
 * name, and what a flag means there. */
#ifndef PRESENTATION_CLI_FLAGS_H
#define PRESENTATION_CLI_FLAGS_H

#include "presentation/cli/arguments.h"

/* Whether help of the command names the flag. "help" stands for all commands: all common flags. */
bool flag_matters(const struct option *option, const char *command);
/* In a few words. */
const char *flag_help(const struct option *option, const char *command);
/* The values that it may have there, with a blank between them; NULL: anything. */
const char *flag_values(const struct option *option, const char *command);
/* A line for each flag that matters: those that only some commands understand, or the others. */
const char *flags_help(struct arena *arena, const char *command, bool are_common);

#endif
