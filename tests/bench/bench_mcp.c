/* bench_mcp: mistro beside the least a C client can do and beside the npm SDK, in one run.
 *
 *   bench_mcp MISTRO BIN_DIR WORK_DIR [NODE SDK_CLIENT]
 *
 * BIN_DIR holds echo_server and floor. Every figure is a ratio of medians; trials of all sides
 * alternate, so that a slow minute of the machine hits all of them. Times between requests are
 * read from the server's own trace. CPU time is a client's own: the server's is subtracted.
 * Without NODE the rows of the SDK are left out.
 */
#include "harness.h"
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

enum { CALLS = 2000, PARALLEL = 16, DELAY_MS = 50, TURNS = 40 };
static void bench_cold(const char *config)
{
    char *floor = path_of("%s/floor%s", bin_dir, "");
    const char *const floor_argv[] = { floor, "cold", config, NULL };
    const char *const mistro_argv[] = { mistro, "tools", "--mcp-config", config, NULL };
    const char *const sdk_argv[] = { node, sdk_client, "cold", config, NULL };
    struct trial s[SIDES];
    struct workload w = { { floor_argv, mistro_argv, node ? sdk_argv : NULL }, NULL, 41, 9 };
    measure(&w, s);
    row("cold tools, wall", "ms", s[MISTRO].wall_ms, s[FLOOR].wall_ms, side_names[FLOOR], 2.2);
    row("cold tools, CPU", "ms", s[MISTRO].cpu_ms, s[FLOOR].cpu_ms, side_names[FLOOR], 2.5);
    if (node)
        row("cold tools, CPU", "ms", s[MISTRO].cpu_ms, s[SDK].cpu_ms, side_names[SDK], 1.0 / 50);
    limit("peak resident, one server", "MB", s[MISTRO].rss_kb / 1024, 5);
}

static void bench_one_call(const char *config)
{
    char *floor = path_of("%s/floor%s", bin_dir, "");
    const char *const floor_argv[] = { floor, "calls", config, "1", NULL };
    const char *const mistro_argv[] = { mistro,         "call", "echo0/echo", "text=one",
                                        "--mcp-config", config, NULL };
    struct trial s[SIDES];
    struct workload w = { { floor_argv, mistro_argv, NULL }, NULL, 41, 0 };
    measure(&w, s);
    row("one call, wall", "ms", s[MISTRO].wall_ms, s[FLOOR].wall_ms, side_names[FLOOR], 2.7);
    row("one call, CPU", "ms", s[MISTRO].cpu_ms, s[FLOOR].cpu_ms, side_names[FLOOR], 2.5);
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
    row_at_least("2,000 calls, calls per second", "/s", CALLS / s[MISTRO].span_ms * 1e3,
                 CALLS / s[FLOOR].span_ms * 1e3, side_names[FLOOR], 0.5);
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
    char *one = make_config(1, 1);
    const char *part = getenv("BENCH_PART"); /* while one of them is worked on */
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!part || strcmp(part, "calls") == 0) {
        bench_cold(one);
        bench_one_call(one);
        bench_ten(make_config(10, 1));
        bench_calls(one);
        bench_parallel(one);
        bench_turn(make_config(2, 1));
    }
    if (!part || strcmp(part, "results") == 0)
        bench_all_results(one);
    if (!part || strcmp(part, "json") == 0)
        bench_pass_through();
    if (!part || strcmp(part, "http") == 0)
        bench_http();
    if (!part || strcmp(part, "many") == 0)
        bench_many();
    if (!part || strcmp(part, "kept") == 0)
        bench_kept();
    if (!part || strcmp(part, "ask") == 0)
        bench_ask();
    if (!part || strcmp(part, "plans") == 0)
        bench_plans();
    return 0;
}
