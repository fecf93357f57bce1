#include "application/use_cases/consensus_folder.h"
#include "application/consensus/consensus_record.h"
#include "domain/base/json.h"
#include <string.h>

static bool is_told(enum event_kind kind)
{
    return kind == EVENT_CONSENSUS_STARTED || kind == EVENT_ENVELOPE;
}

static void observe(struct observer *observer, const struct event *event)
{
    struct consensus_folder *f = (struct consensus_folder *)observer;
    if (f->folder && is_told(event->kind)) {
        struct event *kept = arena_push(f->arena, f->events, f->n, f->capacity);
        *kept = *event;
        kept->run_id = arena_strdup(f->arena, event->run_id);
        kept->data = arena_keep_json(f->arena, json_share(event->data));
    }
    if (f->watcher)
        observer_observe(f->watcher, event);
}

/* "runs/tcp/" is tcp in runs, "tcp" is tcp here. */
static void split(struct arena *arena, const char *path, const char **out_parent,
                  const char **out_name)
{
    char *copy = arena_strdup(arena, path);
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    char *slash = strrchr(copy, '/');
    *out_name = slash ? slash + 1 : copy;
    *out_parent = !slash ? "." : slash == copy ? "/" : copy;
    if (slash)
        *slash = '\0';
}

enum err_code consensus_folder_open(struct consensus_folder *f, struct services *services,
                                    struct scope *scope, struct arena *arena, const char *path,
                                    struct err *err)
{
    static const struct observer_ops ops = { observe };
    struct artifact_place place = { 0 };
    *f = (struct consensus_folder){
        .base = { &ops }, .services = services, .watcher = services->observer, .arena = arena
    };
    if (!path)
        return ERR_NONE;
    if (!services->artifacts)
        return err_set(err, ERR_UNAVAILABLE, 0, "no files can be written here");
    split(arena, path, &place.parent, &place.name);
    enum err_code r = artifacts_open(services->artifacts, scope, &place, &f->folder, err);
    if (!r)
        services->observer = &f->base;
    return r;
}

static enum err_code put(struct consensus_folder *f, struct scope *scope, const char *name,
                         const char *text, struct err *err)
{
    return artifact_put(f->folder, scope, name, text, strlen(text), err);
}

static enum err_code write_files(struct consensus_folder *f, struct scope *scope,
                                 const struct consensus_result *result, const char *run_id,
                                 enum canonical_kind kind, struct err *err)
{
    json_auto_t *final = consensus_result_to_json(result, run_id, kind);
    auto_str text = json_print_pretty(final);
    enum err_code r =
        put(f, scope, "transcript.jsonl", consensus_transcript(f->arena, f->events, f->n), err);
    return r ? r : put(f, scope, "final.json", arena_printf(f->arena, "%s\n", text), err);
}

enum err_code consensus_folder_close(struct consensus_folder *f, struct scope *scope,
                                     const struct consensus_result *result, const char *run_id,
                                     enum canonical_kind kind, struct err *err)
{
    enum err_code r = ERR_NONE;
    if (!f->folder)
        return ERR_NONE;
    f->services->observer = f->watcher;
    if (result)
        r = write_files(f, scope, result, run_id, kind, err);
    if (result && !r)
        return artifact_folder_commit(steal(&f->folder), scope, err);
    artifact_folder_discard(steal(&f->folder));
    return r;
}
