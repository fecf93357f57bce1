/* An MCP server that does what its arguments say, well or badly. It is a program of its own and
 * shares nothing with the client it tests but jansson.
 *
 *   peer_mcp [--modern] [--stubborn] [--record FILE] [METHOD[#N]=ACTION …]
 *
 * A request or notification of METHOD (the N-th of its kind; "start" and "eof" are the moments of
 * these names, "answer" is an answer to a request of the peer) is answered by writing ACTION, in
 * which
 *   $ID $TOKEN $ARGS   are the request's id, progress token and arguments,
 *   $CALL              is the id of the latest tools/call,
 *   $FILL<n>;          is n times 'x',             $NUL;        a zero byte,
 *   $PAUSE<ms>;        waits,                      $EXIT<n>;    ends the peer,
 *   $SIGNAL<n>;        ends it by a signal,        $CLOSE;      closes stdout,
 *   $HOLD;             leaves a grandchild that holds the pipes for a while,
 *   $LATER<ms>;        writes the rest later and serves others meanwhile,
 *   $ERR<text>;        writes a line to stderr,
 *   $REPEAT<n>;        does the rest n times.
 * What no rule mentions is answered as a small legacy (or modern) server does. */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RULES = 64 };

struct rule {
    char method[64];
    unsigned nth, seen; /* nth 0: every time */
    const char *action;
};

struct peer {
    struct rule rules[MAX_RULES];
    size_t n_rules;
    bool is_modern, is_stubborn;
    FILE *record;
};

static json_t *latest_call; /* its id */

#define TOOLS                                                                                      \
    "{\"name\":\"echo\",\"description\":\"gives its arguments back\",\"inputSchema\":{\"type\":"   \
    "\"object\"}},{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"}}"
#define ANSWER(result) "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" result "}\n"

static const struct rule legacy_rules[] = {
    { "initialize", 0, 0,
      ANSWER("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":"
             "true}},\"serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}") },
    { "tools/list", 0, 0, ANSWER("{\"tools\":[" TOOLS "]}") },
    { "tools/call", 0, 0,
      ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],\"structuredContent\":$ARGS}") },
    { "ping", 0, 0, ANSWER("{}") },
};

static const struct rule modern_rules[] = {
    { "server/discover", 0, 0,
      ANSWER("{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
             "\"capabilities\":{\"tools\":{\"listChanged\":true}},\"_meta\":{"
             "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}}") },
    { "tools/list", 0, 0, ANSWER("{\"resultType\":\"complete\",\"tools\":[" TOOLS "]}") },
    { "tools/call", 0, 0,
      ANSWER("{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],"
             "\"structuredContent\":$ARGS}") },
    { "subscriptions/listen", 0, 0,
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
      "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$ID},\"notifications\":{"
      "\"toolsListChanged\":true}}}\n" },
};

/* Collected, so that answers of several processes do not mix on the pipe. */
static void put(const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, stdout);
}

static void put_json(const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : strdup("null");
    put(text, strlen(text));
    free(text);
}

static void pause_ms(long ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

static void fill(long n)
{
    char block[4096];
    memset(block, 'x', sizeof block);
    for (; n > 0; n -= (long)sizeof block)
        put(block, n < (long)sizeof block ? (size_t)n : sizeof block);
}

static void hold(void)
{
    if (fork() == 0) {
        pause_ms(3000);
        _exit(0);
    }
}

static void perform(const char *action, const json_t *message);

/* The command at `at` (behind its '$'); returns what comes behind it, NULL when the action is done.
 */
static const char *command(const char *at, const json_t *message)
{
    json_t *params = json_object_get(message, "params");
    size_t name = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *end = at + name;
#define IS(word) (name == sizeof word - 1 && strncmp(at, word, name) == 0)
    if (IS("ID"))
        return put_json(json_object_get(message, "id")), end;
    if (IS("CALL"))
        return put_json(latest_call), end;
    if (IS("ARGS"))
        return put_json(json_object_get(params, "arguments")), end;
    if (IS("TOKEN"))
        return put_json(json_object_get(json_object_get(params, "_meta"), "progressToken")), end;
    long n = strtol(end, NULL, 10);
    const char *rest = strchr(end, ';') + 1;
    if (IS("FILL"))
        return fill(n), rest;
    if (IS("NUL"))
        return put("", 1), rest;
    fflush(stdout);
    if (IS("PAUSE"))
        pause_ms(n);
    else if (IS("EXIT"))
        _exit((int)n);
    else if (IS("SIGNAL"))
        raise((int)n);
    else if (IS("CLOSE"))
        close(STDOUT_FILENO);
    else if (IS("HOLD"))
        hold();
    else if (IS("ERR"))
        dprintf(STDERR_FILENO, "%.*s\n", (int)(rest - 1 - end), end);
    if (IS("LATER")) {
        if (fork() != 0)
            return NULL;
        pause_ms(n);
        perform(rest, message);
        fflush(stdout);
        _exit(0);
    }
    if (!IS("REPEAT"))
        return rest;
    for (long i = 0; i < n; i++)
        perform(rest, message);
    return NULL;
}

static void perform(const char *action, const json_t *message)
{
    while (action && *action) {
        size_t plain = strcspn(action, "$");
        put(action, plain);
        action += plain;
        if (*action)
            action = command(action + 1, message);
    }
}

static const char *find_action(struct peer *peer, const char *method)
{
    const char *action = NULL;
    for (size_t i = 0; i < peer->n_rules; i++) {
        struct rule *rule = &peer->rules[i];
        if (strcmp(rule->method, method) != 0)
            continue;
        rule->seen++;
        if (!action && (!rule->nth || rule->nth == rule->seen))
            action = rule->action;
    }
    const struct rule *rules = peer->is_modern ? modern_rules : legacy_rules;
    size_t n = peer->is_modern ? sizeof modern_rules : sizeof legacy_rules;
    for (size_t i = 0; !action && i < n / sizeof *rules; i++)
        if (strcmp(rules[i].method, method) == 0)
            action = rules[i].action;
    return action;
}

static void serve(struct peer *peer, const char *line, size_t length)
{
    json_t *message = json_loadb(line, length, JSON_ALLOW_NUL, NULL);
    const char *method = json_string_value(json_object_get(message, "method"));
    if (peer->record) {
        fwrite(line, 1, length, peer->record);
        fflush(peer->record);
    }
    if (method && strcmp(method, "tools/call") == 0) {
        json_decref(latest_call);
        latest_call = json_incref(json_object_get(message, "id"));
    }
    const char *action = find_action(peer, method ? method : "answer");
    if (!action && method && json_object_get(message, "id"))
        action = "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32601,\"message\":"
                 "\"Method not found\"}}\n";
    perform(action, message);
    fflush(stdout);
    json_decref(message);
}

static void add_rule(struct peer *peer, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || peer->n_rules == MAX_RULES)
        exit(64);
    struct rule *rule = &peer->rules[peer->n_rules++];
    snprintf(rule->method, sizeof rule->method, "%.*s", (int)(equals - argument), argument);
    char *nth = strchr(rule->method, '#');
    if (nth) {
        *nth = '\0';
        rule->nth = (unsigned)strtoul(nth + 1, NULL, 10);
    }
    rule->action = equals + 1;
}

int main(int argc, char **argv)
{
    struct peer peer = { 0 };
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    signal(SIGCHLD, SIG_IGN);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--modern") == 0)
            peer.is_modern = true;
        else if (strcmp(argv[i], "--stubborn") == 0)
            peer.is_stubborn = true;
        else if (strcmp(argv[i], "--record") == 0 && i + 1 < argc)
            peer.record = fopen(argv[++i], "a");
        else
            add_rule(&peer, argv[i]);
    }
    if (peer.is_stubborn)
        signal(SIGTERM, SIG_IGN);
    setvbuf(stdout, NULL, _IOFBF, 65536);
    perform(find_action(&peer, "start"), NULL);
    fflush(stdout);
    while ((length = getline(&line, &room, stdin)) > 0)
        serve(&peer, line, (size_t)length);
    perform(find_action(&peer, "eof"), NULL);
    while (peer.is_stubborn)
        pause();
    free(line);
    json_decref(latest_call);
    return 0;
}
