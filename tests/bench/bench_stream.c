/* How long a token takes from the endpoint's write to the reader's read, through HTTP client,
 * framing, splitter, events and terminal: bench_stream MISTRO.
 *
 * Endpoint and reader are this one process and one thread, so one clock measures both: it writes a
 * piece, then waits until that piece's text arrives on the other side. The piece ends with the byte
 * that decides that it may be shown. Exits with 1 when a median is above its bound. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 20, TOKENS = 60, RULE_AT = 30, MAX_OUTPUT = 1 << 20, MAX_REQUEST = 1 << 18 };
static const double bound_us = 2000; /* median */

struct series {
    const char *name;
    double us[RUNS * TOKENS];
    size_t n;
};

struct run {
    int listener;
    int reader; /* what the person or the script reads */
    pid_t child;
    char output[MAX_OUTPUT];
    size_t length;
    struct series *first, *each, *rule;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_stream: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int listen_on_loopback(unsigned *out_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 16) ||
        getsockname(fd, (struct sockaddr *)&address, &size))
        die("listen");
    *out_port = ntohs(address.sin_port);
    return fd;
}

static void exec_studio(const char *mistro, unsigned port, bool as_events)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/v1", port);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    execl(mistro, mistro, "studio", "--no-session", "-m", "mistral:7b", "--base-url", url,
          as_events ? "--events" : "a cat", as_events ? "a cat" : NULL, (char *)NULL);
    _exit(127);
}

static void start_on_terminal(struct run *run, const char *mistro, unsigned port)
{
    struct winsize size = { .ws_row = 50, .ws_col = 120 };
    run->child = forkpty(&run->reader, NULL, NULL, &size);
    if (run->child < 0)
        die("forkpty");
    if (run->child == 0)
        exec_studio(mistro, port, false);
}

static void start_in_pipe(struct run *run, const char *mistro, unsigned port)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || (run->child = fork()) < 0)
        die("pipe");
    if (run->child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        exec_studio(mistro, port, true);
    }
    close(ends[1]);
    run->reader = ends[0];
}

/* Reads what there is; false at the end. */
static bool read_output(struct run *run)
{
    ssize_t n = read(run->reader, run->output + run->length, MAX_OUTPUT - 1 - run->length);
    if (n <= 0)
        return false;
    run->length += (size_t)n;
    run->output[run->length] = '\0';
    return true;
}

/* When the text stood in the output; < 0 when it never came. */
static double wait_for(struct run *run, const char *text)
{
    size_t from = run->length > 64 ? run->length - 64 : 0;
    while (!strstr(run->output + from, text)) {
        struct pollfd readable = { .fd = run->reader, .events = POLLIN };
        if (poll(&readable, 1, 5000) != 1 || !read_output(run))
            return -1;
    }
    return now_us();
}

static void send_all(int fd, const char *text)
{
    if (send(fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
        die("send");
}

static void send_piece(int fd, const char *json_text)
{
    char event[512];
    snprintf(event, sizeof event,
             "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n", json_text);
    send_all(fd, event);
}

static void measure(struct run *run, struct series *series, int fd, const char *piece,
                    const char *text)
{
    double written = now_us();
    send_piece(fd, piece);
    double read_at = wait_for(run, text);
    if (read_at < 0)
        die("a token never came");
    series->us[series->n++] = read_at - written;
}

static void drip(struct run *run, int fd)
{
    char piece[64], text[32];
    send_all(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < TOKENS; i++) {
        usleep((useconds_t)(500 + i * 37 % 2000));
        snprintf(text, sizeof text, "w%03dx", i);
        if (i == RULE_AT) { /* the word behind it decides that "---" is a rule */
            send_piece(fd, "\\n---\\n");
            usleep(3000);
        }
        snprintf(piece, sizeof piece, "%s ", text);
        measure(run, i == 0 ? run->first : i == RULE_AT ? run->rule : run->each, fd, piece, text);
    }
    send_piece(fd, "\\n---\\n{\\\"prompt\\\":\\\"\\\",\\\"generate_image\\\":false,\\\"steps\\\":4,"
                   "\\\"cfg\\\":1.0,\\\"seed\\\":-1}");
    send_all(fd, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                 "data: [DONE]\n\n");
}

static void answer(int fd, const char *status, const char *body)
{
    char reply[1024];
    snprintf(reply, sizeof reply,
             "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n%s",
             status, strlen(body), body);
    send_all(fd, reply);
}

/* A whole request, head and body. */
static void read_request(int fd, char *request)
{
    size_t length = 0;
    for (;;) {
        ssize_t n = recv(fd, request + length, MAX_REQUEST - 1 - length, 0);
        if (n <= 0)
            break;
        length += (size_t)n;
        request[length] = '\0';
        const char *body = strstr(request, "\r\n\r\n"),
                   *size = strcasestr(request, "content-length:");
        if (body && length >= (size_t)(body + 4 - request) +
                                  (size > body || !size ? 0 : strtoul(size + 15, NULL, 10)))
            break;
    }
}

/* True when the conversation was served. */
static bool serve_one(struct run *run)
{
    static char request[MAX_REQUEST];
    int fd = accept4(run->listener, NULL, NULL, SOCK_CLOEXEC), on = 1;
    if (fd < 0)
        die("accept");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    request[0] = '\0';
    read_request(fd, request);
    bool is_talk = strstr(request, "prompt of an image") != NULL;
    if (is_talk)
        drip(run, fd);
    else if (strncmp(request, "GET /v1/models ", 15) == 0)
        answer(fd, "200 OK", "{\"object\":\"list\",\"data\":[{\"id\":\"mistral:7b\"}]}");
    else
        answer(fd, "404 Not Found", "{\"error\":{\"message\":\"no such path\"}}");
    close(fd);
    return is_talk;
}

static void measure_run(struct run *run)
{
    for (bool served = false; !served;) {
        struct pollfd ready[] = { { .fd = run->listener, .events = POLLIN },
                                  { .fd = run->reader, .events = POLLIN } };
        if (poll(ready, 2, 10000) <= 0)
            die("the studio asked for nothing");
        if (ready[0].revents)
            served = serve_one(run);
        else if (!read_output(run))
            die("the studio ended before it asked");
    }
    while (read_output(run))
        continue;
    close(run->reader);
    int status;
    waitpid(run->child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        die("the studio failed");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool report(struct series *series)
{
    qsort(series->us, series->n, sizeof *series->us, by_value);
    double median = series->us[series->n / 2];
    printf("%-42s %6zu %10.0f %10.0f %10.0f\n", series->name, series->n, median,
           series->us[series->n * 95 / 100], series->us[series->n - 1]);
    return median <= bound_us;
}

int main(int argc, char **argv)
{
    static struct series series[] = {
        { .name = "terminal: first token" },   { .name = "terminal: each token" },
        { .name = "terminal: behind a rule" }, { .name = "--events: first token" },
        { .name = "--events: each token" },    { .name = "--events: behind a rule" },
    };
    static struct run run;
    unsigned port;
    bool good = true;
    if (argc != 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    run.listener = listen_on_loopback(&port);
    for (int i = 0; i < 2 * RUNS; i++) {
        bool as_events = i % 2;
        run.length = 0;
        run.output[0] = '\0';
        run.first = &series[as_events ? 3 : 0];
        run.each = run.first + 1;
        run.rule = run.first + 2;
        as_events ? start_in_pipe(&run, argv[1], port) : start_on_terminal(&run, argv[1], port);
        measure_run(&run);
    }
    printf("from the endpoint's write to the reader's read, in microseconds\n%-42s %6s %10s %10s "
           "%10s\n",
           "", "n", "median", "p95", "max");
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        good = report(&series[i]) && good;
    printf("bound of every median: %.0f: %s\n", bound_us, good ? "held" : "NOT HELD");
    return !good;
}
