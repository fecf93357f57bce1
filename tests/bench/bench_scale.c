/* Many servers, many tools, a server behind a URL, and a request without a model. */
#include "harness.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HTTP_CALLS = 1000, TOOLS = 1000, SERVERS = 50, FEW_SERVERS = 5, FEW_TOOLS = 10 };

/* A server that runs until its input is closed. */
struct http_echo {
    pid_t pid;
    int input;
    char url[64];
};

static struct http_echo start_http_echo(void)
{
    struct http_echo echo = { 0 };
    char *path = path_of("%s/http_echo%s", bin_dir, "");
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        die("pipe");
    echo.pid = fork();
    if (echo.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    echo.input = in[1];
    ssize_t n = read(out[0], echo.url, sizeof echo.url - 1);
    if (n <= 0)
        die("http_echo");
    echo.url[strcspn(echo.url, "\n")] = '\0';
    close(out[0]);
    return echo;
}

static void stop_http_echo(struct http_echo *echo)
{
    close(echo->input);
    waitpid(echo->pid, NULL, 0);
}

/* A call to a server of npm that a keeper has running, beside one to the built-in server. */
void bench_kept(void)
{
    if (!node)
        return;
    char *folder = strndup(sdk_client, (size_t)(strrchr(sdk_client, '/') - sdk_client));
    char *server = path_of("%s/node_modules/@modelcontextprotocol/server-everything/dist/%s",
                           folder, "index.js");
    char *config = path_of("%s/%s", work_dir, "kept.json");
    char *keep = path_of("%s servers keep -q --mcp-config %s 2>/dev/null", mistro, config);
    write_file(config, path_of("{\"mcpServers\":{\"everything\":{\"command\":\"%s\","
                               "\"args\":[\"%s\"]}}}",
                               node, server));
    const char *const kept_argv[] = { mistro,        "call",         "everything/echo",
                                      "message=one", "--mcp-config", config,
                                      NULL };
    const char *const own_argv[] = { mistro, "call", "files/text_stats", "text=one", NULL };
    struct trial s[SIDES];
    struct workload w = { { own_argv, kept_argv, NULL }, NULL, 21, 0 };
    if (system(keep))
        die("servers keep");
    measure(&w, s);
    limit("call to a kept npm server, more", "ms", s[MISTRO].wall_ms - s[FLOOR].wall_ms, 10);
    if (system(path_of("%s servers keep --stop -q%s 2>/dev/null", mistro, "")))
        die("servers keep --stop");
}

void bench_http(void)
{
    struct http_echo echo = start_http_echo();
    char *config = path_of("%s/%s", work_dir, "http.json"), number[16] = "1";
    write_file(config, path_of("{\"mcpServers\":{\"echo0\":{\"type\":\"http\",\"url\":\"%s\"}}}%s",
                               echo.url, ""));
    const char *const argv[] = { mistro,         "call", "echo0/echo", "--batch",
                                 "--mcp-config", config, NULL };
    const char *const sdk_argv[] = { node, sdk_client, "calls", config, number, NULL };
    const char *const *sdk = node ? sdk_argv : NULL;
    struct trial one[SIDES], many[SIDES];
    struct workload w = {
        { NULL, argv, sdk, sdk }, repeat_line("http1.jsonl", 1, "{\"text\":\"x\"}"), 5, 2
    };
    measure_best(&w, one);
    w.input = repeat_line("http.jsonl", HTTP_CALLS, "{\"text\":\"x\"}");
    snprintf(number, sizeof number, "%d", HTTP_CALLS);
    measure_best(&w, many);
    double own = (many[MISTRO].cpu_ms - one[MISTRO].cpu_ms) / (HTTP_CALLS - 1) * 1e3;
    printf("%-40s %10.3f us\n", "HTTP, CPU per call", own);
    for (int side = SDK; node && side <= SDK_2; side++)
        row("  beside", "us", own, (many[side].cpu_ms - one[side].cpu_ms) / (HTTP_CALLS - 1) * 1e3,
            side_names[side], 1.0 / 4);
    stop_http_echo(&echo);
}

static void bench_thousand_tools(void)
{
    char *config = make_config(1, TOOLS);
    const char *const argv[] = { mistro, "tools", "--json", "--mcp-config", config, NULL };
    struct trial s[SIDES];
    struct workload w = { { NULL, argv, NULL, NULL }, NULL, 15, 0 };
    measure_best(&w, s);
    limit("1,000 tools as JSON, over the server's", "ms", s[MISTRO].wall_ms - s[MISTRO].server_ms,
          15);
    printf("  of CPU time: %.1f ms\n", s[MISTRO].cpu_ms);
    limit("1,000 tools as JSON, peak resident", "MB", s[MISTRO].rss_kb / 1024, 20);
}

void bench_many(void)
{
    char *config = make_config(SERVERS, 1), *single = make_config(1, 1);
    char *floor = path_of("%s/floor%s", bin_dir, "");
    const char *const floor_argv[] = { floor, "cold", config, NULL };
    const char *const argv[] = { mistro, "tools", "--mcp-config", config, NULL };
    const char *const one_argv[] = { mistro, "tools", "--mcp-config", single, NULL };
    struct trial many[SIDES], one[SIDES];
    struct workload w = { { floor_argv, argv, NULL, NULL }, NULL, 11, 0 };
    struct workload w1 = { { NULL, one_argv, NULL, NULL }, NULL, 11, 0 };
    bench_thousand_tools();
    measure_best(&w, many);
    measure_best(&w1, one);
    row("50 servers, connected and listed", "ms", many[MISTRO].wall_ms, many[FLOOR].wall_ms,
        side_names[FLOOR], 1.5);
    limit("memory per idle server", "KiB",
          (many[MISTRO].rss_kb - one[MISTRO].rss_kb) / (SERVERS - 1), 200);
}

/* CPU time of one request, which names the server: all of them have the same tools. */
static double ask_cpu_ms(int n_tools)
{
    char *config = make_config(FEW_SERVERS, n_tools / FEW_SERVERS);
    const char *const argv[] = { mistro,
                                 "ask",
                                 "--yes",
                                 "-m",
                                 "none",
                                 "--no-session",
                                 "--mcp-config",
                                 config,
                                 "use echo0 to echo text=hello",
                                 NULL };
    struct trial s[SIDES];
    struct workload w = { { NULL, argv, NULL, NULL }, NULL, 15, 0 };
    measure_best(&w, s);
    return s[MISTRO].cpu_ms;
}

static void await_listener(const struct sockaddr_in *at)
{
    enum { PATIENCE_MS = 10000 };
    double until_ms = now_ms() + PATIENCE_MS;
    for (int refused = 1; refused;) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        refused = connect(fd, (const struct sockaddr *)at, sizeof *at);
        close(fd);
        if (refused && now_ms() > until_ms)
            die("the model does not listen");
        sched_yield();
    }
}

/* A model server that answers at once, on a port that was free a moment ago. */
static pid_t start_model(char *out_url, size_t size)
{
    static const char plan[] =
        "needs_clarification={\"reason\":\"it echoes\",\"primary_goal\":\"echo\",\"tools_needed\":"
        "[\"echo0__echo\"],\"parameters\":{},\"unclear_aspects\":[],\"needs_clarification\":false,"
        "\"confidence\":0.9,\"steps\":["
        "{\"id\":\"s1\",\"tool\":\"echo0__echo\",\"args\":{\"text\":\"one\"}},"
        "{\"id\":\"s2\",\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{s1} two\"}},"
        "{\"id\":\"s3\",\"tool\":\"echo0__echo\",\"args\":{\"text\":\"{s2} three\"}}]}";
    char *path = path_of("%s/peer_model%s", bin_dir, ""),
         *asked = path_of("%s/%s", work_dir, "asked");
    char port[16];
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, length) ||
        getsockname(fd, (struct sockaddr *)&at, &length))
        die("port");
    close(fd);
    snprintf(port, sizeof port, "%d", ntohs(at.sin_port));
    snprintf(out_url, size, "http://127.0.0.1:%s", port);
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, "--port", port, "--asked", asked, "--says", plan, (char *)NULL);
        _exit(127);
    }
    await_listener(&at);
    return pid;
}

/* Three chained calls that a model at a URL plans. */
static void bench_model(void)
{
    char url[64];
    char *config = make_config(1, 1);
    pid_t model = start_model(url, sizeof url);
    const char *const argv[] = { mistro,
                                 "ask",
                                 "--yes",
                                 "-q",
                                 "--no-session",
                                 "-m",
                                 "small",
                                 "--base-url",
                                 url,
                                 "--mcp-config",
                                 config,
                                 "echo one, then that and two, then that and three",
                                 NULL };
    struct trial s[SIDES];
    struct workload w = { { NULL, argv, NULL }, NULL, 21, 0 };
    measure(&w, s);
    if (s[MISTRO].n_calls != 3)
        fprintf(stderr, "bench_mcp: %zu calls instead of 3\n", s[MISTRO].n_calls);
    limit("ask, three calls: first model request", "ms", s[MISTRO].asked_ms, 12);
    limit("  in all", "ms", s[MISTRO].wall_ms, 20);
    limit("  peak resident", "MB", s[MISTRO].rss_kb / 1024, 12);
    kill(model, SIGKILL);
    waitpid(model, NULL, 0);
}

void bench_ask(void)
{
    bench_model();
    double few = ask_cpu_ms(FEW_TOOLS), many = ask_cpu_ms(TOOLS);
    limit("ask without a model, 5 servers, CPU", "ms", few, 60);
    limit("  1,000 tools add", "ms", many - few, 10);
}
