/* The terminal (or the pipe) on the other side: bytes in, bytes out, interrupts, size. */
#ifndef APPLICATION_PORTS_CONSOLE_H
#define APPLICATION_PORTS_CONSOLE_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>

struct console;

enum console_stream { CONSOLE_IN, CONSOLE_OUT, CONSOLE_ERR };

struct console_ops {
    /* All mandatory. */
    enum err_code (*read)(struct console *c, struct scope *sc, char *bytes, size_t room,
                          size_t *out_length, struct err *err);
    bool (*write)(struct console *c, enum console_stream stream, const char *bytes, size_t length);
    bool (*is_terminal)(struct console *c, enum console_stream stream);
    unsigned (*columns)(struct console *c);
    unsigned (*rows)(struct console *c);
    bool (*set_echo)(struct console *c, bool on);
    void (*set_keys)(struct console *c, bool on);
    void (*drop_typed)(struct console *c);
    void (*on_interrupt)(struct console *c, void (*interrupted)(void *context), void *context);
    void (*on_resize)(struct console *c, void (*resized)(void *context), void *context);
    void (*on_continue)(struct console *c, void (*continued)(void *context), void *context);
};

struct console {
    const struct console_ops *ops;
};

/* At least one byte of standard input, or 0 at its end. ERR_CANCELLED when the scope ends. */
awaits MUST_CHECK static inline enum err_code console_read(struct console *c, struct scope *sc,
                                                           char *bytes, size_t room,
                                                           size_t *out_length, struct err *err)
{
    return c->ops->read(c, sc, bytes, room, out_length, err);
}
/* Writes all of it, blocking. False once the other side is gone (a closed pipe): from then on
 * nothing is written, and the caller should stop producing output. */
static inline bool console_write(struct console *c, enum console_stream stream, const char *bytes,
                                 size_t length)
{
    return c->ops->write(c, stream, bytes, length);
}
static inline bool console_is_terminal(struct console *c, enum console_stream stream)
{
    return c->ops->is_terminal(c, stream);
}
/* Width of the terminal, 80 when unknown. */
static inline unsigned console_columns(struct console *c)
{
    return c->ops->columns(c);
}
/* Its height, 24 when unknown. */
static inline unsigned console_rows(struct console *c)
{
    return c->ops->rows(c);
}
/* Whether a terminal shows what is typed: off while output is written that typing must not break
 * up; what is typed then is for the line editor, which tells Enter (\r) from Ctrl-J. Returns what
 * was set before; where input is not a terminal nothing happens. */
static inline bool console_set_echo(struct console *c, bool on)
{
    return c->ops->set_echo(c, on);
}
/* Whether each key of a terminal is read at once and not shown, instead of a line at its end. */
static inline void console_set_keys(struct console *c, bool on)
{
    c->ops->set_keys(c, on);
}
/* Forgets what was typed at a terminal and not read yet: it was meant for something else than the
 * question that comes now. Input that is no terminal stays. */
static inline void console_drop_typed(struct console *c)
{
    c->ops->drop_typed(c);
}
/* interrupted is called on the loop's stack at each SIGINT; NULL restores the default. */
static inline void console_on_interrupt(struct console *c, void (*interrupted)(void *context),
                                        void *context)
{
    c->ops->on_interrupt(c, interrupted, context);
}
/* resized is called on the loop's stack whenever the terminal has another size; NULL ends that. */
static inline void console_on_resize(struct console *c, void (*resized)(void *context),
                                     void *context)
{
    c->ops->on_resize(c, resized, context);
}
/* continued is called on the loop's stack when the process goes on in the foreground after it was
 * stopped (Ctrl-Z, fg): the terminal shows and is set to what others left, but for set_echo and
 * set_keys, which are in force again. NULL ends that. */
static inline void console_on_continue(struct console *c, void (*continued)(void *context),
                                       void *context)
{
    c->ops->on_continue(c, continued, context);
}

#endif
