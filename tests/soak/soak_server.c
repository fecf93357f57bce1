/* One of the servers of the soak (soak.c): cheap, over stdio or over HTTP, in either era. A call
 * says what is to become of it, and is noted in the ledger when it is received.
 *
 *   soak_server LEDGER [modern] [http]
 *
 * Over HTTP the one that was started only holds the port, which it says on its first line, and
 * starts another when the one that serves dies. */
#include "ledger.h"
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_PEERS = 128, LATER_MS = 5, MAX_LATER = 256 };

/* Who is talked to: stdin and stdout, or a connection. */
struct peer {
    int in, out; /* in < 0: nobody */
    char *text;
    size_t length, room;
    unsigned generation; /* of this place */
};

/* An answer that is not sent yet. */
struct later {
    int64_t due_ms;
    size_t peer;
    unsigned generation;
    char *message;
};

static struct {
    struct ledger ledger;
    bool is_modern, is_http;
    struct peer peers[MAX_PEERS];
    struct later later[MAX_LATER];
    size_t n_later;
    char session[32];
} server;

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void leave(struct peer *peer)
{
    if (!server.is_http)
        _exit(0);
    close(peer->in);
    peer->in = -1;
    peer->length = 0;
    peer->generation++;
}

static void write_all(struct peer *peer, const char *text, size_t length)
{
    while (length && peer->in >= 0) {
        ssize_t n = write(peer->out, text, length);
        if (n < 0 && errno != EINTR) {
            leave(peer);
            return;
        }
        text += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

static void send_http(struct peer *peer, const char *status, const char *type, const char *body)
{
    char head[256];
    char *text = NULL;
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %s\r\nContent-Type: %s\r\nMcp-Session-Id: %s\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     status, type, server.session, strlen(body));
    if (n < 0 || (n = asprintf(&text, "%s%s", head, body)) < 0)
        exit(71);
    write_all(peer, text, (size_t)n);
    free(text);
}

/* message: lines, the answer last. */
static void send_message(struct peer *peer, const char *message)
{
    if (server.is_http)
        send_http(peer, "200 OK", "application/json", message);
    else
        write_all(peer, message, strlen(message));
}

static void send_later(struct peer *peer, char *message)
{
    if (server.n_later == MAX_LATER) {
        send_message(peer, message);
        free(message);
        return;
    }
    server.later[server.n_later++] =
        (struct later){ now_ms() + LATER_MS, (size_t)(peer - server.peers), peer->generation,
                        message };
}

static void send_what_is_due(void)
{
    size_t n = 0;
    int64_t now = now_ms();
    while (n < server.n_later && server.later[n].due_ms <= now) {
        struct later *later = &server.later[n++];
        struct peer *peer = &server.peers[later->peer];
        if (peer->in >= 0 && peer->generation == later->generation)
            send_message(peer, later->message);
        free(later->message);
    }
    server.n_later -= n;
    memmove(server.later, server.later + n, server.n_later * sizeof *server.later);
}

/* A line with this result; malloc'd. */
static char *answer_line(const json_t *id, const char *result)
{
    char *line = NULL, *printed = json_dumps(id, JSON_ENCODE_ANY);
    if (!printed ||
        asprintf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", printed, result) < 0)
        exit(71);
    free(printed);
    return line;
}

static void answer(struct peer *peer, const json_t *id, const char *result)
{
    char *line = answer_line(id, result);
    send_message(peer, line);
    free(line);
}

static void refuse(struct peer *peer, const json_t *id)
{
    char *line = NULL, *printed = json_dumps(id, JSON_ENCODE_ANY);
    if (!printed || asprintf(&line,
                             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,"
                             "\"message\":\"no such method\"}}\n",
                             printed) < 0)
        exit(71);
    send_message(peer, line);
    free(printed);
    free(line);
}

/* What disturbs only over stdio: a line that nobody asked for before the answer. */
static void disturb(struct peer *peer, const json_t *id, const char *how)
{
    if (server.is_http)
        return;
    if (strcmp(how, "twice") == 0)
        answer(peer, id, "{\"content\":[{\"type\":\"text\",\"text\":\"-1\"}]}");
    else if (strcmp(how, "unknown") == 0)
        send_message(peer, "{\"jsonrpc\":\"2.0\",\"id\":99999999,\"result\":{}}\n");
    else if (strcmp(how, "notify") == 0)
        send_message(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n");
}

static void take_call(struct peer *peer, const json_t *message)
{
    char result[200];
    const json_t *id = json_object_get(message, "id");
    const json_t *arguments = json_object_get(json_object_get(message, "params"), "arguments");
    long long call = json_integer_value(json_object_get(arguments, "n"));
    const char *how = json_string_value(json_object_get(arguments, "how"));
    how = how ? how : "";
    ledger_note(server.ledger.received, server.ledger.n, (size_t)call);
    if (strcmp(how, "die") == 0)
        raise(SIGKILL);
    if (strcmp(how, "silent") == 0)
        return;
    if (strcmp(how, "close") == 0) {
        leave(peer);
        return;
    }
    snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%lld\"}]}", call);
    if (strcmp(how, "later") == 0)
        return send_later(peer, answer_line(id, result));
    answer(peer, id, result);
    disturb(peer, id, how);
}

static void take_message(struct peer *peer, const char *text, size_t length)
{
    json_t *message = json_loadb(text, length, 0, NULL);
    const json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    if (!id || !method)
        server.is_http ? send_http(peer, "202 Accepted", "text/plain", "") : (void)0;
    else if (strcmp(method, "tools/call") == 0)
        take_call(peer, message);
    else if (strcmp(method, "tools/list") == 0)
        answer(peer, id, "{\"tools\":[{\"name\":\"work\",\"inputSchema\":{\"type\":\"object\"}}]}");
    else if (strcmp(method, "server/discover") == 0 && server.is_modern)
        answer(peer, id,
               "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}");
    else if (strcmp(method, "initialize") == 0 && !server.is_modern)
        answer(peer, id, "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}}}");
    else
        refuse(peer, id);
    json_decref(message);
}

static size_t take_line(struct peer *peer)
{
    const char *end = memchr(peer->text, '\n', peer->length);
    if (!end)
        return 0;
    take_message(peer, peer->text, (size_t)(end - peer->text));
    return (size_t)(end - peer->text) + 1;
}

static bool is_of_this_session(const char *request)
{
    const char *session = strcasestr(request, "\r\nMcp-Session-Id: ");
    return !session || strncmp(session + 18, server.session, strlen(server.session)) == 0;
}

static size_t take_request(struct peer *peer)
{
    const char *end = strstr(peer->text, "\r\n\r\n");
    const char *size = end ? strcasestr(peer->text, "\r\nContent-Length: ") : NULL;
    size_t head = end ? (size_t)(end - peer->text) + 4 : 0;
    size_t body = size && size < end ? strtoul(size + 18, NULL, 10) : 0;
    if (!end || peer->length < head + body)
        return 0;
    if (strncmp(peer->text, "DELETE", 6) == 0)
        send_http(peer, "200 OK", "text/plain", "");
    else if (strncmp(peer->text, "POST", 4) != 0)
        send_http(peer, "405 No stream", "text/plain", "");
    else if (!is_of_this_session(peer->text))
        send_http(peer, "404 Not Found", "text/plain", "no such session");
    else
        take_message(peer, peer->text + head, body);
    return head + body;
}

static void take_bytes(struct peer *peer)
{
    if (peer->room < peer->length + 4096 &&
        !(peer->text = realloc(peer->text, (peer->room = 2 * peer->room + 8192))))
        exit(71);
    ssize_t n = read(peer->in, peer->text + peer->length, peer->room - peer->length - 1);
    if (n <= 0) {
        leave(peer);
        return;
    }
    peer->length += (size_t)n;
    peer->text[peer->length] = '\0';
    for (size_t taken = 1; taken && peer->in >= 0 && peer->length;) {
        taken = server.is_http ? take_request(peer) : take_line(peer);
        if (peer->in < 0)
            break;
        peer->length -= taken;
        memmove(peer->text, peer->text + taken, peer->length + 1);
    }
}

static void welcome(int listener)
{
    int yes = 1, fd = accept(listener, NULL, NULL);
    size_t i = 0;
    while (i < MAX_PEERS && server.peers[i].in >= 0)
        i++;
    if (fd < 0 || i == MAX_PEERS) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    server.peers[i].in = server.peers[i].out = fd;
}

/* listener < 0: there is only the one peer. */
static void serve(int listener)
{
    snprintf(server.session, sizeof server.session, "s%d", (int)getpid());
    for (;;) {
        struct pollfd wanted[MAX_PEERS + 1];
        for (size_t i = 0; i < MAX_PEERS; i++)
            wanted[i] = (struct pollfd){ server.peers[i].in, POLLIN, 0 };
        wanted[MAX_PEERS] = (struct pollfd){ listener, POLLIN, 0 };
        poll(wanted, MAX_PEERS + 1, server.n_later ? 1 : -1);
        send_what_is_due();
        for (size_t i = 0; i < MAX_PEERS; i++)
            if (wanted[i].revents && wanted[i].fd == server.peers[i].in)
                take_bytes(&server.peers[i]);
        if (wanted[MAX_PEERS].revents)
            welcome(listener);
    }
}

static int listen_somewhere(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) ||
        listen(listener, 64) || getsockname(listener, (struct sockaddr *)&address, &size))
        exit(71);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void keep_serving(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int listener = listen_somewhere();
    for (;;) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(listener);
        }
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || !ledger_open(&server.ledger, argv[1]))
        return 64;
    for (int i = 2; i < argc; i++) {
        server.is_modern |= strcmp(argv[i], "modern") == 0;
        server.is_http |= strcmp(argv[i], "http") == 0;
    }
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < MAX_PEERS; i++)
        server.peers[i].in = -1;
    if (server.is_http)
        keep_serving();
    server.peers[0].in = STDIN_FILENO;
    server.peers[0].out = STDOUT_FILENO;
    serve(-1);
}
