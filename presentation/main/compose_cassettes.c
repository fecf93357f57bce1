/* --record and --replay: the ports that services hand out are wrapped, or made of the cassette, so
 * that every job is recorded alike and no use case knows of it. */
#include "application/tools/lookup.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/cassette/cassette_recorder.h"
#include "presentation/cli/output.h"
#include "presentation/main/composition.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_MODEL "none"

static struct cassette_bounds bounds_of(const struct composition *c)
{
    return (struct cassette_bounds){ (size_t)c->settings.cassettes_max_bytes,
                                     (size_t)c->settings.cassettes_max_line_bytes,
                                     (size_t)c->settings.mcp_max_values };
}

static const char *model_label(struct composition *c, const char *name, const char *base_url)
{
    if (name && base_url)
        return arena_printf(&c->arena, "%s at %s", name, base_url);
    return name ? name : base_url ? base_url : "";
}

static struct model *record_named(void *context, const char *name, const char *base_url,
                                  struct model *made)
{
    struct composition *c = context;
    cassette_record_model(c->recorder, model_label(c, name, base_url), json_object(), made);
    return made;
}

enum err_code composition_read_cassette(struct composition *c, const char *path,
                                        struct cassette **out, struct err *err)
{
    const struct cassette_bounds bounds = bounds_of(c);
    return cassette_open(path, &bounds, c->services.digest, out, err);
}

static const char *kept_path(const struct composition *c, struct arena *arena, const char *run_id)
{
    return arena_printf(arena, "%s/runs/%s.ndjson", c->paths.state_dir, run_id);
}

static struct composition *of(struct run_tapes *tapes)
{
    return (struct composition *)(void *)((char *)tapes - offsetof(struct composition, run_tapes));
}

static enum err_code begin_run(struct run_tapes *tapes, const struct taped_run *run,
                               struct run_tape **out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct composition *c = of(tapes);
    struct cassette_bounds bounds = bounds_of(c);
    size_t most = (size_t)c->settings.runs_max_state_mb * 1024 * 1024;
    if (bounds.max_bytes > most)
        bounds.max_bytes = most;
    enum err_code r =
        cassette_tape_open(c->recorder, kept_path(c, &scratch, run->id), /* is_raw= */ true,
                           run->scope, &bounds, (struct cassette_tape **)(void *)out, err);
    if (!r)
        cassette_record_user(c->recorder, run->scope, run->user, run->approves_all);
    return r;
}

static void end_run(struct run_tapes *tapes, struct run_tape *tape)
{
    cassette_tape_close(of(tapes)->recorder, (struct cassette_tape *)(void *)tape);
}

static enum err_code begin_recording(struct composition *c, struct err *err)
{
    static const struct run_tapes_ops ops = { begin_run, end_run };
    const struct cassette_bounds bounds = bounds_of(c);
    const char *path = c->arguments->record;
    /* A state in the database is any machine's, and a cassette beside it would be this one's. */
    bool keeps_runs = strcmp(c->settings.runs_keep_state, "always") == 0 && !c->database;
    if (!path && !keeps_runs)
        return ERR_NONE;
    c->recorder = cassette_recorder_create(c->services.runtime);
    cassette_record_checker(c->recorder, c->checker);
    cassette_record_browser(c->recorder, c->services.browser);
    c->named.wrap = record_named;
    c->named.context = c;
    c->run_tapes.ops = &ops;
    c->services.run_tapes = keeps_runs ? &c->run_tapes : NULL;
    return path ? cassette_tape_open(c->recorder, path, false, NULL, &bounds, &c->tape, err)
                : ERR_NONE;
}

/* The tools of a recording are what they were then: they are held against no pin, and pin nothing.
 * Whether a server may ask the model is what it was as well, in a run that was kept. */
static void restore_servers(struct composition *c)
{
    size_t n_members = cassette_n_members(c->cassette), n = c->settings.n_servers;
    struct server_config *servers = arena_array(&c->arena, struct server_config, n + n_members + 1);
    for (size_t i = 0; i < n; i++)
        servers[i] = c->settings.servers[i];
    for (size_t i = 0; i < n_members; i++) {
        const struct cassette_member *member = cassette_member(c->cassette, i);
        int64_t sampling = json_get_int(member->facts, "sampling", -1);
        size_t at = 0;
        while (at < n && strcmp(servers[at].name, member->party.name) != 0)
            at++;
        if (member->party.kind != CASSETTE_SERVER || c->arguments->replay || sampling < 0 ||
            sampling > SERVER_SAMPLING_ALLOW)
            continue;
        servers[at].name = member->party.name;
        servers[at].sampling = (enum server_sampling)sampling;
        n += at == n;
    }
    for (size_t i = 0; i < n; i++)
        servers[i].pinning = SERVER_PINNING_OFF;
    c->settings.servers = servers;
    c->settings.n_servers = n;
}

/* Nothing happens in a replay: there is nothing to ask a person about, and nothing for the log. */
static enum err_code begin_replaying(struct composition *c, const char *path, struct err *err)
{
    enum err_code r = composition_read_cassette(c, path, &c->cassette, err);
    if (r)
        return r;
    run_states_destroy(c->services.run_states);
    c->services.run_states = NULL;
    c->services.checker = cassette_checker(c->cassette);
    c->services.approve_all = true;
    c->services.spares_sessions = true;
    c->settings.runs_enabled = false;
    if (composition_is_taped(c, "tools"))
        restore_servers(c);
    return ERR_NONE;
}

enum err_code composition_open_cassette(struct composition *c, struct err *err)
{
    const struct arguments *args = c->arguments;
    if (args->record && args->replay)
        return err_set(err, ERR_INVALID, 0, "--record and --replay exclude each other");
    return args->replay ? begin_replaying(c, args->replay, err) : begin_recording(c, err);
}

/* With tools that are real there is somebody to ask, and what they do happens. */
enum err_code composition_replay_run(struct composition *c, const char *run_id, struct err *err)
{
    const char *path = kept_path(c, &c->arena, run_id);
    bool approves_all = c->services.approve_all;
    if (access(path, F_OK) != 0) {
        enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "run %.40s left no cassette", run_id);
        return err_hint(err, r,
                        "runs are kept to be replayed with runs.keep_state: always, "
                        "but not with storage.backend: postgres");
    }
    enum err_code r = begin_replaying(c, path, err);
    if (r)
        return r;
    c->services.approve_all = approves_all;
    if (composition_is_taped(c, "tools")) {
        cassette_ask_again(c->cassette);
        c->services.user = cassette_user(c->cassette, &c->services.approve_all);
        c->services.browser = cassette_browser(c->cassette);
        c->kept_approvals = cassette_approvals(c->cassette);
    }
    return ERR_NONE;
}

bool composition_is_taped(const struct composition *c, const char *side)
{
    return c->cassette && !text_equal(c->arguments->live, side);
}

void composition_record_servers(struct composition *c)
{
    for (size_t i = 0; c->recorder && i < c->n_servers; i++) {
        const struct server_config *config =
            lookup_config(&c->settings, tool_server_name(c->servers[i]));
        cassette_record_server(c->recorder, config ? (int)config->sampling : -1, c->servers[i]);
    }
}

void composition_replay_servers(struct composition *c)
{
    for (size_t i = 0; i < cassette_n_members(c->cassette); i++) {
        const struct cassette_member *member = cassette_member(c->cassette, i);
        bool is_asked = member->n_lists || json_array_size(member->tools) || !c->kept_approvals;
        if (member->party.kind == CASSETTE_SERVER && c->n_servers < COMPOSITION_MAX_SERVERS &&
            is_asked && composition_may_have_server(c, member->party.name))
            c->servers[c->n_servers++] = cassette_server(c->cassette, member);
    }
    c->has_servers = true;
}

/* That there was none is recorded as well. */
void composition_record_model(struct composition *c)
{
    const struct cassette_party none = { CASSETTE_MODEL, NO_MODEL };
    json_t *facts;
    if (!c->recorder)
        return;
    facts =
        json_pack("{s:b, s:b}", "default", true, "found", c->model_choice == MODEL_CHOICE_FOUND);
    if (c->model)
        cassette_record_model(c->recorder, c->settings.model_name, facts, c->model);
    else
        (void)cassette_record_start(c->recorder, &none, facts);
}

/* What was not recorded is a miss also where a caller could do without it. */
static enum err_code no_model(struct composition *c, const char *name, struct err *err)
{
    const struct cassette_party party = { CASSETTE_MODEL, name };
    struct cassette_answer answer;
    json_auto_t *request = json_pack("{s:s}", "method", "check");
    return cassette_take(c->cassette, &party, request, true, &answer, err);
}

static struct cassette_member *find_model(const struct composition *c, const char *name)
{
    for (size_t i = 0; i < cassette_n_members(c->cassette); i++) {
        struct cassette_member *member = cassette_member(c->cassette, i);
        if (member->party.kind == CASSETTE_MODEL &&
            (name ? strcmp(member->party.name, name) == 0
                  : json_get_bool(member->facts, "default", false)))
            return member;
    }
    return NULL;
}

enum err_code composition_replay_model(struct composition *c, struct model **out,
                                       enum model_choice *out_choice, struct err *err)
{
    struct cassette_member *member = find_model(c, NULL);
    if (!member)
        return no_model(c, c->settings.model_name, err);
    bool has_any = strcmp(member->party.name, NO_MODEL) != 0;
    *out = has_any ? cassette_model(c->cassette, member) : NULL;
    *out_choice = !has_any                                       ? MODEL_CHOICE_LEXICAL
                  : json_get_bool(member->facts, "found", false) ? MODEL_CHOICE_FOUND
                                                                 : MODEL_CHOICE_NAMED;
    return ERR_NONE;
}

enum err_code composition_replay_model_of(struct composition *c, const char *name,
                                          const char *base_url, struct model **out, struct err *err)
{
    const char *label = model_label(c, name, base_url);
    struct cassette_member *member = find_model(c, label);
    if (!member)
        return no_model(c, label, err);
    *out = cassette_model(c->cassette, member);
    return ERR_NONE;
}

int composition_judge_cassette(struct composition *c, int status)
{
    const struct err *failed = c->tape       ? cassette_tape_failure(c->tape)
                               : c->cassette ? cassette_miss(c->cassette)
                                             : NULL;
    bool is_told_as_difference = strcmp(c->command->name, "runs") == 0;
    if (!failed || !failed->code || is_told_as_difference)
        return status;
    bool was_told = strstr(c->cli.told.message, failed->message) != NULL;
    int own = was_told ? err_exit_status(failed->code) : output_error_text(&c->cli, failed);
    return status && c->tape ? status : own;
}

void composition_close_cassette(struct composition *c)
{
    cassette_recorder_destroy(c->recorder);
    cassette_close(c->cassette);
}
