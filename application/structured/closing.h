/* Notices, byte by byte, that the object a reply is about has ended, so that the chatter some
 * models add behind it need not be waited for. The object is the first one that opens a line; the
 * brackets of prose, of lists and of tool calls in their own notations ("[TOOL_CALLS] [{…}]") are
 * not it. Only what follows ends the stream, not the last brace itself: a server that ends by
 * itself then still tells how many tokens it took. Pure. */
#ifndef APPLICATION_STRUCTURED_CLOSING_H
#define APPLICATION_STRUCTURED_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

enum closing_state {
    CLOSING_OUTSIDE,
    CLOSING_OPENED, /* a bracket; the next visible character says whether a value begins */
    CLOSING_INSIDE,
    CLOSING_CLOSED, /* the object is complete */
    CLOSING_NEVER,  /* a tool call: there may be more of them */
};

/* A zeroed one is ready. */
struct closing {
    enum closing_state state;
    unsigned depth;
    bool in_string, escaped;
    bool is_root;         /* the value that is open is the object in question */
    bool is_within_line;  /* something visible stands before this on its line */
    char bracket, before; /* the one that opened; the visible character before it */
};

/* True once something visible follows the object (the end of a code fence does not count). */
bool closing_feed(struct closing *closing, const char *bytes, size_t length);

#endif
