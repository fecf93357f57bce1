#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
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

const char *mistro, *bin_dir, *work_dir, *node, *sdk_client;
const char *const side_names[SIDES] = { "floor", "mistro", "sdk", "sdk 2" };

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

_Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

double now_ms(void)
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

double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n ? values[n / 2] : 0;
}

char *path_of(const char *format, const char *a, const char *b)
{
    char *path = NULL;
    if (asprintf(&path, format, a, b) < 0)
        die("memory");
    return path;
}

void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f))
        die(path);
}

char *make_config(int n, int n_tools)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    fputs("{\"mcpServers\":{", f);
    for (int i = 0; i < n; i++)
        fprintf(f,
                "%s\"echo%s%d\":{\"command\":\"%s/echo_server\",\"args\":[\"--trace-dir\",\"%s\","
                "\"--tools\",\"%d\"]}",
                i ? "," : "", i ? "_" : "", i, bin_dir, work_dir, n_tools);
    fputs("}}", f);
    fclose(f);
    if (asprintf(&path, "%s/servers%d_%d.json", work_dir, n, n_tools) < 0)
        die("memory");
    write_file(path, text);
    free(text);
    return path;
}

char *repeat_line(const char *name, int n, const char *line)
{
    char *path = path_of("%s/%s", work_dir, name);
    FILE *f = fopen(path, "we");
    if (!f)
        die(path);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s\n", line);
    fclose(f);
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
                if (recs[k].kind != K_CALL) {
                    t->server_ms += recs[k].reply_ns > recs[k].arrive_ns
                                        ? (double)(recs[k].reply_ns - recs[k].arrive_ns) / 1e6
                                        : 0;
                    continue;
                }
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

/* Never, where no model was asked. */
static double first_asked_ms(void)
{
    char *path = path_of("%s/%s", work_dir, "asked");
    FILE *file = fopen(path, "re");
    double ms = INFINITY;
    if (file && fscanf(file, "%lf", &ms) != 1)
        ms = INFINITY;
    if (file)
        fclose(file);
    remove(path);
    free(path);
    return ms;
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
    t.asked_ms = first_asked_ms() - start;
    read_traces(&t, &server_cpu);
    t.cpu_ms -= server_cpu;
    return t;
}

typedef double pick_fn(double *values, size_t n);

static double least(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n ? values[0] : 0;
}

/* Of one side over its trials. */
static struct trial summary(const struct trial *trials, size_t n, pick_fn *pick)
{
    struct trial s = { 0 };
    double values[MAX_TRIALS];
#define PICK(member)                                                                               \
    for (size_t i = 0; i < n; i++)                                                                 \
        values[i] = trials[i].member;                                                              \
    s.member = pick(values, n)
    PICK(wall_ms);
    PICK(cpu_ms);
    PICK(rss_kb);
    PICK(gap_us);
    PICK(span_ms);
    PICK(whole_ms);
    PICK(server_ms);
    PICK(asked_ms);
    s.n_calls = trials[0].n_calls;
    for (size_t i = 1; i < n; i++)
        if (trials[i].n_calls < s.n_calls)
            s.n_calls = trials[i].n_calls;
#undef PICK
    return s;
}

static void run_all(const struct workload *w, struct trial out[SIDES], pick_fn *pick)
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
        out[side] = summary(trials[side], n[side], pick);
}

void measure(const struct workload *w, struct trial out[SIDES])
{
    run_all(w, out, median);
}

void measure_best(const struct workload *w, struct trial out[SIDES])
{
    run_all(w, out, least);
}

static void print_row(const char *what, const char *unit, double value, double other,
                      const char *name, double target, bool is_met)
{
    printf("%-40s %10.3f %-3s %8s %10.3f  ratio %7.3f  target %7.3f  %s\n", what, value, unit, name,
           other, other > 0 ? value / other : 0, target, is_met ? "ok" : "MISSED");
}

void row(const char *what, const char *unit, double value, double other, const char *name,
         double target)
{
    print_row(what, unit, value, other, name, target, value <= target * other);
}

void row_at_least(const char *what, const char *unit, double value, double other, const char *name,
                  double target)
{
    print_row(what, unit, value, other, name, target, value >= target * other);
}

void limit(const char *what, const char *unit, double value, double most)
{
    printf("%-40s %10.3f %-3s %38s target %7.3f  %s\n", what, value, unit, "", most,
           value <= most ? "ok" : "MISSED");
}

void at_least(const char *what, const char *unit, double value, double least_wanted)
{
    printf("%-40s %10.3f %-3s %38s target %7.3f  %s\n", what, value, unit, "", least_wanted,
           value >= least_wanted ? "ok" : "MISSED");
}
