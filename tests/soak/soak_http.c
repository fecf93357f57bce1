/* A day of traffic to a server over HTTP, in minutes: four persons whose clients of both eras come
 * and go, vanish in the middle of a call, listen to streams, send large bodies and nonsense, look
 * at pages, and try tokens and sessions that are not theirs. Chance comes from a seed.
 *
 *   soak_http [CALLS [SEED]]
 *
 * Every request has the answer that it ought to have. Memory and descriptors of the server are in
 * the end what they were after a tenth. Then it is told to end while calls run: these are answered,
 * nobody new is let in. Exits with 1 where something of this is not so. */
#include "tests/support/full/http_wire.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum {
    WORKERS = 8,
    PERSONS = 4,
    LARGE_BYTES = 200 * 1024,
    ROOM = 2 * LARGE_BYTES, /* for an answer */
    PATIENCE_SECONDS = 60,
    MAX_GROWTH_PERCENT = 10,
    MAX_GROWTH_KIB = 2048,
};

struct shared {
    size_t next, n_wrong;
    size_t by_kind[16];
};

struct soak {
    struct http_wire wire;
    char home[64], url[100];
    char tokens[PERSONS][100];
    uint64_t seed;
    pid_t server;
    struct shared *shared; /* by all workers */
};

struct worker {
    struct soak *soak;
    struct http_wire wire; /* of whom it is at the moment */
    int fd;                /* -1: no connection */
    size_t n;              /* what it does */
    char out[HTTP_WIRE_BYTES], in[ROOM];
    const char *kind;
};

static unsigned draw(const struct soak *soak, size_t n, unsigned what)
{
    uint64_t x = soak->seed + n * 0x9e3779b97f4a7c15u + what * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ (x >> 31)) & 0xffff);
}

static void leave(struct worker *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

static void come(struct worker *w)
{
    const struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
    if (w->fd < 0 && (w->fd = http_wire_connect(&w->wire, 0)) >= 0)
        setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

static void say(struct worker *w, const char *bytes, size_t n)
{
    come(w);
    for (ssize_t done; n && (done = send(w->fd, bytes, n, MSG_NOSIGNAL)) > 0; n -= (size_t)done)
        bytes += done;
}

/* The status of the answer, which is in w->in; 0: there is none. */
static int hear(struct worker *w)
{
    size_t at = 0;
    w->in[0] = '\0';
    while (!http_wire_is_whole(w->in, at)) {
        ssize_t n = at + 1 < sizeof w->in ? recv(w->fd, w->in + at, sizeof w->in - 1 - at, 0) : 0;
        if (n <= 0) {
            leave(w);
            return 0;
        }
        at += (size_t)n;
        w->in[at] = '\0';
    }
    const char *then = http_wire_header(w->in, "Connection");
    if (then && strncasecmp(then, "close", 5) == 0)
        leave(w);
    return http_wire_status(w->in);
}

static int ask(struct worker *w, size_t length)
{
    say(w, w->out, length);
    return hear(w);
}

static void expect(struct worker *w, bool holds)
{
    if (!holds && __atomic_fetch_add(&w->soak->shared->n_wrong, 1, __ATOMIC_RELAXED) < 5)
        fprintf(stderr, "NOT SO: %zu, %s, was answered: %.200s\n", w->n, w->kind, w->in);
}

static void be(struct worker *w, unsigned person, enum http_wire_era era)
{
    w->wire.token = w->soak->tokens[person % PERSONS];
    w->wire.era = era;
}

static bool call(struct worker *w, const char *session, const char *tool, int id)
{
    char text[40];
    snprintf(text, sizeof text, "call %d of %zu.", id, w->n);
    return ask(w, http_wire_call(&w->wire, w->out, session, id, tool, text)) == 200 &&
           strstr(w->in, text);
}

static void modern_call(struct worker *w)
{
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    expect(w, call(w, NULL, "echo", 1));
}

static void modern_stream(struct worker *w)
{
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    expect(w, call(w, NULL, "told", 1));
}

static bool begin_session(struct worker *w, char session[static HTTP_WIRE_SESSION])
{
    return ask(w, http_wire_initialize(&w->wire, w->out)) == 200 &&
           http_wire_read_session(w->in, session) &&
           ask(w, http_wire_initialized(&w->wire, w->out, session)) == 202;
}

static size_t plain(struct worker *w, const char *method, const char *path, const char *headers)
{
    return (size_t)snprintf(w->out, sizeof w->out, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method,
                            path, w->wire.authority, headers);
}

static size_t about_session(struct worker *w, const char *method, const char *session)
{
    char headers[500];
    snprintf(headers, sizeof headers,
             "Authorization: Bearer %s\r\nMcp-Session-Id: %s\r\nAccept: text/event-stream\r\n",
             w->wire.token, session);
    return plain(w, method, w->wire.path, headers);
}

/* Half of them say good-bye; the others are forgotten when there are too many. Some listen in
 * between, on a connection that they cut. */
static void legacy_session(struct worker *w)
{
    char session[HTTP_WIRE_SESSION];
    unsigned chance = draw(w->soak, w->n, 3);
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_LEGACY);
    bool ok = begin_session(w, session);
    for (int i = 0; i < 3 && ok; i++)
        ok = call(w, session, i == 1 && chance % 8 == 0 ? "told" : "echo", i);
    if (ok && chance % 4 == 0) {
        say(w, w->out, about_session(w, "GET", session));
        leave(w);
        ok = call(w, session, "echo", 4);
    }
    if (ok && chance % 2)
        ok = ask(w, about_session(w, "DELETE", session)) == 204;
    expect(w, ok);
}

static void foreign_session(struct worker *w)
{
    char session[HTTP_WIRE_SESSION];
    unsigned person = draw(w->soak, w->n, 2);
    be(w, person, HTTP_WIRE_LEGACY);
    bool ok = begin_session(w, session);
    be(w, person + 1, HTTP_WIRE_LEGACY);
    size_t n = http_wire_call(&w->wire, w->out, session, 1, "echo", "mine");
    expect(w, ok && ask(w, n) == 404 && !strstr(w->in, "mine"));
}

static void vanish_in_request(struct worker *w)
{
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    size_t n = http_wire_call(&w->wire, w->out, NULL, 1, "echo", "half of it");
    say(w, w->out, 1 + draw(w->soak, w->n, 3) % (n - 1));
    leave(w);
}

static void vanish_in_call(struct worker *w)
{
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    say(w, w->out, http_wire_call(&w->wire, w->out, NULL, 1, "slow", "nobody hears this"));
    leave(w);
}

static void wrong_token(struct worker *w)
{
    be(w, 0, HTTP_WIRE_MODERN);
    w->wire.token = draw(w->soak, w->n, 3) % 2 ? "mst_not_the_token_of_anybody" : NULL;
    expect(w, ask(w, http_wire_call(&w->wire, w->out, NULL, 1, "echo", "x")) == 401);
}

static void large_body(struct worker *w)
{
    static char text[LARGE_BYTES + 1], all[LARGE_BYTES + HTTP_WIRE_BYTES];
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    memset(text, 'a' + (char)(w->n % 26), LARGE_BYTES);
    http_wire_call(&w->wire, w->out, NULL, 1, "echo", "");
    char *length = strstr(w->out, "Content-Length: "), *body = strstr(w->out, "\r\n\r\n") + 4;
    char *at = strstr(body, "\"text\":\"") + 8;
    int n =
        snprintf(all, sizeof all, "%.*sContent-Length: %zu\r\n\r\n%.*s%s%s", (int)(length - w->out),
                 w->out, strlen(body) + LARGE_BYTES, (int)(at - body), body, text, at);
    say(w, all, (size_t)n);
    expect(w, hear(w) == 200 && strstr(w->in, text));
}

static void nonsense(struct worker *w)
{
    static const char *const heads[] = {
        "POST /mcp HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "GET /runs HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "BREW /mcp HTTP/1.1\r\nHost: here\r\n\r\n",
    };
    const char *head = heads[draw(w->soak, w->n, 3) % 4];
    say(w, head, strlen(head));
    int status = hear(w);
    leave(w);
    expect(w, status >= 400 && status < 500);
}

static void pages(struct worker *w)
{
    static const char *const paths[] = { "/runs", "/runs?state=failed", "/style.css",
                                         "/runs/none" };
    unsigned which = draw(w->soak, w->n, 3) % 4;
    char headers[300];
    be(w, draw(w->soak, w->n, 2), HTTP_WIRE_MODERN);
    snprintf(headers, sizeof headers, "Cookie: __Host-mistro=%s\r\n", w->wire.token);
    int status = ask(w, plain(w, "GET", paths[which], headers));
    expect(w, status == (which == 3 ? 404 : 200));
}

/* In a hundred. */
static const struct {
    const char *kind;
    unsigned often;
    void (*run)(struct worker *w);
} kinds[] = {
    { "call", 52, modern_call },
    { "session", 14, legacy_session },
    { "pages", 8, pages },
    { "gone in a request", 5, vanish_in_request },
    { "gone in a call", 5, vanish_in_call },
    { "wrong token", 5, wrong_token },
    { "nonsense", 4, nonsense },
    { "stream", 3, modern_stream },
    { "large body", 2, large_body },
    { "another's session", 2, foreign_session },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void do_one(struct worker *w)
{
    unsigned chance = draw(w->soak, w->n, 0) % 100, k = 0;
    for (unsigned sum = kinds[0].often; k + 1 < KINDS && chance >= sum; sum += kinds[++k].often)
        continue;
    w->kind = kinds[k].kind;
    kinds[k].run(w);
    __atomic_fetch_add(&w->soak->shared->by_kind[k], 1, __ATOMIC_RELAXED);
    if (draw(w->soak, w->n, 1) % 10 == 0)
        leave(w);
}

/* Until so many were begun. */
static void work(struct soak *soak, size_t until)
{
    static struct worker w;
    w = (struct worker){ .soak = soak, .wire = soak->wire, .fd = -1 };
    while ((w.n = __atomic_fetch_add(&soak->shared->next, 1, __ATOMIC_RELAXED)) < until)
        do_one(&w);
    leave(&w);
}

static void run_until(struct soak *soak, size_t until)
{
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0) {
            work(soak, until);
            _exit(0);
        }
    for (int i = 0; i < WORKERS; i++)
        while (wait(NULL) < 0 && errno == EINTR)
            continue;
    soak->shared->next = until;
}

static void rest(unsigned ms)
{
    nanosleep(&(struct timespec){ ms / 1000, (long)(ms % 1000) * 1000000 }, NULL);
}

struct state {
    long kib;
    size_t descriptors;
};

static size_t descriptors_of(pid_t pid)
{
    char path[40];
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

/* Once nobody is there: the server gives back within two seconds what it does not need. */
static struct state state_of(const struct soak *soak)
{
    char path[40];
    long pages = 0;
    rest(3000);
    snprintf(path, sizeof path, "/proc/%d/statm", (int)soak->server);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = -1;
    if (file)
        fclose(file);
    return (struct state){ pages * (sysconf(_SC_PAGESIZE) / 1024), descriptors_of(soak->server) };
}

static bool holds(bool what, const char *told)
{
    if (!what)
        printf("NOT SO: %s\n", told);
    return what;
}

/* What a command prints first. */
static void first_line(const char *command, char *out, int size)
{
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(out, size, pipe)) {
        fprintf(stderr, "%s says nothing\n", command);
        exit(2);
    }
    out[strcspn(out, "\r\n")] = '\0';
    pclose(pipe);
}

static void prepare(struct soak *soak)
{
    static const char settings[] =
        "mistral_orchestrator:\n  http:\n    requests_per_minute: 1000000\n"
        "    max_sessions: 10\n    drain_seconds: 10\n";
    char path[200];
    strcpy(soak->home, "/tmp/mistro-soak-XXXXXX");
    if (!mkdtemp(soak->home) || chdir(soak->home) || mkdir("mistro", 0700))
        abort();
    setenv("HOME", soak->home, 1);
    setenv("XDG_CONFIG_HOME", soak->home, 1);
    setenv("XDG_DATA_HOME", soak->home, 1);
    setenv("XDG_STATE_HOME", soak->home, 1);
    FILE *file = fopen("mistro/mistral_orchestrator.yml", "w");
    if (!file || fputs(settings, file) < 0 || fclose(file))
        abort();
    for (int i = 0; i < PERSONS; i++) {
        snprintf(path, sizeof path, BUILD_DIR "/mistro serve token add person%d 2>/dev/null", i);
        first_line(path, soak->tokens[i], sizeof soak->tokens[i]);
    }
}

static void start_server(struct soak *soak)
{
    int ends[2];
    ssize_t n;
    if (pipe(ends) || (soak->server = fork()) < 0)
        abort();
    if (soak->server == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(BUILD_DIR "/mistro", "mistro", "serve", "mock", "--fixture",
              SOURCE_DIR "/tests/bench/http_fixture.yml", "--http", "127.0.0.1:0", NULL);
        _exit(127);
    }
    close(ends[1]);
    n = read(ends[0], soak->url, sizeof soak->url - 1);
    soak->url[n > 0 ? strcspn(soak->url, "\r\n") : 0] = '\0';
    if (!http_wire_open(&soak->wire, soak->url)) {
        fprintf(stderr, "there is no server\n");
        exit(2);
    }
}

/* Calls that run when the server is told to end have their answers; who comes then, has not. */
static bool drain(struct soak *soak)
{
    static struct worker clients[WORKERS];
    int status = 0;
    for (int i = 0; i < WORKERS; i++) {
        struct worker *w = &clients[i];
        *w = (struct worker){ .soak = soak, .wire = soak->wire, .fd = -1 };
        be(w, (unsigned)i, HTTP_WIRE_MODERN);
        /* One call before it, so that the server knows all of them. */
        if (!holds(call(w, NULL, "echo", 1), "a call before the end is answered"))
            return false;
        say(w, w->out, http_wire_call(&w->wire, w->out, NULL, 2, "slow", "to the end."));
    }
    rest(100);
    kill(soak->server, SIGTERM);
    rest(50);
    int late = http_wire_connect(&soak->wire, 0);
    bool ok = holds(late < 0, "nobody new is let in");
    for (int i = 0; i < WORKERS; i++)
        ok &= holds(hear(&clients[i]) == 200 && strstr(clients[i].in, "to the end."),
                    "what runs at the end is answered");
    ok &= holds(waitpid(soak->server, &status, 0) == soak->server, "the server ends");
    return holds(WIFEXITED(status) || WTERMSIG(status) == SIGTERM, "it does not crash") && ok;
}

static bool is_memory_judged(void)
{
#ifdef __SANITIZE_ADDRESS__ /* keeps what was freed for a while */
    return false;
#else
    return true;
#endif
}

static bool soak_judge(const struct soak *soak, struct state warm, struct state end)
{
    for (size_t k = 0; k < KINDS; k++)
        printf("%9zu %s\n", soak->shared->by_kind[k], kinds[k].kind);
    printf("resident %ld KiB after a tenth, %ld KiB at the end; descriptors %zu and %zu\n",
           warm.kib, end.kib, warm.descriptors, end.descriptors);
    bool ok = holds(!soak->shared->n_wrong, "every request has its answer");
    ok &= holds(end.kib > 0, "the server lives");
    ok &= holds(!is_memory_judged() ||
                    end.kib <= warm.kib + warm.kib * MAX_GROWTH_PERCENT / 100 + MAX_GROWTH_KIB,
                "memory is flat");
    return holds(end.descriptors == warm.descriptors, "descriptors are flat") && ok;
}

int main(int argc, char **argv)
{
    static struct soak soak;
    char command[100];
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    soak.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    soak.shared =
        mmap(NULL, sizeof *soak.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n < 100 || soak.shared == MAP_FAILED) {
        fprintf(stderr, "usage: soak_http [CALLS [SEED]], with at least 100 calls\n");
        return 2;
    }
    printf("soak_http %zu %" PRIu64 ": %d clients of %d persons\n", n, soak.seed, WORKERS, PERSONS);
    fflush(stdout);
    prepare(&soak);
    start_server(&soak);
    run_until(&soak, n / 10);
    struct state warm = state_of(&soak);
    run_until(&soak, n);
    struct state end = state_of(&soak);
    bool ok = soak_judge(&soak, warm, end);
    ok &= drain(&soak);
    snprintf(command, sizeof command, "rm -rf %s", soak.home);
    ok &= system(command) == 0;
    printf("%s\n", ok ? "ok" : "FAILED");
    return ok ? 0 : 1;
}
