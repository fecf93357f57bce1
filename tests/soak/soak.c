/* A day of traffic in minutes: calls to twenty servers of either era and transport, which die, fall
 * silent, answer late, twice and what nobody asked, while calls are cancelled and servers closed
 * and made anew. Chance comes from a seed.
 *
 *   soak [CALLS [SEED]]
 *
 * In the end each call must have had exactly one outcome, no server must have received one twice
 * (none of them is idempotent), an answer must have been the one to its call, and memory,
 * descriptors and processes must be what they were. Exits with 1 where that is not so. */
#include "domain/base/text.h"
#include "domain/tool/step_result.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/system_ports.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/soak/ledger.h"
#include "tests/support/full/leftovers.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum {
    SERVERS = 20,
    REMOTE_SERVERS = 4, /* the last ones are behind a URL */
    WORKERS = 4,        /* calls under way at a server */
    SILENCE_MS = 30,    /* of calls that are never answered */
    MOST_RESTARTS = 3,  /* then a server is made anew: the wait before the next is long */
    REPORTS = 20,
    WARM_AT = REPORTS / 5, /* by then everything has happened once */
    MAX_GROWTH_KIB = 1024, /* from there to the end */
};

/* In a hundred thousand calls. */
static const struct {
    const char *how;
    unsigned often;
} behaviours[] = {
    { "die", 200 },   { "close", 50 },    { "silent", 300 }, { "later", 1000 },
    { "twice", 500 }, { "unknown", 500 }, { "notify", 500 },
};
enum { EACH = 100000, CANCELLED = 300, RENEWED = 20 };

struct slot {
    struct soak *soak;
    struct server_config config;
    struct tool_server *server;
    const char *arguments[4];
    char name[8], url[64];
    pid_t pid; /* of a remote one */
    unsigned n_inside;
    bool is_renewed;
};

struct soak {
    struct settings settings;
    struct mcp_context shared;
    struct runtime *runtime;
    struct ledger ledger;
    char path[64], variable[64];
    const char *variables[1];
    struct slot slots[SERVERS];
    struct scope *calls[SERVERS * WORKERS]; /* under way; NULL: none */
    uint64_t seed;
    size_t n, next, reported;
    size_t by_code[64], n_wrong, n_renewed, n_restarts;
    char surprise[600]; /* the first outcome that should not be */
    int64_t began_ms;
    long warm_kib;
};

/* The same for a call whatever happened before it. */
static unsigned draw(const struct soak *soak, size_t call, unsigned what)
{
    uint64_t x = soak->seed + call * 0x9e3779b97f4a7c15u + what * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ (x >> 31)) % EACH);
}

static const char *behaviour_of(const struct soak *soak, size_t call)
{
    unsigned drawn = draw(soak, call, 0), at = 0;
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++)
        if (drawn < (at += behaviours[i].often))
            return behaviours[i].how;
    return "";
}

/* Without what is shared: the ledger, of which more and more is touched. */
static long resident_kib(void)
{
    long pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld %ld", &pages, &shared) != 2)
        pages = shared = 0;
    if (file)
        fclose(file);
    return (pages - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void report(struct soak *soak)
{
    int64_t ms = runtime_now_ms(soak->runtime) - soak->began_ms;
    if (++soak->reported == WARM_AT)
        soak->warm_kib = resident_kib();
    printf("%9zu calls  %6.0f/s  %7ld KiB  %zu restarts  %zu made anew\n", soak->next,
           (double)soak->next * 1000.0 / (double)(ms ? ms : 1), resident_kib(), soak->n_restarts,
           soak->n_renewed);
    fflush(stdout);
}

static void create_server(struct slot *slot)
{
    slot->server = mcp_client_create(&slot->soak->shared, &slot->config);
}

/* Whatever is under way there fails. */
static void renew(struct slot *slot, struct scope *scope)
{
    struct tool_server_status status;
    slot->is_renewed = true;
    tool_server_status(slot->server, &status);
    slot->soak->n_restarts += status.restarts;
    slot->soak->n_renewed++;
    tool_server_close(slot->server, scope);
    while (slot->n_inside)
        (void)!runtime_sleep(slot->soak->runtime, scope, 1, NULL);
    tool_server_destroy(slot->server);
    create_server(slot);
    slot->is_renewed = false;
}

static bool is_expected(enum err_code code)
{
    return code == ERR_NONE || code == ERR_CANCELLED || code == ERR_TIMEOUT ||
           code == ERR_UNAVAILABLE;
}

static void judge(struct soak *soak, size_t call, enum err_code code, const struct err *err,
                  const char *text)
{
    char own[32];
    snprintf(own, sizeof own, "%zu", call);
    soak->by_code[code]++;
    ledger_note(soak->ledger.ended, soak->ledger.n, call);
    bool is_right =
        is_expected(code) && (code || (strcmp(text, own) == 0 && soak->ledger.received[call]));
    if (is_right)
        return;
    if (!soak->n_wrong++)
        snprintf(soak->surprise, sizeof soak->surprise, "call %zu (%s): %s", call,
                 behaviour_of(soak, call), code ? err->message : text);
}

static void make_call(struct slot *slot, struct scope *scope, size_t worker, size_t call)
{
    struct soak *soak = slot->soak;
    AUTO(arena) arena = { 0 };
    struct step_result result;
    struct err err = { 0 };
    struct scope own = scope_child(scope, SCOPE_NO_DEADLINE);
    const char *how = behaviour_of(soak, call);
    json_auto_t *arguments = json_pack("{s:I, s:s}", "n", (json_int_t)call, "how", how);
    struct tool_call asked = { .name = "work",
                               .arguments = arguments,
                               .silence_ms = strcmp(how, "silent") == 0 ? SILENCE_MS : 0 };
    soak->calls[worker] = &own;
    enum err_code code = tool_server_call(slot->server, &own, &asked, &arena, &result, &err);
    soak->calls[worker] = NULL;
    judge(soak, call, code, &err, code ? "" : step_result_text(&arena, &result));
}

static void disturb(struct soak *soak, size_t call)
{
    size_t victim = draw(soak, call, 2) % (SERVERS * WORKERS);
    if (draw(soak, call, 1) < CANCELLED && soak->calls[victim])
        runtime_cancel(soak->runtime, soak->calls[victim]);
}

static bool is_due(const struct slot *slot, size_t call)
{
    struct tool_server_status status;
    tool_server_status(slot->server, &status);
    return status.restarts >= MOST_RESTARTS || draw(slot->soak, call, 3) < RENEWED;
}

struct worker {
    struct slot *slot;
    size_t index;
};

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    const struct worker *worker = argument;
    struct slot *slot = worker->slot;
    struct soak *soak = slot->soak;
    while (soak->next < soak->n) {
        if (slot->is_renewed) {
            (void)!runtime_sleep(runtime, scope, 1, NULL);
            continue;
        }
        size_t call = soak->next++;
        disturb(soak, call);
        slot->n_inside++;
        make_call(slot, scope, worker->index, call);
        slot->n_inside--;
        if (!slot->is_renewed && is_due(slot, call))
            renew(slot, scope);
        if (soak->next / (soak->n / REPORTS + 1) > soak->reported)
            report(soak);
    }
    return ERR_NONE;
}

static enum err_code run(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct soak *soak = argument;
    struct worker workers[SERVERS * WORKERS];
    struct task *tasks[SERVERS * WORKERS];
    soak->began_ms = runtime_now_ms(runtime);
    for (size_t i = 0; i < SERVERS * WORKERS; i++) {
        workers[i] = (struct worker){ &soak->slots[i % SERVERS], i };
        tasks[i] = runtime_spawn(runtime, scope, work, &workers[i]);
    }
    for (size_t i = 0; i < SERVERS * WORKERS; i++)
        (void)!runtime_wait(runtime, tasks[i]);
    report(soak);
    for (size_t i = 0; i < SERVERS; i++) {
        tool_server_close(soak->slots[i].server, scope);
        tool_server_destroy(soak->slots[i].server);
    }
    return ERR_NONE;
}

static void become_server(const struct soak *soak, const struct slot *slot, int out)
{
    const char *arguments[] = { slot->config.command, soak->path,
                                slot->config.n_arguments > 1 ? "modern" : "legacy", "http", NULL };
    setpgid(0, 0);
    dup2(out, STDOUT_FILENO);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void start_remote(struct soak *soak, struct slot *slot)
{
    int ends[2], port = 0;
    if (pipe2(ends, O_CLOEXEC) || (slot->pid = fork()) < 0)
        abort();
    if (slot->pid == 0)
        become_server(soak, slot, ends[1]);
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (!said || fscanf(said, "%d", &port) != 1)
        abort();
    fclose(said);
    snprintf(slot->url, sizeof slot->url, "http://127.0.0.1:%d/mcp", port);
    slot->config.command = NULL;
    slot->config.url = slot->url;
    slot->config.file = "mcp.json";
}

static void prepare_slot(struct soak *soak, size_t i)
{
    struct slot *slot = &soak->slots[i];
    *slot = (struct slot){ .soak = soak, .arguments = { soak->path, i % 2 ? "modern" : NULL } };
    snprintf(slot->name, sizeof slot->name, "s%02zu", i);
    slot->config = (struct server_config){ .name = slot->name,
                                           .command = BUILD_DIR "/tests/soak_server",
                                           .arguments = slot->arguments,
                                           .n_arguments = i % 2 ? 2 : 1,
                                           .environment = soak->variables,
                                           .n_environment = 1,
                                           .enabled = true };
    if (i >= SERVERS - REMOTE_SERVERS)
        start_remote(soak, slot);
    create_server(slot);
}

static void prepare_ledger(struct soak *soak)
{
    strcpy(soak->path, "/tmp/mistro-soak-XXXXXX");
    int fd = mkstemp(soak->path);
    if (fd < 0 || ftruncate(fd, (off_t)(2 * soak->n)) || close(fd) ||
        !ledger_open(&soak->ledger, soak->path))
        abort();
    snprintf(soak->variable, sizeof soak->variable, "MISTRO_SOAK=%d", (int)getpid());
    soak->variables[0] = soak->variable;
}

static void end_remotes(struct soak *soak)
{
    for (size_t i = SERVERS - REMOTE_SERVERS; i < SERVERS; i++) {
        kill(-soak->slots[i].pid, SIGKILL);
        while (waitpid(soak->slots[i].pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
}

static void soak_run(struct soak *soak)
{
    struct uv_runtime *runtime = uv_runtime_create();
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    settings_init(&soak->settings);
    soak->runtime = uv_runtime_port(runtime);
    soak->shared = (struct mcp_context){ .runtime = runtime,
                                         .settings = &soak->settings,
                                         .http = http_client_create(runtime),
                                         .digest = system_digest() };
    prepare_ledger(soak);
    for (size_t i = 0; i < SERVERS; i++)
        prepare_slot(soak, i);
    (void)uv_runtime_run(runtime, &scope, run, soak);
    end_remotes(soak);
    http_client_destroy(soak->shared.http);
    uv_runtime_destroy(runtime);
    unlink(soak->path);
}

static bool expect(bool holds, const char *what, long long found)
{
    if (!holds)
        printf("NOT SO: %s (%lld)\n", what, found);
    return holds;
}

static bool is_memory_judged(void)
{
#ifdef __SANITIZE_ADDRESS__ /* keeps what was freed for a while */
    return false;
#else
    return true;
#endif
}

static bool soak_judge(const struct soak *soak, size_t descriptors, long end_kib)
{
    size_t n_twice = 0, n_not_once = 0;
    long growth_kib = end_kib - soak->warm_kib;
    for (size_t i = 0; i < soak->n; i++) {
        n_twice += soak->ledger.received[i] > 1;
        n_not_once += soak->ledger.ended[i] != 1;
    }
    printf("answered %zu  cancelled %zu  timed out %zu  unavailable %zu\n", soak->by_code[ERR_NONE],
           soak->by_code[ERR_CANCELLED], soak->by_code[ERR_TIMEOUT],
           soak->by_code[ERR_UNAVAILABLE]);
    printf("resident %ld KiB when warm, %ld KiB at the end\n", soak->warm_kib, end_kib);
    if (soak->surprise[0])
        printf("%s\n", soak->surprise);
    bool ok = expect(!soak->n_wrong, "every outcome is one that may be", (long long)soak->n_wrong);
    ok &= expect(!n_not_once, "every call had one outcome", (long long)n_not_once);
    ok &= expect(!n_twice, "no call was received twice", (long long)n_twice);
    ok &= expect(!is_memory_judged() || growth_kib <= MAX_GROWTH_KIB, "memory is flat, in KiB",
                 growth_kib);
    ok &= expect(leftover_descriptors() == descriptors, "no descriptor is left",
                 (long long)leftover_descriptors() - (long long)descriptors);
    ok &= expect(!leftover_children(), "no child is left", 1);
    size_t n_left = leftover_processes(soak->variable);
    return expect(!n_left, "no process is left", (long long)n_left) && ok;
}

/* What a library opens once and keeps is no leak. */
static void open_what_is_kept(void)
{
    static struct soak first;
    first = (struct soak){ .n = SERVERS * WORKERS, .reported = REPORTS };
    soak_run(&first);
}

int main(int argc, char **argv)
{
    static struct soak soak;
    soak = (struct soak){ .n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000,
                          .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) };
    if (soak.n < REPORTS) {
        fprintf(stderr, "usage: soak [CALLS [SEED]], with at least %d calls\n", REPORTS);
        return 2;
    }
    printf("soak %zu %" PRIu64 ": %d servers, %d of them behind a URL\n", soak.n, soak.seed,
           SERVERS, REMOTE_SERVERS);
    open_what_is_kept();
    size_t descriptors = leftover_descriptors();
    soak_run(&soak);
    bool ok = soak_judge(&soak, descriptors, resident_kib());
    printf("%s\n", ok ? "ok" : "FAILED");
    return ok ? 0 : 1;
}
