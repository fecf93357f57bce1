/* May this call run? Rules from the settings say allow, ask or deny for a server, a tool and
 * argument patterns; the last rule that matches wins. Without a matching rule the default holds:
 * tools of the built-in servers that only read are allowed, everything else asks. A server's
 * hints only tighten (a tool that says it is destructive is never allowed by default; one that
 * says it only reads gains nothing). The same rules say whether a call may be made again when its
 * outcome is unknown. Pure. */
#ifndef DOMAIN_POLICY_POLICY_H
#define DOMAIN_POLICY_POLICY_H

#include "domain/tool/tool.h"
#include <jansson.h>
#include <stdbool.h>

/* In `_meta` of a built-in tool: its arguments without which it only reads. */
#define POLICY_WRITES_WITH "mistro/writes_with"

enum policy_effect { POLICY_ALLOW, POLICY_ASK, POLICY_DENY, POLICY_UNSAID };

struct policy_argument {
    const char *name; /* of a top-level argument */
    /* Glob over the string value, or over its JSON text. Where a rule allows something, a pattern
     * without ".." matches no path that has it. */
    const char *pattern;
};

struct policy_rule {
    enum policy_effect effect;               /* UNSAID: of a rule that is only about repeating */
    enum hint repeat;                        /* whether a call may be made again */
    const char *idempotency_argument;        /* by which the tool knows a repetition; or NULL */
    const char *server;                      /* glob, NULL = any */
    const char *tool;                        /* glob over the server's tool name, NULL = any */
    const struct policy_argument *arguments; /* all must match; a missing argument does not */
    size_t n_arguments;
    bool from_project; /* what such a rule allows counts only once the project is approved */
};

struct policy_input {
    const struct policy_rule *rules;
    size_t n_rules;
    bool project_approved;
    bool is_builtin; /* the tool is one of mistro's own servers */
    /* `call` and `run FILE`: the command names the call, which is consent; only deny stops it. */
    bool named_by_user;
};

/* Whether a call only reads, as far as the tool's definition says. */
bool policy_only_reads(const struct tool *tool, const json_t *arguments);
enum policy_effect policy_decide(const struct policy_input *input, const struct tool *tool,
                                 const json_t *arguments);
/* May the call be made again after a failure whose outcome is unknown? The last rule that matches
 * and says so decides, else YES for a built-in tool that reads. UNSAID: only if a person approved
 * that. What another server says of its own tools permits nothing. */
enum hint policy_repeats(const struct policy_input *input, const struct tool *tool,
                         const json_t *arguments);
/* The argument that takes the effect id of the call: of the last rule that matches and names one;
 * NULL when none does. */
const char *policy_idempotency_argument(const struct policy_input *input, const struct tool *tool,
                                        const json_t *arguments);
const char *policy_effect_name(enum policy_effect effect);

#endif
