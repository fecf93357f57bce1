/* bench_mcp: mistro beside the least a C client can do and beside the npm SDK, in one run.
 *
 *   bench_mcp MISTRO BIN_DIR WORK_DIR [NODE SDK_CLIENT]
 *
 * BIN_DIR holds echo_server and floor. Every figure is a ratio of medians; trials of all sides
 * alternate, so that a slow minute of the machine hits all of them. Times between requests are
 * read from the server's own trace. CPU time is a client's own: the server's is subtracted.
 * Without NODE the rows of the SDK are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 2000, PARALLEL = 16, DELAY_MS = 50, TURNS = 40, MAX_TRIALS = 64 };
enum side { FLOOR, MISTRO, SDK, SDK_2, SIDES };
static const char *const side_names[] = { "floor", "mistro", "sdk", "sdk 2" };

/* As echo_server.c writes it. */
struct trace_hdr {
    char magic[8];
    uint64_t pid, t_start, t_end, cpu_ns, maxrss_kb, n;
};
struct trace_rec {
    uint64_t arrive_ns, reply_ns;
    uint32_t kind, bytes;
};
enum { K_CALL = 4 };

struct trial {
    double wall_ms, cpu_ms, rss_kb, gap_us, span_ms;
    double whole_ms; /* from the first call until the client let the server go */
    size_t n_calls;  /* that reached a server */
};

static const char *mistro, *bin_dir, *work_dir, *node, *sdk_client;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n ? values[n / 2] : 0;
}

static char *path_of(const char *format, const char *a, const char *b)
{
    char *path = NULL;
    if (asprintf(&path, format, a, b) < 0)
        die("memory");
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f))
        die(path);
}

/* mcpServers with n echo servers that leave a trace. */
static char *make_config(int n)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    fputs("{\"mcpServers\":{", f);
    for (int i = 0; i < n; i++)
        fprintf(f,
                "%s\"echo%s%d\":{\"command\":\"%s/echo_server\",\"args\":[\"--trace-dir\",\"%s\"]}",
                i ? "," : "", i ? "_" : "", i, bin_dir, work_dir);
    fputs("}}", f);
    fclose(f);
    if (asprintf(&path, "%s/servers%d.json", work_dir, n) < 0)
        die("memory");
    write_file(path, text);
    free(text);
    return path;
}

/* Reads and removes every trace; cpu of all servers, gaps and span of the calls of the first. */
static void read_traces(struct trial *t, double *out_server_cpu_ms)
{
    glob_t found;
    char *pattern = path_of("%s/echo.*.trace%s", work_dir, "");
    *out_server_cpu_ms = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            FILE *f = fopen(found.gl_pathv[i], "re");
            struct trace_hdr hdr;
            if (!f || fread(&hdr, sizeof hdr, 1, f) != 1)
                die(found.gl_pathv[i]);
            struct trace_rec *recs = calloc(hdr.n + 1, sizeof *recs);
            double *gaps = calloc(hdr.n + 1, sizeof *gaps);
            size_t n = fread(recs, sizeof *recs, hdr.n, f), n_gaps = 0;
            uint64_t first = 0, last = 0, previous = 0;
            for (size_t k = 0; k < n; k++) {
                if (recs[k].kind != K_CALL)
                    continue;
                t->n_calls++;
                if (!first)
                    first = recs[k].arrive_ns;
                else if (recs[k].arrive_ns > previous)
                    gaps[n_gaps++] = (double)(recs[k].arrive_ns - previous) / 1e3;
                previous = recs[k].reply_ns;
                if (recs[k].reply_ns > last)
                    last = recs[k].reply_ns;
            }
            *out_server_cpu_ms += (double)hdr.cpu_ns / 1e6;
            if (n_gaps)
                t->gap_us = median(gaps, n_gaps);
            if (first)
                t->span_ms = (double)(last - first) / 1e6,
                t->whole_ms = (double)(hdr.t_end - first) / 1e6;
            free(recs);
            free(gaps);
            fclose(f);
            unlink(found.gl_pathv[i]);
        }
        globfree(&found);
    }
    free(pattern);
}

static struct trial run(enum side side, const char *const *argv, const char *input)
{
    struct trial t = { 0 };
    struct rusage usage;
    int status;
    double start = now_ms(), server_cpu;
    setenv("SDK", side == SDK_2 ? "2" : "1", 1);
    pid_t pid = vfork();
    if (pid == 0) {
        int in = open(input ? input : "/dev/null", O_RDONLY), out = open("/dev/null", O_WRONLY);
        dup2(in, 0);
        dup2(out, 1);
        if (!getenv("BENCH_VERBOSE"))
            dup2(out, 2);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    t.wall_ms = now_ms() - start;
    t.cpu_ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    t.rss_kb = (double)usage.ru_maxrss;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fprintf(stderr, "bench_mcp: %s %s: status %d\n", argv[0], argv[1], status);
    read_traces(&t, &server_cpu);
    t.cpu_ms -= server_cpu;
    return t;
}

/* The medians of one side over its trials. */
static struct trial summary(const struct trial *trials, size_t n)
{
    struct trial s;
    double values[MAX_TRIALS];
#define MEDIAN(member)                                                                             \
    for (size_t i = 0; i < n; i++)                                                                 \
        values[i] = trials[i].member;                                                              \
    s.member = median(values, n)
    MEDIAN(wall_ms);
    MEDIAN(cpu_ms);
    MEDIAN(rss_kb);
    MEDIAN(gap_us);
    MEDIAN(span_ms);
    MEDIAN(whole_ms);
    s.n_calls = trials[0].n_calls;
    for (size_t i = 1; i < n; i++)
        if (trials[i].n_calls < s.n_calls)
            s.n_calls = trials[i].n_calls;
#undef MEDIAN
    return s;
}

struct workload {
    const char *const *argv[SIDES];
    const char *input; /* of mistro */
    size_t n_trials, n_sdk_trials;
};

static void measure(const struct workload *w, struct trial out[SIDES])
{
    static struct trial trials[SIDES][MAX_TRIALS];
    size_t n[SIDES] = { 0 };
    for (size_t i = 0; i < w->n_trials; i++)
        for (int side = 0; side < SIDES; side++) {
            if (!w->argv[side] || (side >= SDK && i >= w->n_sdk_trials))
                continue;
            trials[side][n[side]++] =
                run((enum side)side, w->argv[side], side == MISTRO ? w->input : NULL);
        }
    for (int side = 0; side < SIDES; side++)
        out[side] = summary(trials[side], n[side]);
}

static void row(const char *what, const char *unit, double value, double other, const char *name,
                double target)
{
    double ratio = other > 0 ? value / other : 0;
    printf("%-40s %10.3f %-3s %8s %10.3f  ratio %7.3f  target %7.3f  %s\n", what, value, unit, name,
           other, ratio, target, ratio <= target ? "ok" : "MISSED");
}

static void limit(const char *what, const char *unit, double value, double most)
{
    printf("%-40s %10.3f %-3s %38s target %7.3f  %s\n", what, value, unit, "", most,
           value <= most ? "ok" : "MISSED");
}

static void bench_cold(const char *config)
{
    char *floor = path_of("%s/floor%s", bin_dir, "");
    const char *const floor_argv[] = { floor, "cold", config, NULL };
    const char *const mistro_argv[] = { mistro, "tools", "--mcp-config", config, NULL };
    const char *const sdk_argv[] = { node, sdk_client, "cold", config, NULL };
    struct trial s[SIDES];
    struct workload w = { { floor_argv, mistro_argv, node ? sdk_argv : NULL }, NULL, 41, 9 };
    measure(&w, s);
    row("cold tools, wall", "ms", s[MISTRO].wall_ms, s[FLOOR].wall_ms, side_names[FLOOR], 3);
    if (node)
        row("cold tools, CPU", "ms", s[MISTRO].cpu_ms, s[SDK].cpu_ms, side_names[SDK], 1.0 / 50);
    limit("peak resident, one server", "MB", s[MISTRO].rss_kb / 1024, 8);
}

static void bench_ten(const char *config)
{
    const char *const argv[] = { mistro, "tools", "--mcp-config", config, NULL };
    struct trial s[SIDES];
    struct workload w = { { NULL, argv, NULL }, NULL, 9, 0 };
    measure(&w, s);
    limit("peak resident, ten servers", "MB", s[MISTRO].rss_kb / 1024, 12);
}

static char *make_input(const char *name, int n, int delay_ms)
{
    char *path = path_of("%s/%s", work_dir, name);
    FILE *f = fopen(path, "we");
    if (!f)
        die(path);
    for (int i = 0; i < n; i++)
        fprintf(f, "{\"text\":\"message %d\",\"delay_ms\":%d}\n", i, delay_ms);
    fclose(f);
    return path;
}

static void bench_calls(const char *config)
{
    char *floor = path_of("%s/floor%s", bin_dir, "");
    char *input = make_input("calls.jsonl", CALLS, 0);
    const char *const floor_argv[] = { floor, "calls", config, "2000", NULL };
    const char *const mistro_argv[] = { mistro,         "call", "echo0/echo", "--batch",
                                        "--mcp-config", config, NULL };
    const char *const sdk_argv[] = { node, sdk_client, "calls", config, "2000", NULL };
    struct trial s[SIDES];
    struct workload w = { { floor_argv, mistro_argv, node ? sdk_argv : NULL }, input, 15, 5 };
    measure(&w, s);
    row("2,000 calls, between requests", "us", s[MISTRO].gap_us, s[FLOOR].gap_us, side_names[FLOOR],
        1.5);
    row("2,000 calls, CPU per call", "us", s[MISTRO].cpu_ms * 1e3 / CALLS,
        s[FLOOR].cpu_ms * 1e3 / CALLS, side_names[FLOOR], 1e9);
    if (node)
        row("2,000 calls, CPU per call", "us", s[MISTRO].cpu_ms * 1e3 / CALLS,
            s[SDK].cpu_ms * 1e3 / CALLS, side_names[SDK], 1.0 / 10);
}

static void bench_parallel(const char *config)
{
    char *floor = path_of("%s/floor%s", bin_dir, "");
    char *input = make_input("parallel.jsonl", PARALLEL, DELAY_MS);
    const char *const floor_argv[] = { floor, "parallel", config, "16", "50", NULL };
    const char *const mistro_argv[] = { mistro, "call",         "echo0/echo", "--batch", "-j",
                                        "16",   "--mcp-config", config,       NULL };
    struct trial s[SIDES];
    struct workload w = { { floor_argv, mistro_argv, NULL }, input, 15, 0 };
    measure(&w, s);
    limit("16 calls of 50 ms at once", "ms", s[MISTRO].span_ms, 53);
    printf("%-40s %10.3f ms\n", "  the floor's", s[FLOOR].span_ms);
}

static char *make_sized_input(const char *name, int n, int size)
{
    char *path = path_of("%s/%s", work_dir, name);
    FILE *f = fopen(path, "we");
    if (!f)
        die(path);
    for (int i = 0; i < n; i++)
        fprintf(f, "{\"size\":%d}\n", size);
    fclose(f);
    return path;
}

/* Results of one size, each printed as a line of JSON. The CPU time of a call is what more calls
 * take more. The SDKs' clients refuse messages beyond 10 MiB. */
static void bench_results(const char *config, int size, int n, double least)
{
    enum { SDK_MAX_SIZE = 9 << 20, ROUNDS = 5 };
    char *settings = path_of("%s/%s", work_dir, "results.yaml"), number[16], bytes[16];
    write_file(settings, "mistral_orchestrator:\n  tools:\n    max_result_bytes: 67108864\n");
    snprintf(bytes, sizeof bytes, "%d", size);
    const char *const argv[] = { mistro, "call",     "echo0/echo", "--batch", "--mcp-config",
                                 config, "--config", settings,     NULL };
    const char *const sdk_argv[] = { node, sdk_client, "results", config, number, bytes, NULL };
    bool has_sdk = node && size <= SDK_MAX_SIZE;
    struct trial one[SIDES], many[SIDES];
    struct workload w = { { NULL, argv, has_sdk ? sdk_argv : NULL, has_sdk ? sdk_argv : NULL },
                          make_sized_input("one.jsonl", 1, size),
                          ROUNDS,
                          3 };
    strcpy(number, "1");
    measure(&w, one);
    w.input = make_sized_input("many.jsonl", n, size);
    snprintf(number, sizeof number, "%d", n);
    measure(&w, many);
    double rate = (double)size * n / many[MISTRO].whole_ms / 1e3;
    double cpu = (many[MISTRO].cpu_ms - one[MISTRO].cpu_ms) / (n - 1) * 1e3;
    printf("results of %-10d %10.1f MB/s %10.1f us CPU per call%s\n", size, rate, cpu,
           has_sdk || rate >= least ? "" : "  MISSED");
    for (int side = SDK; has_sdk && side <= SDK_2; side++) {
        double other = (double)size * n / many[side].whole_ms / 1e3;
        double other_cpu = (many[side].cpu_ms - one[side].cpu_ms) / (n - 1) * 1e3;
        printf(
            "  %-18s %10.1f MB/s %10.1f us  %6.1f times its MB/s, target %4.1f  %-7s CPU 1/%-5.1f "
            "target 1/8  %s\n",
            side_names[side], other, other_cpu, rate / other, least,
            rate / other >= least ? "ok" : "MISSED", other_cpu / cpu,
            other_cpu / cpu >= 8 ? "ok" : "MISSED");
    }
}

static void bench_all_results(const char *config)
{
    static const struct {
        int size, n;
        double least; /* times the MB/s of the SDKs; MB/s where they fail */
    } rows[] = { { 1 << 10, 2000, 3 },
                 { 64 << 10, 500, 3 },
                 { 1 << 20, 60, 2.5 },
                 { 8 << 20, 12, 10 },
                 { 16 << 20, 12, 250 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_results(config, rows[i].size, rows[i].n, rows[i].least);
}

/* What one save of a conversation waits for at least: temp file, fsync, rename, fsync. */
static double save_cost_ms(void)
{
    char *temp = path_of("%s/%s", work_dir, "save.tmp"), *path = path_of("%s/%s", work_dir, "save");
    int folder = open(work_dir, O_RDONLY | O_DIRECTORY);
    double values[TURNS];
    char block[4096];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < TURNS; i++) {
        double start = now_ms();
        int fd = open(temp, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block || fsync(fd) || close(fd) ||
            rename(temp, path) || fsync(folder))
            die("save");
        values[i] = now_ms() - start;
    }
    close(folder);
    return median(values, TURNS);
}

/* A chat of many turns, each three chained calls with an instant scripted model: the time from
 * one turn's first call to the next one's. The intent names two tools, since one complete tool
 * would need no plan. */
static void bench_turn(const char *config)
{
    char *script = path_of("%s/%s", work_dir, "turn.jsonl");
    char *input = path_of("%s/%s", work_dir, "turns.txt");
    char *model = path_of("script:%s%s", script, ""), *text = NULL;
    size_t length = 0;
    write_file(
        script,
        "{\"purpose\":\"intent_and_plan\",\"times\":0,\"reply\":{\"primary_goal\":\"echo three "
        "times\",\"tools_needed\":[\"echo0__echo\"],\"parameters\":{},\"confidence\":0.9,"
        "\"needs_clarification\":false,\"unclear_aspects\":[],\"steps\":["
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"one\"}},"
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{prev_result} two\"}},"
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{prev_result} three\"}}]}}\n"
        "{\"purpose\":\"intent\",\"times\":0,\"reply\":{\"primary_goal\":\"echo three times\","
        "\"tools_needed\":[\"echo0__echo\",\"echo_1__echo\"],\"parameters\":{},\"confidence\":0.9,"
        "\"needs_clarification\":false,\"unclear_aspects\":[]}}\n"
        "{\"purpose\":\"plan\",\"times\":0,\"reply\":{\"steps\":["
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"one\"}},"
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{prev_result} two\"}},"
        "{\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{prev_result} three\"}}]}}\n"
        "{\"purpose\":\"answer\",\"times\":0,\"reply\":\"done\"}\n");
    FILE *f = open_memstream(&text, &length);
    for (int i = 0; i < TURNS; i++)
        fprintf(f, "echo it three times, turn %d\n", i);
    fclose(f);
    write_file(input, text);
    const char *const argv[] = { mistro, "chat", "--yes",        "--no-session", "-q",
                                 "-m",   model,  "--mcp-config", config,         NULL };
    const char *const kept[] = { mistro, "chat",         "--yes", "-q", "-m",
                                 model,  "--mcp-config", config,  NULL };
    struct trial s[SIDES], k[SIDES];
    struct workload w = { { NULL, argv, NULL }, input, 5, 0 };
    struct workload wk = { { NULL, kept, NULL }, input, 5, 0 };
    measure(&w, s);
    measure(&wk, k);
    if (s[MISTRO].n_calls != 3 * TURNS || k[MISTRO].n_calls != 3 * TURNS)
        fprintf(stderr, "bench_mcp: %zu and %zu calls instead of %d\n", s[MISTRO].n_calls,
                k[MISTRO].n_calls, 3 * TURNS);
    /* The span begins with the first turn's first call: one turn's beginning is not in it. */
    limit("turn of three calls, run log only", "ms", s[MISTRO].span_ms / (TURNS - 1), 5);
    printf("%-40s %10.3f ms  (a save of the conversation alone: %.3f ms)\n",
           "  with the conversation saved", k[MISTRO].span_ms / (TURNS - 1), save_cost_ms());
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 6)
        return fputs("usage: bench_mcp MISTRO BIN_DIR WORK_DIR [NODE SDK_CLIENT]\n", stderr), 2;
    mistro = argv[1];
    bin_dir = argv[2];
    work_dir = argv[3];
    node = argc > 4 ? argv[4] : NULL;
    sdk_client = argc > 5 ? argv[5] : NULL;
    bool only_results = getenv("BENCH_ONLY_RESULTS") != NULL;
    char *one = make_config(1), *two = make_config(2), *ten = make_config(10);
    if (only_results) {
        bench_all_results(one);
        return 0;
    }
    bench_cold(one);
    bench_ten(ten);
    bench_calls(one);
    bench_parallel(one);
    bench_all_results(one);
    bench_turn(two);
    return 0;
}
