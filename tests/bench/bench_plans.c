/* Plans: loops over a server that answers at once, with a tool that may be repeated, and the check
 * of a long plan. Startup is measured by itself, with a plan of one element or one step, and
 * subtracted where a figure is of one of them. */
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 1000, MANY = 100000, STEPS = 200, CHECKED_TOOLS = 50 };

static char *make_settings(void)
{
    char *path = path_of("%s/%s", work_dir, "plans.yml");
    write_file(path, "mistral_orchestrator:\n"
                     "  limits: {run_calls: 1000000}\n"
                     "  policy:\n"
                     "    - {server: echo0, effect: allow, repeat: true}\n");
    return path;
}

/* A loop over n numbers, eight at once. */
static char *make_loop(int n)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    fputs("{\"version\":2,\"steps\":[{\"id\":\"all\",\"each\":[0", f);
    for (int i = 1; i < n; i++)
        fprintf(f, ",%d", i);
    fprintf(f,
            "],\"limit\":%d,\"max_parallel\":8,\"tool\":\"echo0/echo\","
            "\"args\":{\"text\":\"message {item}\"}}],\"outputs\":{\"n\":\"{all.count}\"}}",
            n);
    fclose(f);
    if (asprintf(&path, "%s/loop%d.json", work_dir, n) < 0)
        die("memory");
    write_file(path, text);
    free(text);
    return path;
}

/* n steps, each of which takes what the one before gave. */
static char *make_chain(int n)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    fputs("{\"version\":2,\"steps\":[{\"id\":\"s0\",\"tool\":\"echo0/echo\",\"args\":{}}", f);
    for (int i = 1; i < n; i++)
        fprintf(f,
                ",{\"id\":\"s%d\",\"tool\":\"echo0/echo\",\"args\":{\"text\":\"{s%d.text}, %d\"}}",
                i, i - 1, i);
    fputs("]}", f);
    fclose(f);
    if (asprintf(&path, "%s/chain%d.json", work_dir, n) < 0)
        die("memory");
    write_file(path, text);
    free(text);
    return path;
}

static struct trial run_loop(const char *config, const char *settings, int n, size_t n_trials)
{
    char *plan = make_loop(n);
    const char *const argv[] = { mistro, "run",      plan,     "--yes", "--mcp-config",
                                 config, "--config", settings, NULL };
    struct workload w = { { NULL, argv, NULL }, NULL, n_trials, 0 };
    struct trial s[SIDES];
    measure_best(&w, s);
    return s[MISTRO];
}

static double check_chain(const char *config, int n)
{
    char *plan = make_chain(n);
    const char *const argv[] = { mistro, "plans", "check", plan, "--mcp-config", config, NULL };
    struct workload w = { { NULL, argv, NULL }, NULL, 15, 0 };
    struct trial s[SIDES];
    measure_best(&w, s);
    return s[MISTRO].wall_ms;
}

void bench_plans(void)
{
    char *config = make_config(1, 1), *settings = make_settings();
    struct trial one = run_loop(config, settings, 1, 15);
    struct trial few = run_loop(config, settings, FEW, 5);
    struct trial many = run_loop(config, settings, MANY, 5);
    if (few.n_calls != FEW)
        fprintf(stderr, "bench_plans: %zu calls instead of %d\n", few.n_calls, FEW);
    double of_few = (few.cpu_ms - one.cpu_ms) * 1e3 / FEW;
    double of_many = (many.cpu_ms - one.cpu_ms) * 1e3 / MANY;
    limit("plan, loop of 1,000 calls, wall", "ms", few.wall_ms, 600);
    limit("plan, loop of 1,000 calls, peak resident", "MB", few.rss_kb / 1024, 20);
    row("plan, CPU of an element of 100,000", "us", of_many, of_few, "of 1,000", 1.2);
    limit("plan, memory of an element of 100,000", "B", (many.rss_kb - few.rss_kb) * 1024 / MANY,
          1024);
    config = make_config(1, CHECKED_TOOLS);
    limit("check of a plan of 200 steps, 50 tools", "ms",
          check_chain(config, STEPS) - check_chain(config, 1), 20);
}
