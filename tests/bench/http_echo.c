/* http_echo: the neutral MCP server behind a URL (Streamable HTTP, protocol 2025-11-25, without
 * sessions), which does as little as possible so that what is measured is the client.
 *
 *   http_echo        listens on a free port of 127.0.0.1 and prints http://127.0.0.1:PORT/mcp
 *
 * Connections stay open. POST is answered with JSON, anything else with 405; headers are looked at
 * only for the length of the body. It ends with its standard input.
 */
#include "scan.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 64, MAX_REQUEST = 1 << 16, MAX_ANSWER = 1 << 16 };

struct connection {
    int fd;
    size_t length;
    char bytes[MAX_REQUEST + 1];
};

static struct connection connections[MAX_CONNECTIONS];
static size_t n_connections;

static int listen_somewhere(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof at;
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, MAX_CONNECTIONS) ||
        getsockname(fd, (struct sockaddr *)&at, &size))
        exit(1);
    printf("http://127.0.0.1:%d/mcp\n", ntohs(at.sin_port));
    fflush(stdout);
    return fd;
}

static void send_answer(int fd, const char *status, const char *body, size_t length)
{
    static char answer[MAX_ANSWER + 512];
    int n = snprintf(answer, sizeof answer,
                     "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                     status, length);
    memcpy(answer + n, body, length);
    for (size_t sent = 0, all = (size_t)n + length; sent < all;) {
        ssize_t w = write(fd, answer + sent, all - sent);
        if (w <= 0)
            return;
        sent += (size_t)w;
    }
}

/* {"jsonrpc":"2.0","id":ID,"result":RESULT}, or an error. */
static void answer_message(int fd, struct slice message)
{
    static const char tools[] =
        "{\"tools\":[{\"name\":\"echo\",\"description\":\"Echoes its text argument.\","
        "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}},"
        "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}]}";
    char body[MAX_ANSWER];
    struct slice id = get(message, "id"), method = get(message, "method");
    struct slice text = get(get(get(message, "params"), "arguments"), "text");
    int n;
    if (!id.n) {
        send_answer(fd, "202 Accepted", "", 0);
        return;
    }
    n = snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,", (int)id.n, id.p);
    char *at = body + n;
    size_t room = sizeof body - (size_t)n;
    if (is_str(method, "tools/call"))
        n += snprintf(at, room,
                      "\"result\":{\"content\":[{\"type\":\"text\",\"text\":%.*s}],"
                      "\"isError\":false}}",
                      (int)text.n, text.p);
    else if (is_str(method, "tools/list"))
        n += snprintf(at, room, "\"result\":%s}", tools);
    else if (is_str(method, "initialize"))
        n += snprintf(at, room,
                      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                      "{\"tools\":{}},\"serverInfo\":{\"name\":\"http_echo\",\"version\":\"1\"}}}");
    else
        n += snprintf(at, room, "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    send_answer(fd, "200 OK", body, (size_t)n);
}

/* Answers the first request that is complete; how many bytes it has, 0 when none is. */
static size_t answer_request(struct connection *c)
{
    c->bytes[c->length] = '\0';
    const char *end = strstr(c->bytes, "\r\n\r\n");
    if (!end)
        return 0;
    const char *header = strcasestr(c->bytes, "\r\ncontent-length:");
    size_t head = (size_t)(end - c->bytes) + 4;
    size_t body = header && header < end ? (size_t)atol(header + strlen("\r\ncontent-length:")) : 0;
    if (head + body > c->length)
        return 0;
    if (strncmp(c->bytes, "POST ", 5) == 0)
        answer_message(c->fd, (struct slice){ c->bytes + head, body });
    else
        send_answer(c->fd, "405 Method Not Allowed", "", 0);
    return head + body;
}

/* False: it is over. */
static int serve(struct connection *c)
{
    ssize_t n = read(c->fd, c->bytes + c->length, MAX_REQUEST - c->length);
    if (n <= 0)
        return 0;
    c->length += (size_t)n;
    for (size_t used; (used = answer_request(c));) {
        c->length -= used;
        memmove(c->bytes, c->bytes + used, c->length);
    }
    return 1;
}

static void accept_one(int listener)
{
    int fd = accept(listener, NULL, NULL), yes = 1;
    if (fd < 0 || n_connections == MAX_CONNECTIONS)
        exit(1);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections[n_connections].fd = fd;
    connections[n_connections++].length = 0;
}

int main(void)
{
    int listener = listen_somewhere();
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        struct pollfd polled[MAX_CONNECTIONS + 2] = { { .fd = 0, .events = POLLIN },
                                                      { .fd = listener, .events = POLLIN } };
        size_t n = n_connections;
        for (size_t i = 0; i < n; i++)
            polled[i + 2] = (struct pollfd){ .fd = connections[i].fd, .events = POLLIN };
        if (poll(polled, n + 2, -1) < 0 || polled[0].revents)
            return 0;
        for (size_t i = n; i-- > 0;)
            if (polled[i + 2].revents && !serve(&connections[i])) {
                close(connections[i].fd);
                connections[i] = connections[--n_connections];
            }
        if (polled[1].revents)
            accept_one(listener);
    }
}
