#include "infrastructure/mcp/keeper/lease.h"
#include "domain/base/json.h"
#include "infrastructure/runtime/descriptor.h"

#define WAIT_MS 500       /* for a keeper that hangs: then the server is started without it */
#define END_WAIT_MS 15000 /* for all servers to end */

/* ERR_UNAVAILABLE with what the keeper said. */
static enum err_code refused(const json_t *answer, struct err *err)
{
    const char *why = json_get_string(answer, "refused");
    if (why)
        return err_set(err, ERR_UNAVAILABLE, 0, "%.200s", why);
    return err_hint(err, err_set(err, ERR_TIMEOUT, 0, "the keeper does not answer"),
                    "end it: pkill -9 -f 'mistro servers keep'");
}

static enum err_code exchange(int fd, json_t *message, json_t **out, int pipes[static KEEPER_PIPES],
                              struct err *err)
{
    json_auto_t *owned = message;
    json_object_set_new(owned, "version", json_integer(KEEPER_VERSION));
    enum err_code r = keeper_send(fd, owned, NULL, err);
    if (!r && !keeper_receive(fd, out, pipes, NULL))
        r = refused(NULL, err);
    return r;
}

static void close_pipes(int pipes[static KEEPER_PIPES])
{
    for (int i = 0; i < KEEPER_PIPES; i++)
        descriptor_close(&pipes[i]);
}

enum err_code lease_take(struct keeper_access *keeper, json_t *open, bool is_new, struct lease *out,
                         struct err *err)
{
    json_auto_t *message = json_pack("{s:o, s:b}", "open", open, "new", is_new), *answer = NULL;
    auto_fd fd = -1;
    *out = (struct lease){ .socket = -1, .pipes = { -1, -1, -1 } };
    if (!keeper->folder || keeper->is_silent)
        return err_set(err, ERR_NOT_FOUND, 0, "no keeper is asked");
    enum err_code r = keeper_connect(keeper->folder, WAIT_MS, &fd, err);
    if (!r)
        r = exchange(fd, json_incref(message), &answer, out->pipes, err);
    keeper->is_silent = r == ERR_TIMEOUT;
    if (r)
        return r;
    int64_t pid = json_get_int(answer, "pid", 0);
    if (pid <= 0 || out->pipes[KEEPER_PIPES - 1] < 0) {
        close_pipes(out->pipes);
        return refused(answer, err);
    }
    json_t *note = json_object_get(answer, "note");
    out->pid = (int)pid;
    out->note = json_is_object(note) ? json_incref(note) : NULL;
    out->socket = fd;
    fd = -1;
    return ERR_NONE;
}

void lease_end(struct lease *lease, json_t *note)
{
    json_auto_t *message = note ? json_pack("{s:O}", "note", note) : NULL;
    /* One that does not reach the keeper costs the server, which is ended then. */
    if (message)
        (void)!keeper_send(lease->socket, message, NULL, NULL);
    descriptor_close(&lease->socket);
    json_decref(lease->note);
    lease->note = NULL;
}

enum err_code lease_ask(const char *folder, json_t *message, const char *name, int64_t *out,
                        struct err *err)
{
    json_auto_t *answer = NULL, *owned = message;
    int pipes[KEEPER_PIPES] = { -1, -1, -1 };
    auto_fd fd = -1;
    enum err_code r = keeper_connect(folder, END_WAIT_MS, &fd, err);
    if (!r)
        r = exchange(fd, json_incref(owned), &answer, pipes, err);
    close_pipes(pipes);
    *out = json_get_int(answer, name, -1);
    return !r && *out < 0 ? refused(answer, err) : r;
}
