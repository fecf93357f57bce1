#include "infrastructure/mcp/oauth/callback_request.h"
#include "infrastructure/mcp/oauth/authorization.h"
#include <string.h>

bool callback_request_is_whole(const char *bytes, size_t length)
{
    return length && memmem(bytes, length, "\r\n\r\n", 4);
}

bool callback_request_query(const char *bytes, size_t length, const char **out_query,
                            size_t *out_length, enum callback_reply *out_reply)
{
    static const char get[] = "GET ", path[] = OAUTH_CALLBACK_PATH;
    const char *end = memchr(bytes, '\r', length);
    size_t line = end ? (size_t)(end - bytes) : length;
    *out_reply = CALLBACK_NO_METHOD;
    if (line < strlen(get) || memcmp(bytes, get, strlen(get)) != 0)
        return false;
    const char *target = bytes + strlen(get);
    const char *blank = memchr(target, ' ', line - strlen(get));
    size_t n = blank ? (size_t)(blank - target) : 0;
    *out_reply = CALLBACK_NOT_FOUND;
    if (memchr(bytes, '\0', line)) /* it would hide what follows */
        return false;
    if (n <= strlen(path) || memcmp(target, path, strlen(path)) != 0 || target[strlen(path)] != '?')
        return false;
    *out_query = target + strlen(path) + 1;
    *out_length = n - strlen(path) - 1;
    return true;
}

#define PAGE(status, text)                                                                         \
    "HTTP/1.1 " status "\r\n"                                                                      \
    "Content-Type: text/html; charset=utf-8\r\n"                                                   \
    "Cache-Control: no-store\r\n"                                                                  \
    "Content-Security-Policy: default-src 'none'\r\n"                                              \
    "Referrer-Policy: no-referrer\r\n"                                                             \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "Connection: close\r\n\r\n"                                                                    \
    "<!doctype html><meta charset=utf-8><title>mistro</title><p>" text "</p>\n"

const char *callback_reply_text(enum callback_reply reply)
{
    switch (reply) {
    case CALLBACK_DONE:
        return PAGE("200 OK", "mistro has its answer. You can close this window.");
    case CALLBACK_NOT_OURS:
        return PAGE("400 Bad Request", "mistro waits for another login than this one.");
    case CALLBACK_NOT_FOUND:
        return PAGE("404 Not Found", "There is nothing here.");
    case CALLBACK_NO_METHOD:
        return PAGE("405 Method Not Allowed", "There is nothing here.");
    case CALLBACK_TOO_LONG:
        break;
    }
    return PAGE("431 Request Header Fields Too Large", "There is nothing here.");
}
