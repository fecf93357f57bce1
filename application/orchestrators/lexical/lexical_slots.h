/* The arguments of one tool, read out of a request by general rules of language: key=value,
 * quoted text, numbers and their units, dates, paths, names behind prepositions, choices of an
 * enum, lists. Parameters are filled in the order of how good their evidence is; a span of the
 * request serves one parameter. A parameter that nothing in the request supports stays out; the
 * confidence gate asks for it. The request is data: nothing in it is obeyed. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SLOTS_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SLOTS_H

#include "domain/base/arena.h"
#include "domain/tool/tool.h"
#include <jansson.h>
#include <stddef.h>

#define LEXICAL_MAX_PARAMETERS 64 /* of one tool; what follows is left to questions */

/* Why a parameter has its value. */
struct lexical_slot {
    const char *parameter;
    const json_t *value; /* borrowed from the arguments */
    const char *said;    /* the words of the request that the value was read from */
    const char *rule;    /* the rule's name: "key=value", "number", "quoted", "place", … */
    double strength;     /* 0..1 */
};

/* Bytes of the text that the values used up: the values themselves, the words that led to them
 * ("with subject", "from", "first … lines"), their units. */
struct lexical_span {
    size_t offset, length;
};

struct lexical_slots {
    json_t *args;               /* object; the arena owns it */
    struct lexical_slot *slots; /* in the schema's order */
    size_t n_slots;
    struct lexical_span *spans; /* in the text's order, none touches another */
    size_t n_spans;
    size_t n_doubted;             /* values that are left out, because they are better asked for */
    size_t n_required, n_missing; /* required parameters; texts among them without a value */
    size_t n_suited;     /* values of the kind that the parameter is made for, such as paths */
    size_t n_unused;     /* paths and file patterns that nothing took */
    const char *wanting; /* one of several parameters of which none has a value, and one needs it */
    const char *unmet; /* words that limit what is wanted in a way that the tool cannot, or NULL */
};

/* today: days since 1970-01-01 where the person is, for "tomorrow"; 0 when it is not known. */
void lexical_slots_fill(struct arena *arena, const struct tool *tool, const char *request,
                        int64_t today, struct lexical_slots *out);

#endif
