#include "application/trace.h"
#include <stdio.h>
#include <string.h>

#define HEX "0123456789abcdef"
#define ID_AT 3
#define SPAN_AT 36
#define FLAGS_AT 53

/* Lower-case hex digits in so many places, and not all of them zero where that stands for none. */
static bool is_hex(const char *text, size_t n, bool may_be_zero)
{
    return strspn(text, HEX) >= n && (may_be_zero || strspn(text, "0") < n);
}

bool trace_parse(const char *traceparent, struct trace *out)
{
    *out = (struct trace){ 0 };
    const char *text = traceparent ? traceparent : "";
    size_t length = strnlen(text, TRACEPARENT_SIZE);
    if (length < TRACEPARENT_SIZE - 1 || text[ID_AT - 1] != '-' || text[SPAN_AT - 1] != '-' ||
        text[FLAGS_AT - 1] != '-')
        return false;
    bool is_known = strncmp(text, "00", 2) == 0;
    char end = text[TRACEPARENT_SIZE - 1];
    if (!is_hex(text, 2, true) || strncmp(text, "ff", 2) == 0 ||
        !is_hex(text + ID_AT, TRACE_ID_SIZE - 1, false) ||
        !is_hex(text + SPAN_AT, TRACE_SPAN_SIZE - 1, false) || !is_hex(text + FLAGS_AT, 2, true) ||
        (end && (is_known || end != '-')))
        return false;
    memcpy(out->id, text + ID_AT, TRACE_ID_SIZE - 1);
    memcpy(out->parent, text + SPAN_AT, TRACE_SPAN_SIZE - 1);
    /* Sampled, and random; the other flags are not ours to pass on. */
    unsigned flags = (unsigned)(strchr(HEX, text[FLAGS_AT + 1]) - HEX) & 3;
    snprintf(out->flags, sizeof out->flags, "0%u", flags);
    return true;
}

/* Entries in printable ASCII. Whoever wrote them reads them; they are only passed on. */
static bool is_state(const char *text)
{
    size_t length = text ? strnlen(text, TRACESTATE_MAX_BYTES + 1) : 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return length && length <= TRACESTATE_MAX_BYTES && strchr(text, '=');
}

/* The first digits of a hash, of which the last stands for all where they are zero. */
static const char *shortened(struct digest *digest, const char *text, char *out, size_t size)
{
    char hex[DIGEST_HEX_SIZE];
    snprintf(out, size, "%.*s", (int)size - 1, digest_sha256(digest, text, strlen(text), hex));
    if (strspn(out, "0") == size - 1)
        out[size - 2] = '1';
    return out;
}

void trace_begin(struct trace *trace, struct digest *digest, const char *run_id,
                 const struct trace_texts *caller)
{
    AUTO(arena) arena = { 0 };
    if (trace_parse(caller->parent, trace)) {
        if (is_state(caller->state))
            snprintf(trace->state, sizeof trace->state, "%s", caller->state);
        return;
    }
    shortened(digest, arena_printf(&arena, "trace\n%s", run_id), trace->id, sizeof trace->id);
    snprintf(trace->flags, sizeof trace->flags, "01");
}

const char *trace_span(struct digest *digest, const char *run_id, const char *name,
                       char out[static TRACE_SPAN_SIZE])
{
    AUTO(arena) arena = { 0 };
    return shortened(digest, arena_printf(&arena, "span\n%s\n%s", run_id, name), out,
                     TRACE_SPAN_SIZE);
}

const char *trace_call_span(struct digest *digest, const struct trace_call *call,
                            char out[static TRACE_SPAN_SIZE])
{
    AUTO(arena) arena = { 0 };
    const char *path = call->path ? call->path : "";
    return trace_span(
        digest, call->run_id,
        arena_printf(&arena, "call\n%s\n%zu\n%s\n%u", path, call->line, call->tool, call->attempt),
        out);
}

struct trace_texts trace_print(struct arena *arena, const struct trace *trace, const char *span)
{
    if (!*trace->id || !*span)
        return (struct trace_texts){ 0 };
    return (struct trace_texts){
        .parent = arena_printf(arena, "00-%s-%s-%s", trace->id, span, trace->flags),
        .state = *trace->state ? arena_strdup(arena, trace->state) : NULL,
    };
}
