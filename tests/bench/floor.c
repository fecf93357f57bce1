/* floor: the least a client can do, in straight-line C with blocking I/O.
 *
 * Not a usable client: it trusts its servers, times nothing out and handles no error
 * but a broken one. It is the row that shows what is possible for a client that still
 * starts real servers and speaks the real protocol, with a tree of each message by jansson.
 *
 *   floor cold     CONFIG            connect to every server, list its tools
 *   floor calls    CONFIG N          then N calls one after the other
 *   floor parallel CONFIG N DELAY    then N calls at once, each taking DELAY ms
 *
 * CONFIG is the usual {"mcpServers": {NAME: {"command": ..., "args": [...]}}}.
 */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct buf {
    char *p;
    size_t n, cap, done;
};
struct server {
    pid_t pid;
    int in, out;
    struct buf b;
    json_t *tools;
};

static void die(const char *s)
{
    fprintf(stderr, "floor: %s\n", s);
    exit(1);
}

static void reserve(struct buf *b, size_t n)
{
    if (b->cap - b->n >= n)
        return;
    b->cap = (b->n + n) * 2;
    if (!(b->p = realloc(b->p, b->cap)))
        die("memory");
}

static void write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w <= 0)
            die("write");
        p += w, n -= (size_t)w;
    }
}

static void start(struct server *s, json_t *def)
{
    json_t *args = json_object_get(def, "args");
    size_t n = json_array_size(args);
    char *argv[n + 2];
    argv[0] = (char *)(uintptr_t)json_string_value(json_object_get(def, "command"));
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = (char *)(uintptr_t)json_string_value(json_array_get(args, i));
    argv[n + 1] = NULL;
    int i[2], o[2];
    if (pipe2(i, O_CLOEXEC) || pipe2(o, O_CLOEXEC))
        die("pipe");
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, i[0], 0);
    posix_spawn_file_actions_adddup2(&fa, o[1], 1);
    if (posix_spawnp(&s->pid, argv[0], &fa, NULL, argv, environ))
        die("spawn");
    posix_spawn_file_actions_destroy(&fa);
    close(i[0]), close(o[1]);
    s->in = i[1], s->out = o[0];
}

/* One message as a tree. */
static json_t *receive(struct server *s)
{
    struct buf *b = &s->b;
    size_t scanned = b->done;
    char *nl;
    while (!(nl = b->n > scanned ? memchr(b->p + scanned, '\n', b->n - scanned) : NULL)) {
        scanned = b->n;
        reserve(b, 65536);
        ssize_t r = read(s->out, b->p + b->n, b->cap - b->n);
        if (r <= 0)
            die("server ended");
        b->n += (size_t)r;
    }
    size_t end = (size_t)(nl - b->p);
    json_t *m = json_loadb(b->p + b->done, end - b->done, 0, NULL);
    if (!m)
        die("bad JSON");
    b->done = end + 1;
    if (b->done == b->n)
        b->n = b->done = 0;
    return m;
}

static void send_fmt(struct server *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void send_fmt(struct server *s, const char *fmt, ...)
{
    char b[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(b, sizeof b, fmt, ap);
    va_end(ap);
    write_all(s->in, b, (size_t)n);
}

static void check_echo(json_t *m, const char *want)
{
    const char *t = NULL;
    if (json_unpack(m, "{s:{s:[{s:s}]}}", "result", "content", "text", &t) ||
        (want && strcmp(t, want)))
        die("wrong result");
    json_decref(m);
}

static struct server *connect_all(json_t *config, size_t *count)
{
    json_t *defs = json_object_get(config, "mcpServers"), *def;
    const char *name;
    size_t n = 0;
    struct server *s = calloc(json_object_size(defs), sizeof *s);
    json_object_foreach (defs, name, def) {
        start(&s[n], def);
        send_fmt(&s[n++], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                          "\"protocolVersion\":"
                          "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"floor\","
                          "\"version\":\"1\"}}}\n");
    }
    for (size_t i = 0; i < n; i++) {
        json_decref(receive(&s[i]));
        send_fmt(&s[i], "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n");
    }
    for (size_t i = 0; i < n; i++)
        s[i].tools = receive(&s[i]);
    *count = n;
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fputs("usage: floor WORKLOAD CONFIG [ARG...]\n", stderr), 2;
    signal(SIGPIPE, SIG_IGN);
    json_t *config = json_load_file(argv[2], 0, NULL);
    if (!config)
        die("config");
    size_t n;
    struct server *s = connect_all(config, &n);
    const char *w = argv[1];
    long a = argc > 3 ? atol(argv[3]) : 0, b = argc > 4 ? atol(argv[4]) : 0;
    if (!strcmp(w, "calls")) {
        for (long i = 0; i < a; i++) {
            char text[32];
            snprintf(text, sizeof text, "message %ld", i);
            send_fmt(s,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/"
                     "call\",\"params\":{\"name\":\"echo\","
                     "\"arguments\":{\"text\":\"%s\"}}}\n",
                     i + 3, text);
            check_echo(receive(s), text);
        }
    } else if (!strcmp(w, "parallel")) {
        for (long i = 0; i < a; i++)
            send_fmt(s,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/"
                     "call\",\"params\":{\"name\":\"echo\","
                     "\"arguments\":{\"text\":\"x\",\"delay_ms\":%ld}}}\n",
                     i + 3, b);
        for (long i = 0; i < a; i++)
            check_echo(receive(s), "x");
    } else if (strcmp(w, "cold")) {
        return 2;
    }
    for (size_t i = 0; i < n; i++)
        close(s[i].in);
    for (size_t i = 0; i < n; i++)
        waitpid(s[i].pid, NULL, 0);
    return 0;
}
