/* Results of many sizes: how fast they come through, and what a call takes of the processor. */
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1 << 20)

/* The SDKs' clients refuse messages beyond 10 MiB, and keep no log of what they do. */
enum { SDK_MAX_SIZE = 9 * MIB, ROUNDS = 5, SDK_ROUNDS = 3 };

struct figures {
    double rate, cpu_us; /* MB/s of all calls; of one call, which is what more calls take more */
};

static const char *settings_file(const char *name, const char *more)
{
    char *path = path_of("%s/%s", work_dir, name);
    char *text =
        path_of("mistral_orchestrator:\n  tools:\n    max_result_bytes: 67108864\n%s%s", more, "");
    write_file(path, text);
    return path;
}

static void take(const char *config, const char *settings, int size, int n, bool with_sdk,
                 struct figures out[SIDES])
{
    char number[16] = "1", bytes[16], line[64];
    snprintf(bytes, sizeof bytes, "%d", size);
    snprintf(line, sizeof line, "{\"size\":%d}", size);
    const char *const argv[] = { mistro, "call",     "echo0/echo", "--batch", "--mcp-config",
                                 config, "--config", settings,     NULL };
    const char *const sdk_argv[] = { node, sdk_client, "results", config, number, bytes, NULL };
    const char *const *sdk = with_sdk ? sdk_argv : NULL;
    struct trial one[SIDES], many[SIDES];
    struct workload w = {
        { NULL, argv, sdk, sdk }, repeat_line("one.jsonl", 1, line), ROUNDS, SDK_ROUNDS
    };
    measure_best(&w, one);
    w.input = repeat_line("many.jsonl", n, line);
    snprintf(number, sizeof number, "%d", n);
    measure_best(&w, many);
    for (int side = MISTRO; side < (with_sdk ? SIDES : SDK); side++)
        out[side] = (struct figures){ (double)size * n / many[side].whole_ms / 1e3,
                                      (many[side].cpu_ms - one[side].cpu_ms) / (n - 1) * 1e3 };
}

static void print_beside(const char *who, struct figures own, struct figures other, double least)
{
    double speed = own.rate / other.rate, thrift = other.cpu_us / own.cpu_us;
    printf("  %-12s %9.1f MB/s %9.1f us  %6.1f times its MB/s, target %4.1f  %-7s CPU 1/%-5.1f "
           "target 1/8  %s\n",
           who, other.rate, other.cpu_us, speed, least, speed >= least ? "ok" : "MISSED", thrift,
           thrift >= 8 ? "ok" : "MISSED");
}

/* least: times the MB/s of the SDKs, or MB/s where they fail. */
static void bench_size(const char *config, int size, int n, double least)
{
    bool has_sdk = node && size <= SDK_MAX_SIZE;
    struct figures logged[SIDES], bare[SIDES];
    take(config, settings_file("results.yaml", ""), size, n, has_sdk, logged);
    take(config, settings_file("bare.yaml", "  runs:\n    enabled: false\n"), size, n, false, bare);
    printf(
        "results of %-9d %9.1f MB/s %9.1f us CPU per call; without run log %.1f MB/s %.1f us%s\n",
        size, logged[MISTRO].rate, logged[MISTRO].cpu_us, bare[MISTRO].rate, bare[MISTRO].cpu_us,
        has_sdk || logged[MISTRO].rate >= least ? "" : "  MISSED");
    for (int side = SDK; has_sdk && side <= SDK_2; side++) {
        print_beside(side_names[side], logged[MISTRO], logged[side], least);
        print_beside("  no log", bare[MISTRO], logged[side], least);
    }
}

void bench_all_results(const char *config)
{
    static const struct {
        int size, n;
        double least;
    } rows[] = { { 1 << 10, 2000, 3 },
                 { 64 << 10, 500, 3 },
                 { MIB, 60, 2.5 },
                 { 8 * MIB, 12, 10 },
                 { 16 * MIB, 12, 250 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_size(config, rows[i].size, rows[i].n, rows[i].least);
}

/* One call of one process whose answer is ready: from the call's arrival at the server until the
 * client has printed the answer and lets the server go. */
static struct trial pass_one(int size, const char *settings)
{
    char *config = path_of("%s/%s", work_dir, "payload.json"), *text, *arguments;
    if (asprintf(&text,
                 "{\"mcpServers\":{\"echo0\":{\"command\":\"%s/echo_server\",\"args\":"
                 "[\"--trace-dir\",\"%s\",\"--payload\",\"%d\"]}}}",
                 bin_dir, work_dir, size) < 0 ||
        asprintf(&arguments, "{\"size\":%d}", size) < 0)
        die("memory");
    write_file(config, text);
    const char *const argv[] = { mistro,         "call", "echo0/echo", arguments, "--json",
                                 "--mcp-config", config, "--config",   settings,  NULL };
    struct trial s[SIDES];
    struct workload w = { { NULL, argv, NULL, NULL }, NULL, 11, 0 };
    measure_best(&w, s);
    return s[MISTRO];
}

void bench_pass_through(void)
{
    enum { SMALL = 8 * MIB, LARGE = 40 * MIB };
    const char *settings = settings_file("results.yaml", "");
    struct trial small = pass_one(SMALL, settings), large = pass_one(LARGE, settings);
    at_least("call --json, more of one result", "MB/s",
             (LARGE - SMALL) / (large.whole_ms - small.whole_ms) / 1e3, 300);
    printf("  of its CPU time alone: %.0f MB/s\n",
           (LARGE - SMALL) / (large.cpu_ms - small.cpu_ms) / 1e3);
}
