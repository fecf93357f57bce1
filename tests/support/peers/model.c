/* A small model server, as mistro starts one: /health, /v1/models and streamed chat completions on
 * a port or a unix socket, one connection at a time. Words of the command say how it misbehaves:
 *
 *   --port N | --socket PATH   where it listens
 *   --host ADDRESS             ignored
 *   --heads FILE               the head of each request is added to it
 *   --asked FILE               when a chat request came, in ms of the monotonic clock, a line each
 *   --starts FILE              a line with its process id is added at each start
 *   --loads MS                 503 for so long; -1: for ever
 *   --dies N                   its first N starts end at a chat request, in the middle of the
 * answer
 *   --taken N                  its Nth start finds its port taken (by a child of its own)
 *   --broken                   it cannot open its model and exits
 *   --deaf                     ignores SIGTERM
 *   --loud                     writes a megabyte to both streams before anything else
 *   --bare                     has no /health
 *   --says WORD=TEXT           its answer, instead of "pong", to a request that has the word; may
 * be given again, and the first that fits counts
 *   --waits MS                 before the first piece of an answer
 *   --pieces MS                before each further one; a piece is eight bytes */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ANSWERS = 8, PIECE_BYTES = 8 };

static struct {
    int port, loads_ms, dies, taken, starts, waits_ms, pieces_ms;
    const char *socket, *starts_file, *heads_file, *asked_file, *says[MAX_ANSWERS];
    size_t n_says;
    bool broken, deaf, loud, bare;
} is;

static void read_words(int n, char **words)
{
    for (int i = 1; i < n; i++) {
        const char *value = i + 1 < n ? words[i + 1] : "";
        if (strcmp(words[i], "--port") == 0)
            is.port = atoi(value);
        else if (strcmp(words[i], "--socket") == 0)
            is.socket = value;
        else if (strcmp(words[i], "--starts") == 0)
            is.starts_file = value;
        else if (strcmp(words[i], "--asked") == 0)
            is.asked_file = value;
        else if (strcmp(words[i], "--heads") == 0)
            is.heads_file = value;
        else if (strcmp(words[i], "--loads") == 0)
            is.loads_ms = atoi(value);
        else if (strcmp(words[i], "--dies") == 0)
            is.dies = atoi(value);
        else if (strcmp(words[i], "--taken") == 0)
            is.taken = atoi(value);
        else if (strcmp(words[i], "--waits") == 0)
            is.waits_ms = atoi(value);
        else if (strcmp(words[i], "--pieces") == 0)
            is.pieces_ms = atoi(value);
        else if (strcmp(words[i], "--says") == 0 && is.n_says < MAX_ANSWERS)
            is.says[is.n_says++] = value;
        is.broken |= strcmp(words[i], "--broken") == 0;
        is.deaf |= strcmp(words[i], "--deaf") == 0;
        is.loud |= strcmp(words[i], "--loud") == 0;
        is.bare |= strcmp(words[i], "--bare") == 0;
    }
}

static void count_start(void)
{
    FILE *file = is.starts_file ? fopen(is.starts_file, "a+") : NULL;
    if (!file)
        return;
    fprintf(file, "%d\n", (int)getpid());
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        is.starts += c == '\n';
    fclose(file);
}

static void be_loud(void)
{
    for (int i = 0; i < 16384; i++) {
        fprintf(stderr, "llama_model_loader: a line that nobody reads, %8d of many\n", i);
        printf("llama_model_loader: a line that nobody reads, %8d of many\n", i);
    }
    fflush(stdout);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int listen_on_port(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)is.port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    bool fine = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    return fine && listen(fd, 16) == 0 ? fd : -1;
}

static int listen_on_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", is.socket);
    bool fine = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    return fine && listen(fd, 16) == 0 ? fd : -1;
}

static void send_text(int fd, const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

static void answer(int fd, const char *status, const char *body)
{
    char head[256];
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n",
             status, strlen(body));
    send_text(fd, head);
    send_text(fd, body);
}

static void pass(int ms)
{
    const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
    nanosleep(&time, NULL);
}

/* The text in pieces, each as one event of the stream. */
static void say(int fd, const char *text)
{
    pass(is.waits_ms);
    while (*text) {
        char data[128];
        int at = snprintf(data, sizeof data, "data: {\"choices\":[{\"delta\":{\"content\":\"");
        for (int i = 0; i < PIECE_BYTES && *text; i++, text++)
            at += snprintf(data + at, sizeof data - (size_t)at,
                           *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        snprintf(data + at, sizeof data - (size_t)at, "\"}}]}\n\n");
        send_text(fd, data);
        if (*text)
            pass(is.pieces_ms);
    }
}

static const char *answer_to(const char *request)
{
    for (size_t i = 0; i < is.n_says; i++) {
        char word[64];
        const char *equals = strchr(is.says[i], '=');
        if (!equals)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)(equals - is.says[i]), is.says[i]);
        if (strstr(request, word))
            return equals + 1;
    }
    return "pong";
}

static void answer_chat(int fd, const char *request)
{
    send_text(fd,
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    if (is.dies && is.starts <= is.dies) {
        fprintf(stderr, "noise\nRuntimeError: out of cheese\n");
        exit(9);
    }
    say(fd, answer_to(request));
    send_text(fd, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],"
                  "\"usage\":{\"prompt_tokens\":4000,\"completion_tokens\":2,"
                  "\"prompt_tokens_details\":{\"cached_tokens\":3000}}}\n\n"
                  "data: [DONE]\n\n");
}

/* Head and body; false when the other side left. */
static bool read_request(int fd, char *request, size_t size)
{
    size_t length = 0, whole = size;
    while (length < whole && length + 1 < size) {
        ssize_t n = read(fd, request + length, size - 1 - length);
        if (n <= 0)
            return false;
        length += (size_t)n;
        request[length] = '\0';
        const char *end = strstr(request, "\r\n\r\n"), *body = strstr(request, "Content-Length: ");
        if (end)
            whole = (size_t)(end + 4 - request) + (body ? (size_t)atol(body + 16) : 0);
    }
    return true;
}

static void note_head(const char *request)
{
    FILE *file = is.heads_file ? fopen(is.heads_file, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%.*s\n", (int)(strstr(request, "\r\n\r\n") - request), request);
    fclose(file);
}

static void note_asked(void)
{
    struct timespec now;
    FILE *file = is.asked_file ? fopen(is.asked_file, "a") : NULL;
    if (!file)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "%.3f\n", (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6);
    fclose(file);
}

static void serve(int fd, int64_t started_ms)
{
    static char request[1 << 20];
    bool loading = is.loads_ms < 0 || now_ms() - started_ms < is.loads_ms;
    if (!read_request(fd, request, sizeof request))
        return;
    note_head(request);
    if (strstr(request, " /v1/chat/completions "))
        note_asked();
    if (loading)
        answer(fd, "503 Service Unavailable",
               "{\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}");
    else if (strstr(request, " /health ") && !is.bare)
        answer(fd, "200 OK", "{\"status\":\"ok\"}");
    else if (strstr(request, " /v1/models "))
        answer(fd, "200 OK", "{\"data\":[{\"id\":\"small\",\"owned_by\":\"llamacpp\"}]}");
    else if (strstr(request, " /v1/chat/completions "))
        answer_chat(fd, request);
    else
        answer(fd, "404 Not Found", "{\"error\":{\"message\":\"File Not Found\"}}");
}

int main(int n, char **words)
{
    read_words(n, words);
    count_start();
    if (is.deaf)
        signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (is.loud)
        be_loud();
    if (is.broken) {
        fprintf(stderr, "loading\nerror: there is no model at /nowhere.gguf\n");
        return 3;
    }
    int listener = is.socket ? listen_on_socket() : listen_on_port();
    if (listener < 0 || (is.taken && is.taken == is.starts && fork() > 0)) {
        fprintf(stderr, "error: the address is in use\n");
        return 1;
    }
    int64_t started_ms = now_ms();
    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0; close(fd))
        serve(fd, started_ms);
    return 0;
}
