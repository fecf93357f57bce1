#include "application/workers/submit_run.h"
#include "application/use_cases/mistral_chat.h"
#include "application/workers/withdraw_run.h"
#include "domain/base/text.h"
#include <string.h>

struct names {
    const char **list;
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    if (!text_is_one_of(name, names->list, names->n) && names->n < QUEUE_MAX_SERVERS)
        names->list[names->n++] = name;
}

/* A tool that is named without its server may be any worker's. */
static void add_server_of(struct arena *arena, struct names *names, const char *tool)
{
    const char *slash = strchr(tool, '/');
    if (slash)
        add_name(names, arena_strndup(arena, tool, (size_t)(slash - tool)));
}

static void name_servers_of_plan(struct arena *arena, const struct plan *plan, struct names *names)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        add_server_of(arena, names, plan->steps[i].tool);
        if (plan->steps[i].verify)
            add_server_of(arena, names, plan->steps[i].verify->tool);
    }
}

static enum err_code name_servers(struct services *services, struct scope *scope,
                                  struct arena *arena, const struct plan *plan, struct names *names,
                                  struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    names->list = arena_array(arena, const char *, QUEUE_MAX_SERVERS);
    if (plan) {
        name_servers_of_plan(arena, plan, names);
        return ERR_NONE;
    }
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    for (size_t i = 0; !r && i < n; i++)
        add_name(names, tool_server_name(servers[i]));
    return r;
}

static enum err_code begin(struct services *services, struct scope *scope, struct arena *arena,
                           const struct submission *submission, struct turn_result *out,
                           struct err *err)
{
    if (submission->plan)
        return queue_plan(services, scope, arena, submission->plan, out, err);
    struct mistral_chat *chat = mistral_chat_create(services);
    enum err_code r = mistral_chat_queue(chat, scope, arena, submission->turn, out, err);
    mistral_chat_destroy(chat);
    return r;
}

static enum err_code add(struct services *services, struct run_queue *queue, struct scope *scope,
                         struct arena *arena, const struct submission *submission,
                         struct turn_result *out, bool *out_was_there, struct err *err)
{
    struct names names = { 0 };
    const char *id = out->run_id;
    enum err_code r = name_servers(services, scope, arena, out->plan, &names, err);
    const struct queued_run run = { .run_id = out->run_id,
                                    .queue = submission->queue,
                                    .key = submission->key,
                                    .servers = names.list,
                                    .n_servers = names.n,
                                    .not_before_ms = submission->not_before_ms };
    if (!r)
        r = run_queue_add(queue, scope, &run, arena, &id, err);
    if (r)
        return err_prefix(err, r, "run %.40s is kept, but perhaps not queued", out->run_id);
    *out_was_there = strcmp(id, out->run_id) != 0;
    if (*out_was_there) /* another process was faster with the same key */
        withdraw_run(services, out->run_id);
    out->run_id = id;
    return ERR_NONE;
}

enum err_code submit_run(struct services *services, struct scope *scope, struct arena *arena,
                         const struct submission *submission, struct turn_result *out,
                         bool *out_was_there, struct err *err)
{
    struct run_queue *queue = NULL;
    *out = (struct turn_result){ .status = RUN_QUEUED };
    *out_was_there = false;
    enum err_code r = services_queue(services, &queue, err);
    if (!r && submission->key)
        r = run_queue_find_key(queue, scope, submission->key, arena, &out->run_id, err);
    *out_was_there = out->run_id != NULL;
    if (r || *out_was_there)
        return r;
    r = begin(services, scope, arena, submission, out, err);
    return r || out->status != RUN_QUEUED
               ? r
               : add(services, queue, scope, arena, submission, out, out_was_there, err);
}
