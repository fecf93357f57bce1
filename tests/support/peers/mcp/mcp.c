/* An MCP server that does what its arguments say, well or badly. It is a program of its own and
 * shares nothing with the client it tests but jansson.
 *
 *   peer_mcp [--http] [--modern] [--stubborn] [--record FILE]
 *            [--count FILE] [METHOD[#N]=ACTION …]
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
 *   $ERR<text>;        writes a line to stderr,  $NOTE<text>;  one to the record,
 *   $KILL;             kills the client, and goes on reading what it had sent,
 *   $REPEAT<n>;        does the rest n times,     $TIMES<n>;…$END; does … n times,
 *   $DEEP<n>;          is an array in an array, n deep,
 *   $STATUS<n>;        over HTTP: answers with this status and the rest, not with events.
 * With --count the N goes on in a peer that is started again. With --http it says its port on the
 * first line of its stdout, and what it would write there is the stream of events that each POST is
 * answered with, a line an event. What no rule mentions is answered as a small legacy (or modern)
 * server does. */
#include "mcp.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

void peer_serve(struct peer *peer, const char *line, size_t length)
{
    json_t *message = json_loadb(line, length, JSON_ALLOW_NUL, NULL);
    const char *method = json_string_value(json_object_get(message, "method"));
    if (peer->record) {
        fwrite(line, 1, length, peer->record);
        fflush(peer->record);
    }
    if (method && strcmp(method, "tools/call") == 0) {
        char *id = json_dumps(json_object_get(message, "id"), JSON_ENCODE_ANY);
        snprintf(peer->latest_call, sizeof peer->latest_call, "%s", id ? id : "null");
        free(id);
    }
    const char *action = find_action(peer, method ? method : "answer");
    if (!action && method && json_object_get(message, "id"))
        action = "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32601,\"message\":"
                 "\"Method not found\"}}\n";
    peer_perform(peer, action, message);
    peer_flush(peer);
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

/* How often each rule was asked for; in a file where it must outlive the process. */
static struct peer *create_peer(int argc, char **argv)
{
    int flags = MAP_SHARED | MAP_ANONYMOUS, fd = -1;
    for (int i = 1; i + 1 < argc && fd < 0; i++)
        if (strcmp(argv[i], "--count") == 0)
            fd = open(argv[i + 1], O_RDWR | O_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, sizeof(struct peer)) == 0)
        flags = MAP_SHARED;
    struct peer *peer = mmap(NULL, sizeof *peer, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (peer == MAP_FAILED)
        exit(71);
    peer->n_rules = 0;
    return peer;
}

static void take_arguments(struct peer *peer, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--modern") == 0)
            peer->is_modern = true;
        else if (strcmp(argv[i], "--stubborn") == 0)
            peer->is_stubborn = true;
        else if (strcmp(argv[i], "--http") == 0)
            peer->is_http = true;
        else if (strcmp(argv[i], "--record") == 0 && i + 1 < argc)
            peer->record = fopen(argv[++i], "a");
        else if (strcmp(argv[i], "--count") == 0)
            i++;
        else
            add_rule(peer, argv[i]);
    }
}

static void serve_stdio(struct peer *peer)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    setvbuf(stdout, NULL, _IOFBF, 65536);
    peer_perform(peer, find_action(peer, "start"), NULL);
    peer_flush(peer);
    while ((length = getline(&line, &room, stdin)) > 0)
        peer_serve(peer, line, (size_t)length);
    peer_perform(peer, find_action(peer, "eof"), NULL);
    peer_flush(peer);
    while (peer->is_stubborn)
        pause();
    free(line);
}

int main(int argc, char **argv)
{
    struct peer *peer = create_peer(argc, argv);
    signal(SIGCHLD, SIG_IGN);
    take_arguments(peer, argc, argv);
    if (peer->is_stubborn)
        signal(SIGTERM, SIG_IGN);
    if (peer->is_http)
        peer_serve_http(peer);
    else
        serve_stdio(peer);
    if (peer->record)
        fclose(peer->record);
    munmap(peer, sizeof *peer);
    return 0;
}
