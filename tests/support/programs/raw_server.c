/* Answers every HTTP request with the bytes of a file, whatever they are: `raw_server FILE` prints
 * its URL, then goes on until it is ended. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_REQUEST_BYTES (256 * 1024)

static size_t body_length(const char *head)
{
    for (const char *line = head; line; line = strstr(line, "\r\n"))
        if (strncasecmp(line += 2 * (line != head), "Content-Length:", 15) == 0)
            return strtoul(line + 15, NULL, 10);
    return 0;
}

/* Up to the end of its body, so that closing the connection resets nothing. */
static void read_request(int connection)
{
    static char request[MAX_REQUEST_BYTES + 1];
    size_t length = 0;
    for (ssize_t n; length < MAX_REQUEST_BYTES &&
                    (n = read(connection, request + length, MAX_REQUEST_BYTES - length)) > 0;) {
        length += (size_t)n;
        request[length] = '\0';
        const char *end = strstr(request, "\r\n\r\n");
        if (end && length >= (size_t)(end + 4 - request) + body_length(request))
            return;
    }
}

static void answer(int connection, const char *file)
{
    char piece[4096];
    FILE *in = fopen(file, "rb");
    for (size_t n; in && (n = fread(piece, 1, sizeof piece, in)) > 0;)
        if (write(connection, piece, n) < 0)
            break;
    if (in)
        fclose(in);
}

int main(int n_arguments, char **arguments)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (n_arguments != 2 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, 16) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return 1;
    printf("http://127.0.0.1:%u/mcp\n", ntohs(address.sin_port));
    fflush(stdout);
    for (int connection; (connection = accept(listener, NULL, NULL)) >= 0; close(connection)) {
        read_request(connection);
        answer(connection, arguments[1]);
    }
    return 1;
}
