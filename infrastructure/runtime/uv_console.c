#include "infrastructure/runtime/uv_console.h"
#include "domain/text/known_secrets.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

#define COLUMNS_UNKNOWN 80
#define ROWS_UNKNOWN 24
#define N_STREAMS 3

enum input {
    INPUT_UNTOUCHED,
    INPUT_POLLED, /* terminal, pipe, socket */
    INPUT_DIRECT, /* a file, or /dev/null: always ready, and epoll refuses it */
};

/* The system is asked once: every call of a tool wants to know whether a person is there. */
enum stream_kind { STREAM_UNKNOWN, STREAM_TERMINAL, STREAM_OTHER };

struct watched_signal {
    uv_signal_t handle;
    bool is_open;
    void (*arrived)(void *context);
    void *context;
};

struct uv_console {
    struct console port;
    struct uv_runtime *runtime;
    enum input input;
    uv_poll_t poll;              /* with INPUT_POLLED */
    struct completion *readable; /* of the task that reads */
    bool has_ended;              /* the input did, among what was dropped */
    bool has_mode;
    struct termios mode; /* of the terminal, before it was changed */
    struct termios ours; /* as it was set by us last, with is_ours */
    bool is_ours;        /* it is without echo, or gives keys */
    enum stream_kind kinds[N_STREAMS];
    bool gone[N_STREAMS];
    int errors[N_STREAMS]; /* errno of what ended it */
    struct watched_signal interrupt, resize, resumption;
    void (*continued)(void *context);
    void *continued_context;
    unsigned open_handles; /* while it is destroyed */
};

static struct uv_console *self(struct console *port)
{
    return (struct uv_console *)port;
}

/* CONSOLE_IN, CONSOLE_OUT and CONSOLE_ERR are numbered as the descriptors are. */
static int descriptor(enum console_stream stream)
{
    return (int)stream;
}

/* libuv makes the descriptor non-blocking, and with it the terminal of all other programs. It is
 * only read when it is ready, so that is taken back at once. */
static void open_input(struct uv_console *console)
{
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (!console->has_mode)
        console->has_mode = tcgetattr(STDIN_FILENO, &console->mode) == 0;
    console->input = INPUT_DIRECT;
    if (uv_poll_init(uv_runtime_loop(console->runtime), &console->poll, STDIN_FILENO) != 0)
        return;
    console->input = INPUT_POLLED;
    console->poll.data = console;
    fcntl(STDIN_FILENO, F_SETFL, flags);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct uv_console *console = poll->data;
    (void)status; /* what is wrong, the read will say */
    (void)events;
    uv_poll_stop(poll);
    completion_complete(console->readable);
}

static enum err_code await_input(struct uv_console *console, const struct scope *scope,
                                 struct err *err)
{
    struct completion readable = completion_of(console->runtime);
    if (console->input == INPUT_DIRECT)
        return scope_check(scope, runtime_now_ms(uv_runtime_port(console->runtime)), err);
    assert(!console->readable && "two tasks read the console");
    console->readable = &readable;
    uv_poll_start(&console->poll, UV_READABLE, on_readable);
    enum err_code code = completion_await(&readable, scope, err);
    uv_poll_stop(&console->poll);
    console->readable = NULL;
    return code;
}

static enum err_code read_input(struct console *port, struct scope *scope, char *bytes, size_t room,
                                size_t *out_length, struct err *err)
{
    struct uv_console *console = self(port);
    ssize_t n;
    if (console->has_ended) { /* said once, as by a terminal */
        console->has_ended = false;
        *out_length = 0;
        return ERR_NONE;
    }
    if (console->input == INPUT_UNTOUCHED)
        open_input(console);
    do {
        enum err_code code = await_input(console, scope, err);
        if (code)
            return code;
        n = read(STDIN_FILENO, bytes, room);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0 && errno != EBADF) /* closed before we were started: the same as empty */
        return err_set(err, ERR_UNAVAILABLE, errno, "standard input: %s", strerror(errno));
    *out_length = n > 0 ? (size_t)n : 0;
    return ERR_NONE;
}

/* False when the other side is gone. */
static bool write_some(int fd, const char **bytes, size_t *length)
{
    ssize_t n = write(fd, *bytes, *length);
    if (n >= 0) {
        *bytes += n;
        *length -= (size_t)n;
        return true;
    }
    if (errno == EAGAIN)
        poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
    return errno == EAGAIN || errno == EINTR;
}

static bool write_output(struct console *port, enum console_stream stream, const char *bytes,
                         size_t length)
{
    struct uv_console *console = self(port);
    AUTO(buf) masked;
    if (stream == CONSOLE_IN)
        return false;
    buf_init(&masked, SIZE_MAX);
    if (known_secrets_mask_bytes(bytes, length, &masked)) {
        bytes = masked.bytes;
        length = masked.length;
    }
    while (length > 0 && !console->gone[stream])
        console->gone[stream] = !write_some(descriptor(stream), &bytes, &length);
    if (length > 0 && !console->errors[stream])
        console->errors[stream] = errno;
    return !console->gone[stream];
}

int uv_console_output_error(const struct console *port)
{
    const struct uv_console *console = (const struct uv_console *)port;
    int error = console->errors[CONSOLE_OUT];
    return error == EPIPE ? 0 : error;
}

static bool is_terminal(struct console *port, enum console_stream stream)
{
    enum stream_kind *kind = &self(port)->kinds[stream];
    if (*kind == STREAM_UNKNOWN)
        *kind = isatty(descriptor(stream)) ? STREAM_TERMINAL : STREAM_OTHER;
    return *kind == STREAM_TERMINAL;
}

/* Of the first of the streams that is a terminal and knows its width; its height may be 0. */
static struct winsize size_of_terminal(void)
{
    static const int candidates[] = { STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO };
    struct winsize size;
    for (size_t i = 0; i < ARRAY_LENGTH(candidates); i++)
        if (ioctl(candidates[i], TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            return size;
    return (struct winsize){ .ws_col = COLUMNS_UNKNOWN, .ws_row = ROWS_UNKNOWN };
}

static unsigned columns(struct console *port)
{
    (void)port;
    return size_of_terminal().ws_col;
}

static unsigned rows(struct console *port)
{
    (void)port;
    unsigned known = size_of_terminal().ws_row;
    return known ? known : ROWS_UNKNOWN;
}

/* Not from the background, where changing the terminal would stop us. */
static bool in_foreground(void)
{
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground < 0 || foreground == getpgrp();
}

static void set_mode(struct uv_console *console, const struct termios *mode)
{
    console->ours = *mode;
    console->is_ours = !(mode->c_lflag & ECHO);
    tcsetattr(STDIN_FILENO, TCSADRAIN, mode);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct watched_signal *signal = handle->data;
    (void)number;
    signal->arrived(signal->context);
}

/* Stopping the last handle of a signal gives it back its default. */
static void watch(struct uv_console *console, struct watched_signal *signal, int number,
                  void (*arrived)(void *context), void *context)
{
    signal->arrived = arrived;
    signal->context = context;
    if (!signal->is_open) {
        if (!arrived)
            return;
        uv_signal_init(uv_runtime_loop(console->runtime), &signal->handle);
        signal->handle.data = signal;
        signal->is_open = true;
    }
    if (arrived)
        uv_signal_start(&signal->handle, on_signal, number);
    else
        uv_signal_stop(&signal->handle);
}

/* Shells set the terminal to their own mode while we are stopped. */
static void resumed(void *context)
{
    struct uv_console *console = context;
    if (!in_foreground())
        return;
    if (console->is_ours)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &console->ours);
    if (console->continued)
        console->continued(console->continued_context);
}

/* False where there is no terminal to set. *out: as it is. */
static bool mode_of_terminal(struct uv_console *console, struct termios *out)
{
    if (tcgetattr(STDIN_FILENO, out) != 0)
        return false;
    if (!console->has_mode)
        console->mode = *out;
    console->has_mode = true;
    watch(console, &console->resumption, SIGCONT, resumed, console);
    return true;
}

/* Not as lines: of one without an end the system keeps 4 KiB, and of a paste that is all. */
static bool set_echo(struct console *port, bool on)
{
    static const tcflag_t shown = ECHO | ICANON;
    const struct uv_console *console = self(port);
    struct termios mode;
    if (!mode_of_terminal(self(port), &mode))
        return on;
    bool was_on = mode.c_lflag & ECHO;
    if (was_on == on || !in_foreground())
        return was_on;
    mode.c_lflag = on ? mode.c_lflag | shown : mode.c_lflag & ~shown;
    mode.c_iflag &= ~(tcflag_t)ICRNL;
    mode.c_iflag |= on ? console->mode.c_iflag & ICRNL : 0;
    set_mode(self(port), &mode);
    return was_on;
}

static void set_keys(struct console *port, bool on)
{
    static const tcflag_t lines = ICANON | ECHO;
    struct termios mode;
    if (!mode_of_terminal(self(port), &mode) || !in_foreground())
        return;
    mode.c_lflag = on ? mode.c_lflag & ~lines : mode.c_lflag | lines;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    if (!on) { /* which share their places with those two on some systems */
        mode.c_cc[VMIN] = self(port)->mode.c_cc[VMIN];
        mode.c_cc[VTIME] = self(port)->mode.c_cc[VTIME];
    }
    set_mode(self(port), &mode);
}

/* Lines are read, so that the end of input among them is not lost with them: nobody would answer
 * any more. What is flushed is a line without its end. */
static void drop_typed(struct console *port)
{
    char line[256];
    ssize_t n = 1;
    struct pollfd typed = { .fd = STDIN_FILENO, .events = POLLIN };
    if (!is_terminal(port, CONSOLE_IN) || !in_foreground())
        return;
    while (n > 0 && poll(&typed, 1, 0) > 0)
        n = read(STDIN_FILENO, line, sizeof line);
    self(port)->has_ended |= n == 0;
    tcflush(STDIN_FILENO, TCIFLUSH);
}

static void on_interrupt(struct console *port, void (*interrupted)(void *context), void *context)
{
    watch(self(port), &self(port)->interrupt, SIGINT, interrupted, context);
}

static void on_resize(struct console *port, void (*resized)(void *context), void *context)
{
    watch(self(port), &self(port)->resize, SIGWINCH, resized, context);
}

static void on_continue(struct console *port, void (*continued)(void *context), void *context)
{
    self(port)->continued = continued;
    self(port)->continued_context = context;
    if (continued)
        watch(self(port), &self(port)->resumption, SIGCONT, resumed, port);
}

static const struct console_ops ops = {
    .read = read_input,
    .write = write_output,
    .is_terminal = is_terminal,
    .columns = columns,
    .rows = rows,
    .set_echo = set_echo,
    .set_keys = set_keys,
    .drop_typed = drop_typed,
    .on_interrupt = on_interrupt,
    .on_resize = on_resize,
    .on_continue = on_continue,
};

struct console *uv_console_create(struct uv_runtime *runtime)
{
    struct uv_console *console = calloc(1, sizeof *console);
    if (!console)
        abort();
    console->port.ops = &ops;
    console->runtime = runtime;
    return &console->port;
}

static void restore_mode(const struct uv_console *console)
{
    struct termios present;
    if (!console->has_mode || !in_foreground())
        return;
    if (tcgetattr(STDIN_FILENO, &present) == 0 &&
        (present.c_lflag != console->mode.c_lflag || present.c_iflag != console->mode.c_iflag ||
         present.c_oflag != console->mode.c_oflag))
        tcsetattr(STDIN_FILENO, TCSADRAIN, &console->mode);
}

static void on_closed(uv_handle_t *handle)
{
    struct uv_console *console = handle->data;
    if (--console->open_handles == 0)
        free(console);
}

/* The console is freed with its last handle: the loop runs once more before it is closed. */
static void close_handle(struct uv_console *console, uv_handle_t *handle)
{
    console->open_handles++;
    handle->data = console;
    uv_close(handle, on_closed);
}

void uv_console_destroy(struct console *port)
{
    struct uv_console *console = self(port);
    if (!console)
        return;
    assert(!console->readable && "a task reads the console");
    restore_mode(console);
    if (console->input == INPUT_POLLED)
        close_handle(console, (uv_handle_t *)&console->poll);
    if (console->interrupt.is_open)
        close_handle(console, (uv_handle_t *)&console->interrupt.handle);
    if (console->resize.is_open)
        close_handle(console, (uv_handle_t *)&console->resize.handle);
    if (console->resumption.is_open)
        close_handle(console, (uv_handle_t *)&console->resumption.handle);
    if (console->open_handles == 0)
        free(console);
}
