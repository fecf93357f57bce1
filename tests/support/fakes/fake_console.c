#include "tests/support/fakes/fake_console.h"
#include <string.h>

static struct fake_console *of(struct console *console)
{
    return (struct fake_console *)console;
}

static enum err_code read_input(struct console *console, struct scope *scope, char *bytes,
                                size_t room, size_t *out_length, struct err *err)
{
    struct fake_console *fake = of(console);
    size_t n = strlen(fake->input);
    (void)err;
    if (scope && scope->cancelled)
        return err_set(err, ERR_CANCELLED, 0, "cancelled");
    if (fake->chunk && n > fake->chunk)
        n = fake->chunk;
    if (n > room)
        n = room;
    memcpy(bytes, fake->input, n);
    fake->input += n;
    *out_length = n;
    return ERR_NONE;
}

static bool write_output(struct console *console, enum console_stream stream, const char *bytes,
                         size_t length)
{
    struct fake_console *fake = of(console);
    if (stream == CONSOLE_OUT && fake->out_closed)
        return false;
    return buf_append(stream == CONSOLE_OUT ? &fake->out : &fake->err, bytes, length);
}

static bool is_terminal(struct console *console, enum console_stream stream)
{
    return of(console)->terminals[stream];
}

static unsigned columns(struct console *console)
{
    return of(console)->columns;
}

static unsigned rows(struct console *console)
{
    return of(console)->rows;
}

static bool set_echo(struct console *console, bool on)
{
    struct fake_console *fake = of(console);
    bool was_on = !fake->echo_off;
    fake->echo_off = !on;
    return was_on;
}

static void set_keys(struct console *console, bool on)
{
    of(console)->keys = on;
}

static void drop_typed(struct console *console)
{
    of(console)->n_drops++;
}

static void on_signal(struct console *console, void (*arrived)(void *), void *context)
{
    (void)console;
    (void)arrived;
    (void)context;
}

void fake_console_init(struct fake_console *console, const char *input)
{
    static const struct console_ops ops = { read_input, write_output, is_terminal, columns,
                                            rows,       set_echo,     set_keys,    drop_typed,
                                            on_signal,  on_signal,    on_signal };
    *console = (struct fake_console){ .base = { &ops }, .input = input, .columns = 80, .rows = 24 };
    buf_init(&console->out, 1 << 20);
    buf_init(&console->err, 1 << 20);
}

void fake_console_finish(struct fake_console *console)
{
    buf_finish(&console->out);
    buf_finish(&console->err);
}
