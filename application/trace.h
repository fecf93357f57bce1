/* The trace that a run is part of: W3C Trace Context, which MCP carries in `_meta` (SEP-414). One
 * trace id for each run, that of the call that began it or else one made of the run's id, and one
 * span id for each attempt at a call. Nothing of it is chance: a run that is resumed, and the
 * export of its log, come to the ids that servers were told. */
#ifndef APPLICATION_TRACE_H
#define APPLICATION_TRACE_H

#include "application/ports/digest.h"
#include "application/ports/tool_server.h"
#include "domain/base/arena.h"

#define TRACE_ID_SIZE 33
#define TRACE_SPAN_SIZE 17
#define TRACEPARENT_SIZE 56
#define TRACESTATE_MAX_BYTES 512 /* what has to be passed on at least; a longer one is left out */

struct trace {
    char id[TRACE_ID_SIZE];               /* hex digits; "": none */
    char parent[TRACE_SPAN_SIZE];         /* the caller's span; "": the run began by itself */
    char flags[3];                        /* two hex digits */
    char state[TRACESTATE_MAX_BYTES + 1]; /* tracestate; "": none */
};

/* A call as its span id tells it from every other of its run. */
struct trace_call {
    const char *run_id, *path; /* path: of the call, or the id of its step; NULL: it has none */
    const char *tool;          /* full name */
    size_t line;
    unsigned attempt;
};

/* Whether the text is a traceparent as the specification has it; of one that is not, or of NULL,
 * *out is empty. A version that is not known yet is read as far as this one goes. */
bool trace_parse(const char *traceparent, struct trace *out);
/* The trace of a run. caller: as it came, from whomever; what is invalid counts as missing. */
void trace_begin(struct trace *trace, struct digest *digest, const char *run_id,
                 const struct trace_texts *caller);
/* The span `name` of a run. Returns out: hex digits, never all zero. */
const char *trace_span(struct digest *digest, const char *run_id, const char *name,
                       char out[static TRACE_SPAN_SIZE]);
const char *trace_call_span(struct digest *digest, const struct trace_call *call,
                            char out[static TRACE_SPAN_SIZE]);
/* What a server is told of a span, in the arena; nothing where there is no trace, or no span. */
struct trace_texts trace_print(struct arena *arena, const struct trace *trace, const char *span);

#endif
