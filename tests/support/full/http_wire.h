/* What a program that calls tools over HTTP writes and reads, without any library of ours: it is
 * as true of other servers. Header-only. */
#ifndef TESTS_SUPPORT_FULL_HTTP_WIRE_H
#define TESTS_SUPPORT_FULL_HTTP_WIRE_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HTTP_WIRE_BYTES = 8192, HTTP_WIRE_SESSION = 200 };

enum http_wire_era {
    HTTP_WIRE_MODERN,
    HTTP_WIRE_LEGACY,    /* in a session */
    HTTP_WIRE_STATELESS, /* the same without one, as servers on the SDK 1.x take it */
};

struct http_wire {
    struct sockaddr_in at;
    char authority[64];
    const char *path, *token; /* token NULL: none */
    enum http_wire_era era;
};

/* False: it is no "http://A.B.C.D:PORT/PATH". Keeps the URL's path. */
static inline bool http_wire_open(struct http_wire *wire, const char *url)
{
    char host[20];
    unsigned port = 0;
    if (sscanf(url, "http://%19[0-9.]:%u", host, &port) != 2 ||
        !(wire->path = strchr(url + 7, '/')))
        return false;
    wire->at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((in_port_t)port) };
    snprintf(wire->authority, sizeof wire->authority, "%s:%u", host, port);
    return inet_pton(AF_INET, host, &wire->at.sin_addr) == 1;
}

/* flags: SOCK_NONBLOCK or 0. Negative: no connection. */
static inline int http_wire_connect(const struct http_wire *wire, int flags)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&wire->at, sizeof wire->at)) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fd >= 0 && flags & SOCK_NONBLOCK)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* A POST with the body; session NULL: none; names: more headers. Returns its length. */
static inline size_t http_wire_post(const struct http_wire *wire, char out[static HTTP_WIRE_BYTES],
                                    const char *session, const char *names, const char *body)
{
    return (size_t)snprintf(
        out, HTTP_WIRE_BYTES,
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: %s\r\n"
        "%s%s%s%s%s%s%sContent-Length: %zu\r\n\r\n%s",
        wire->path, wire->authority, wire->era == HTTP_WIRE_MODERN ? "2026-07-28" : "2025-11-25",
        wire->token ? "Authorization: Bearer " : "", wire->token ? wire->token : "",
        wire->token ? "\r\n" : "", session ? "Mcp-Session-Id: " : "", session ? session : "",
        session ? "\r\n" : "", names, strlen(body), body);
}

/* A call of a tool with one argument, "text". */
static inline size_t http_wire_call(const struct http_wire *wire, char out[static HTTP_WIRE_BYTES],
                                    const char *session, int id, const char *tool, const char *text)
{
    static const char meta[] = ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                               "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}";
    char body[HTTP_WIRE_BYTES / 2], names[200] = "";
    bool is_modern = wire->era == HTTP_WIRE_MODERN;
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":"
             "{\"name\":\"%s\",\"arguments\":{\"text\":\"%s\"}%s}}",
             id, tool, text, is_modern ? meta : "");
    if (is_modern)
        snprintf(names, sizeof names, "Mcp-Method: tools/call\r\nMcp-Name: %s\r\n", tool);
    return http_wire_post(wire, out, session, names, body);
}

static inline size_t http_wire_initialize(const struct http_wire *wire,
                                          char out[static HTTP_WIRE_BYTES])
{
    return http_wire_post(wire, out, NULL, "",
                          "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                          "\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}}}");
}

static inline size_t http_wire_initialized(const struct http_wire *wire,
                                           char out[static HTTP_WIRE_BYTES], const char *session)
{
    return http_wire_post(wire, out, session, "",
                          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* The value of a header of an answer that ends with a NUL, up to its line's end; NULL: none. */
static inline const char *http_wire_header(const char *answer, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = strstr(answer, "\r\n"); line && strncmp(line, "\r\n\r\n", 4) != 0;
         line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, n) == 0 && line[2 + n] == ':')
            return line + 3 + n + strspn(line + 3 + n, " ");
    return NULL;
}

/* Whether an answer that ends with a NUL is there whole. */
static inline bool http_wire_is_whole(const char *answer, size_t length)
{
    const char *end = strstr(answer, "\r\n\r\n"),
               *size = http_wire_header(answer, "Content-Length");
    if (!end)
        return false;
    if (size)
        return length >= (size_t)(end + 4 - answer) + strtoul(size, NULL, 10);
    return !http_wire_header(answer, "Transfer-Encoding") ||
           strcmp(answer + length - 5, "0\r\n\r\n") == 0;
}

/* Of "HTTP/1.1 200 OK"; 0: it is none. */
static inline int http_wire_status(const char *answer)
{
    return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? atoi(answer + 9) : 0;
}

static inline bool http_wire_read_session(const char *answer, char out[static HTTP_WIRE_SESSION])
{
    const char *value = http_wire_header(answer, "Mcp-Session-Id");
    snprintf(out, HTTP_WIRE_SESSION, "%.*s", value ? (int)strcspn(value, "\r\n") : 0,
             value ? value : "");
    return *out != '\0';
}

#endif
