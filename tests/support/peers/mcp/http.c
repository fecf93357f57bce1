#include "mcp.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Each connection is answered by a process of its own, with one answer: simple, and one that hangs
 * keeps none of the others waiting. */
static struct {
    int socket;
    FILE *out;
    long status; /* 0: events */
    bool has_head, is_inside_line;
} answer;

void http_set_status(long status)
{
    answer.status = status;
}

static void put_head(void)
{
    if (!answer.has_head)
        fprintf(answer.out, "HTTP/1.1 %ld Peer\r\nContent-Type: %s\r\nConnection: close\r\n\r\n",
                answer.status ? answer.status : 200,
                answer.status ? "application/json" : "text/event-stream");
    answer.has_head = true;
}

static void put_event_text(const char *bytes, size_t length)
{
    while (length) {
        const char *newline = memchr(bytes, '\n', length);
        size_t n = newline ? (size_t)(newline - bytes) + 1 : length;
        if (!answer.is_inside_line)
            fputs("data: ", answer.out);
        fwrite(bytes, 1, n, answer.out);
        if (newline)
            fputc('\n', answer.out);
        answer.is_inside_line = !newline;
        bytes += n;
        length -= n;
    }
}

void http_put(const char *bytes, size_t length)
{
    if (!length)
        return;
    put_head();
    if (answer.status)
        fwrite(bytes, 1, length, answer.out);
    else
        put_event_text(bytes, length);
}

void http_flush(void)
{
    fflush(answer.out);
}

void http_close(void)
{
    http_flush();
    shutdown(answer.socket, SHUT_RDWR);
}

/* A whole request, in memory that lasts as long as the process; NULL: the client went away. */
static char *read_request(size_t *out_head, size_t *out_length)
{
    size_t length = 0, room = 4096, wanted = 0;
    char *text = malloc(room + 1);
    for (;;) {
        ssize_t n = text ? read(answer.socket, text + length, room - length) : 0;
        if (n <= 0)
            return NULL;
        length += (size_t)n;
        text[length] = '\0';
        char *end = wanted ? NULL : strstr(text, "\r\n\r\n");
        if (end) {
            const char *body = strcasestr(text, "\r\nContent-Length:");
            *out_head = (size_t)(end - text) + 4;
            wanted = *out_head + (body ? strtoul(body + 17, NULL, 10) : 0);
        }
        if (wanted && length >= wanted)
            break;
        if (length == room)
            text = realloc(text, (room *= 2) + 1);
    }
    *out_length = length;
    return text;
}

static void put_status(const char *status)
{
    fprintf(answer.out, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    http_flush();
}

/* As on a pipe, silence follows what an action wrote, not the end. */
static void await_hang_up(void)
{
    char byte;
    while (read(answer.socket, &byte, 1) > 0)
        continue;
}

static void answer_one(struct peer *peer)
{
    size_t head = 0, length = 0;
    const char *request = read_request(&head, &length);
    if (!request)
        return;
    if (strncmp(request, "POST ", 5) != 0) {
        put_status(strncmp(request, "DELETE ", 7) == 0 ? "200 Gone" : "405 No stream");
        return;
    }
    json_t *message = json_loadb(request + head, length - head, 0, NULL);
    bool wants_answer = json_object_get(message, "id") && json_object_get(message, "method");
    json_decref(message);
    peer_serve(peer, request + head, length - head);
    if (!wants_answer && !answer.has_head)
        put_status("202 Accepted");
    else if (!answer.status)
        await_hang_up();
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

void peer_serve_http(struct peer *peer)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    peer->server = getpid();
    int listener = listen_somewhere();
    for (;;) {
        int socket = accept(listener, NULL, NULL), yes = 1;
        if (socket < 0 || fork() != 0) {
            close(socket);
            continue;
        }
        close(listener);
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        answer.socket = socket;
        answer.out = fdopen(socket, "w");
        answer_one(peer);
        _exit(0);
    }
}
