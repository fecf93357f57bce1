/* The composition root: the one place that knows every layer. It reads what was configured, makes
 * adapters when they are first needed, hands them to the command and takes everything down in
 * reverse order. It decides nothing that a layer could decide. */
#ifndef PRESENTATION_MAIN_COMPOSE_H
#define PRESENTATION_MAIN_COMPOSE_H

#include "presentation/cli/arguments.h"
#include "presentation/cli/command.h"

/* Runs the command within a fresh composition; returns the exit status. */
int compose_and_run(const struct arguments *arguments, const struct command *command);

#endif
