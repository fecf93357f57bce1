/* The keeper: a small process of the same program that starts servers for the commands of this
 * user, lends each to one command at a time, and keeps it running for the next that wants the very
 * same one: same command and arguments, same environment, same folder, same settings of processes,
 * and offered the same. What it lends are the pipes themselves, so a call through it costs what a
 * call costs; pins, policy, consent and questions stay with the command. A command that does not
 * give its server back in order has it ended. The keeper ends itself when nothing was lent for a
 * while.
 *
 * There is one to a folder, which holds a lock on a file in it for as long as it lives. */
#ifndef INFRASTRUCTURE_MCP_KEEPER_KEEPER_H
#define INFRASTRUCTURE_MCP_KEEPER_KEEPER_H

#include "application/settings.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"

struct uv_runtime;

#define KEEPER_MAX_VISITORS 256 /* commands at once */

struct keeper_options {
    const char *folder;
    const struct settings *settings;
    int64_t idle_ms;                 /* after which it ends itself */
    void (*on_ready)(void *context); /* commands can reach it */
    void *context;
};

/* Keeps servers until nothing was lent for so long, it is told to stop, or the scope ends; then
 * every one of them has ended. ERR_DENIED: the folder is somebody else's; ERR_UNAVAILABLE: there is
 * a keeper already. */
awaits MUST_CHECK enum err_code keeper_run(struct uv_runtime *runtime, struct scope *scope,
                                           const struct keeper_options *options, struct err *err);

/* Starts one in a process of its own, unless there is one, and sets how long it stays. Blocks for a
 * moment, until commands can reach it. words: the name that it goes by and its arguments, ended by
 * NULL; it writes a byte to stdout when it is ready. */
MUST_CHECK
enum err_code keeper_start(const char *folder, const char *program, const char *const *words,
                           int64_t idle_ms, struct err *err);
/* Ends it and what it keeps, of which it says how much that was; blocks until then. ERR_NOT_FOUND:
 * there is none. */
MUST_CHECK
enum err_code keeper_stop(const char *folder, int64_t *out_n, struct err *err);

#endif
