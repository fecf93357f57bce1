/* What a command line says of itself that a person should not read over before it may start: other
 * rights, files that are removed, a shell, a download that is run. It looks for words, so it warns
 * of what is written plainly; that it is silent means nothing. Pure. */
#ifndef DOMAIN_POLICY_COMMAND_RISK_H
#define DOMAIN_POLICY_COMMAND_RISK_H

#include <stddef.h>

enum { COMMAND_RISKS = 4 };

/* Sentences about the program and its arguments, together; returns how many. */
size_t command_risk(const char *const *words, size_t n, const char *out[static COMMAND_RISKS]);

#endif
