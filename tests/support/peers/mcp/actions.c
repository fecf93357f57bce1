#include "mcp.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Collected, so that answers of several processes do not mix on the pipe. */
static void put(const struct peer *peer, const char *bytes, size_t length)
{
    if (peer->is_http)
        http_put(bytes, length);
    else
        fwrite(bytes, 1, length, stdout);
}

static void put_text(const struct peer *peer, const char *text)
{
    put(peer, text, strlen(text));
}

void peer_flush(const struct peer *peer)
{
    if (peer->is_http)
        http_flush();
    else
        fflush(stdout);
}

static void put_json(const struct peer *peer, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : strdup("null");
    put_text(peer, text);
    free(text);
}

void peer_pause(long ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

static void fill(const struct peer *peer, long n)
{
    char block[4096];
    memset(block, 'x', sizeof block);
    for (; n > 0; n -= (long)sizeof block)
        put(peer, block, n < (long)sizeof block ? (size_t)n : sizeof block);
}

static void nest(const struct peer *peer, long n)
{
    for (long i = 0; i < n; i++)
        put(peer, "[", 1);
    for (long i = 0; i < n; i++)
        put(peer, "]", 1);
}

/* Performs what stands before $END; so often; returns what comes behind that. */
static const char *repeat(struct peer *peer, const char *from, long n, const json_t *message)
{
    static const char mark[] = "$END;";
    const char *until = strstr(from, mark);
    char *part = strndup(from, (size_t)(until - from));
    for (long i = 0; i < n; i++)
        peer_perform(peer, part, message);
    free(part);
    return until + sizeof mark - 1;
}

static void hold(void)
{
    if (fork() == 0) {
        peer_pause(3000);
        _exit(0);
    }
}

/* Over HTTP the process at hand only answers one request: with it goes the one that accepts. */
static void end(const struct peer *peer, int status, int number)
{
    if (peer->is_http)
        kill(peer->server, SIGKILL);
    if (number)
        raise(number);
    _exit(status);
}

static void close_output(const struct peer *peer)
{
    if (peer->is_http)
        http_close();
    else
        close(STDOUT_FILENO);
}

/* The peer outlives it. */
static void kill_client(void)
{
    prctl(PR_SET_PDEATHSIG, 0);
    signal(SIGPIPE, SIG_IGN);
    kill(getppid(), SIGKILL);
}

static void note(const struct peer *peer, const char *text, int length)
{
    if (peer->record) {
        fprintf(peer->record, "%.*s\n", length, text);
        fflush(peer->record);
    }
}

/* The command at `at` (behind its '$'); returns what comes behind it, NULL when the action is done.
 */
static const char *command(struct peer *peer, const char *at, const json_t *message)
{
    json_t *params = json_object_get(message, "params");
    size_t name = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *behind = at + name;
#define IS(word) (name == sizeof word - 1 && strncmp(at, word, name) == 0)
    if (IS("ID"))
        return put_json(peer, json_object_get(message, "id")), behind;
    if (IS("CALL"))
        return put_text(peer, peer->latest_call), behind;
    if (IS("ARGS"))
        return put_json(peer, json_object_get(params, "arguments")), behind;
    if (IS("TOKEN"))
        return put_json(peer, json_object_get(json_object_get(params, "_meta"), "progressToken")),
               behind;
    long n = strtol(behind, NULL, 10);
    const char *rest = strchr(behind, ';') + 1;
    if (IS("FILL"))
        return fill(peer, n), rest;
    if (IS("DEEP"))
        return nest(peer, n), rest;
    if (IS("TIMES"))
        return repeat(peer, rest, n, message);
    if (IS("NUL"))
        return put(peer, "", 1), rest;
    if (IS("STATUS"))
        return peer->is_http ? http_set_status(n) : (void)0, rest;
    peer_flush(peer);
    if (IS("PAUSE"))
        peer_pause(n);
    else if (IS("EXIT"))
        end(peer, (int)n, 0);
    else if (IS("SIGNAL"))
        end(peer, 0, (int)n);
    else if (IS("CLOSE"))
        close_output(peer);
    else if (IS("KILL"))
        kill_client();
    else if (IS("HOLD"))
        hold();
    else if (IS("NOTE"))
        note(peer, behind, (int)(rest - 1 - behind));
    else if (IS("ERR"))
        dprintf(STDERR_FILENO, "%.*s\n", (int)(rest - 1 - behind), behind);
    if (IS("LATER")) {
        if (fork() != 0)
            return NULL;
        peer_pause(n);
        peer_perform(peer, rest, message);
        peer_flush(peer);
        _exit(0);
    }
    if (!IS("REPEAT"))
        return rest;
    for (long i = 0; i < n; i++)
        peer_perform(peer, rest, message);
    return NULL;
}

void peer_perform(struct peer *peer, const char *action, const json_t *message)
{
    while (action && *action) {
        size_t plain = strcspn(action, "$");
        put(peer, action, plain);
        action += plain;
        if (*action)
            action = command(peer, action + 1, message);
    }
}
