/* echo_server: the neutral MCP server of the benchmark.
 *
 * A stdio MCP server (protocol 2025-11-25, newline-delimited JSON-RPC) that does
 * as little as possible, so that what is measured is the client. It parses only
 * what it needs, echoes argument text without unescaping it, and can write a
 * trace from which every client is timed in the same way, from the server's side.
 *
 *   echo_server [--tools N] [--trace-dir DIR] [--name NAME]
 *
 * Tools: `echo` {text?, delay_ms?, size?} and N-1 fillers of a realistic size.
 *   text      is sent back as it came
 *   size      sends back that many bytes of generated text instead
 *   delay_ms  answers that much later, without holding up other calls
 *
 * Trace (DIR/echo.<pid>.trace, a shared mapping, so it survives SIGKILL):
 * a struct trace_hdr, then one struct trace_rec for each message received.
 * Times are CLOCK_MONOTONIC nanoseconds. All fields are native-endian.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "scan.h"

enum { K_INIT = 1, K_INITIALIZED, K_LIST, K_CALL, K_OTHER_REQ, K_OTHER_NOTE };

struct trace_hdr {
    char magic[8]; /* "ECHOTRC1" */
    uint64_t pid, t_start, t_end, cpu_ns, maxrss_kb, n;
};
struct trace_rec {
    uint64_t arrive_ns, reply_ns; /* line complete; answer written (0: none) */
    uint32_t kind, bytes;         /* K_*; bytes of the answer */
};
enum { TRACE_MAX = 65536 };

struct pending {
    uint64_t due;
    size_t rec;
    char *msg;
    size_t len;
};

static struct trace_hdr *hdr;
static struct trace_rec *recs;
static struct pending *queue; /* sorted by due time */
static size_t queue_len, queue_cap;
static int n_tools = 1;
static const char *server_name = "echo";

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void *xrealloc(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p)
        die("echo_server: memory");
    return p;
}

/* ---- trace ---- */

static void trace_open(const char *dir)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/echo.%d.trace", dir, (int)getpid());
    size_t len = sizeof *hdr + TRACE_MAX * sizeof *recs;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)len) < 0)
        die(path);
    void *m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (m == MAP_FAILED)
        die("mmap");
    close(fd);
    hdr = m;
    recs = (struct trace_rec *)(hdr + 1);
    hdr->pid = (uint64_t)getpid();
    hdr->t_start = now_ns();
    memcpy(hdr->magic, "ECHOTRC1", 8);
}

static void trace_usage(void)
{
    struct rusage u;
    if (!hdr)
        return;
    getrusage(RUSAGE_SELF, &u);
    hdr->cpu_ns = ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * 1000000000u +
                  ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000u;
    hdr->maxrss_kb = (uint64_t)u.ru_maxrss;
    hdr->t_end = now_ns();
}

/* Starts a record; SIZE_MAX when there is no trace or it is full. */
static size_t trace_arrive(uint32_t kind, uint64_t at)
{
    if (!hdr || hdr->n >= TRACE_MAX)
        return SIZE_MAX;
    size_t i = hdr->n;
    recs[i] = (struct trace_rec){ .arrive_ns = at, .kind = kind };
    hdr->n = i + 1;
    if (i < 16 || i % 256 == 0)
        trace_usage(); /* in case of SIGKILL */
    return i;
}

static void trace_reply(size_t i, size_t bytes)
{
    if (i == SIZE_MAX)
        return;
    recs[i].bytes = (uint32_t)bytes;
    recs[i].reply_ns = now_ns();
}

static void on_term(int sig)
{
    (void)sig;
    trace_usage();
    _exit(0);
}

/* ---- answers ---- */

static void write_all(struct iovec *v, int n)
{
    while (n) {
        ssize_t w = writev(1, v, n);
        if (w < 0) {
            if (errno == EINTR)
                continue;
            trace_usage();
            exit(0); /* the client went away */
        }
        while (n && (size_t)w >= v->iov_len)
            w -= (ssize_t)v->iov_len, v++, n--;
        if (n)
            v->iov_base = (char *)v->iov_base + w, v->iov_len -= (size_t)w;
    }
}

#define IOV(s, l) ((struct iovec){ .iov_base = (void *)(uintptr_t)(s), .iov_len = (l) })
#define LIT(s) IOV(s, sizeof(s) - 1)

/* {"jsonrpc":"2.0","id":ID,"result":A B C} and a newline; sent now or queued. */
static void answer(struct slice id, size_t rec, uint64_t delay_ns, struct iovec a, struct iovec b,
                   struct iovec c)
{
    struct iovec v[] = { LIT("{\"jsonrpc\":\"2.0\",\"id\":"),
                         IOV(id.p, id.n),
                         LIT(",\"result\":"),
                         a,
                         b,
                         c,
                         LIT("}\n") };
    size_t len = 0, n = sizeof v / sizeof *v;
    for (size_t i = 0; i < n; i++)
        len += v[i].iov_len;
    if (!delay_ns) {
        write_all(v, (int)n);
        trace_reply(rec, len);
        return;
    }
    char *m = xrealloc(NULL, len), *p = m;
    for (size_t i = 0; i < n; i++)
        p = (char *)mempcpy(p, v[i].iov_base, v[i].iov_len);
    if (queue_len == queue_cap) {
        queue_cap = queue_cap ? queue_cap * 2 : 64;
        queue = xrealloc(queue, queue_cap * sizeof *queue);
    }
    struct pending e = { now_ns() + delay_ns, rec, m, len };
    size_t i = queue_len++;
    for (; i && queue[i - 1].due > e.due; i--)
        queue[i] = queue[i - 1];
    queue[i] = e;
}

static void flush_due(void)
{
    size_t i = 0;
    for (uint64_t t = now_ns(); i < queue_len && queue[i].due <= t; i++) {
        struct iovec v = IOV(queue[i].msg, queue[i].len);
        write_all(&v, 1);
        trace_reply(queue[i].rec, queue[i].len);
        free(queue[i].msg);
    }
    queue_len -= i;
    memmove(queue, queue + i, queue_len * sizeof *queue);
}

/* `size` bytes of text like a tool's output, as a JSON string, quotes included. */
static struct slice payload(size_t size)
{
    static char *buf;
    static size_t have, len;
    static const char unit[] = /* 100 bytes once unescaped, 5 escapes */
        "src/module/file_0042.c:1234: int value = compute(\\\"alpha\\\", 42, \\\"beta\\\"); /* all "
        "is well ";
    if (buf && have == size)
        return (struct slice){ buf, len };
    buf = xrealloc(buf, size + size / 8 + 256);
    char *p = buf;
    *p++ = '"';
    size_t left = size;
    while (left >= 100) {
        p = (char *)mempcpy(p, unit, sizeof unit - 1);
        size_t dec = sizeof unit - 1 - 4;
        while (dec < 99)
            *p++ = '.', dec++;
        *p++ = '\\', *p++ = 'n';
        left -= 100;
    }
    memset(p, 'x', left);
    p += left;
    *p++ = '"';
    have = size;
    len = (size_t)(p - buf);
    return (struct slice){ buf, len };
}

static char *tools_json;
static size_t tools_len;

static void build_tools(void)
{
    FILE *f = open_memstream(&tools_json, &tools_len);
    fputs("{\"tools\":[{\"name\":\"echo\",\"description\":\"Echoes its text "
          "argument.\",\"inputSchema\":"
          "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"description\":"
          "\"Text to echo\"},"
          "\"delay_ms\":{\"type\":\"number\",\"description\":\"Answer this much later\"},"
          "\"size\":{\"type\":\"integer\",\"description\":\"Send this many bytes instead\"}}},"
          "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}",
          f);
    for (int i = 1; i < n_tools; i++)
        fprintf(
            f,
            ",{\"name\":\"tool_%04d\",\"title\":\"Filler tool %d\",\"description\":\"Looks up "
            "record %d in the "
            "store and returns the fields asked for, with paging and an optional filter "
            "expression.\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\","
            "\"description\":\"Filter expression\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,"
            "\"maximum\":1000,\"description\":\"Most rows to "
            "return\"},\"fields\":{\"type\":\"array\","
            "\"items\":{\"type\":\"string\"},\"description\":\"Fields to "
            "return\"}},\"required\":[\"query\"]},"
            "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}",
            i, i, i);
    fputs("]}", f);
    fclose(f);
}

static void handle(struct slice m, uint64_t at)
{
    static const char head[] = "{\"content\":[{\"type\":\"text\",\"text\":",
                      tail[] = "}],\"isError\":false}";
    struct slice id = get(m, "id"), method = get(m, "method");
    if (!method.n)
        return; /* a response: we ask nothing */
    if (!id.n) {
        trace_arrive(is_str(method, "notifications/initialized") ? K_INITIALIZED : K_OTHER_NOTE,
                     at);
        return;
    }
    if (is_str(method, "tools/call")) {
        struct slice args = get(get(m, "params"), "arguments");
        struct slice text = get(args, "text");
        size_t size = (size_t)num(get(args, "size"));
        uint64_t delay = (uint64_t)(num(get(args, "delay_ms")) * 1e6);
        size_t rec = trace_arrive(K_CALL, at);
        if (size) {
            struct slice p = payload(size);
            answer(id, rec, delay, LIT(head), IOV(p.p, p.n), LIT(tail));
        } else if (text.n && text.p[0] == '"') {
            answer(id, rec, delay, LIT(head), IOV(text.p, text.n), LIT(tail));
        } else {
            answer(id, rec, delay, LIT(head), LIT("\"\""), LIT(tail));
        }
    } else if (is_str(method, "initialize")) {
        static const char *const known[] = { "2025-11-25", "2025-06-18", "2025-03-26",
                                             "2024-11-05" };
        struct slice want = get(get(m, "params"), "protocolVersion");
        const char *ver = known[0];
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (is_str(want, known[i]))
                ver = known[i];
        char b[256];
        int n = snprintf(b, sizeof b,
                         "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
                         "\"serverInfo\":{\"name\":\"%s\",\"version\":\"1.0.0\"}}",
                         ver, server_name);
        answer(id, trace_arrive(K_INIT, at), 0, IOV(b, (size_t)n), LIT(""), LIT(""));
    } else if (is_str(method, "tools/list")) {
        size_t rec = trace_arrive(K_LIST, at);
        if (!tools_json)
            build_tools();
        answer(id, rec, 0, IOV(tools_json, tools_len), LIT(""), LIT(""));
    } else if (is_str(method, "ping")) {
        answer(id, trace_arrive(K_OTHER_REQ, at), 0, LIT("{}"), LIT(""), LIT(""));
    } else {
        size_t rec = trace_arrive(K_OTHER_REQ, at);
        struct iovec v[] = {
            LIT("{\"jsonrpc\":\"2.0\",\"id\":"), IOV(id.p, id.n),
            LIT(",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n")
        };
        write_all(v, 3);
        trace_reply(rec, 0);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--tools"))
            n_tools = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--name"))
            server_name = argv[i + 1];
        else if (!strcmp(argv[i], "--trace-dir"))
            trace_open(argv[i + 1]);
        else if (!strcmp(argv[i], "--payload")) /* results of this size are made beforehand */
            (void)payload((size_t)atol(argv[i + 1]));
        else
            return fprintf(stderr, "echo_server: unknown option %s\n", argv[i]), 2;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, on_term);
    signal(SIGINT, on_term);

    size_t cap = 1 << 16, len = 0, scanned = 0;
    char *buf = xrealloc(NULL, cap);
    for (;;) {
        if (queue_len) { /* only while answers are held back is a timed wait needed */
            flush_due();
            if (queue_len) {
                uint64_t t = now_ns(), due = queue[0].due;
                uint64_t d = due > t ? due - t : 0;
                struct timespec ts = { (time_t)(d / 1000000000u), (long)(d % 1000000000u) };
                struct pollfd p = { .fd = 0, .events = POLLIN };
                if (ppoll(&p, 1, &ts, NULL) <= 0)
                    continue;
            }
        }
        if (len == cap)
            buf = xrealloc(buf, cap *= 2);
        ssize_t r = read(0, buf + len, cap - len);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            break;
        uint64_t at = now_ns();
        len += (size_t)r;
        size_t start = 0;
        for (char *nl; (nl = memchr(buf + scanned, '\n', len - scanned));) {
            size_t end = (size_t)(nl - buf);
            if (end > start)
                handle((struct slice){ buf + start, end - start }, at);
            start = scanned = end + 1;
        }
        memmove(buf, buf + start, len -= start);
        scanned = len;
    }
    trace_usage();
    return 0;
}
