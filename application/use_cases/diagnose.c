#include "application/use_cases/diagnose.h"
#include "application/structured/model_call.h"
#include "application/use_cases/tools/list_servers.h"
#include "domain/base/err.h"
#include "domain/base/text.h"

enum err_code list_models(struct services *services, struct scope *scope, struct arena *arena,
                          struct model_listing *out, struct err *err)
{
    struct model *model = NULL;
    struct model_listing listing = { 0 };
    enum err_code r = services_model(services, scope, &model, &listing.choice, err);
    if (r || listing.choice == MODEL_CHOICE_LEXICAL) {
        if (!r)
            *out = listing;
        return r;
    }
    r = model_list(model, scope, arena, &listing.names, &listing.n_names, err);
    if (r)
        return r;
    r = model_failure(model_check(model, scope, arena, &listing.status, &listing.problem),
                      &listing.problem);
    if (r == ERR_CANCELLED) {
        if (err)
            *err = listing.problem;
        return r;
    }
    *out = listing;
    return ERR_NONE;
}

json_t *model_listing_to_json(const struct model_listing *listing)
{
    static const char *const choices[] = { [MODEL_CHOICE_NAMED] = "named",
                                           [MODEL_CHOICE_FOUND] = "found",
                                           [MODEL_CHOICE_LEXICAL] = "lexical" };
    const struct model_status *status = &listing->status;
    const char *support = status->kind ? model_schema_support_name(status->schema_support) : NULL;
    json_t *context = status->context_tokens > 0 ? json_integer(status->context_tokens) : NULL;
    json_t *names = json_array();
    for (size_t i = 0; i < listing->n_names; i++)
        json_array_append_new(names, json_string(listing->names[i]));
    return json_pack("{s:s, s:o, s:s*, s:s*, s:s*, s:s*, s:s*, s:o*, s:s*, s:o*}", "choice",
                     choices[listing->choice], "models", names, "kind", status->kind, "base_url",
                     status->base_url, "model", status->model, "requested", status->requested,
                     "reason", status->reason, "context_tokens", context, "schema_support", support,
                     "error", listing->problem.code ? err_to_json(&listing->problem) : NULL);
}

#define DIAGNOSE_MAX_CHECKS 1100 /* more than there can be servers */

struct diagnosing {
    struct services *services;
    struct scope *scope;
    struct arena *arena;
    struct diagnosis *diagnosis;
    int64_t started_ms; /* of the check at hand */
};

const char *check_verdict_name(enum check_verdict verdict)
{
    static const char *const names[] = {
        [CHECK_OK] = "ok", [CHECK_WARNING] = "warning", [CHECK_FAILED] = "failed"
    };
    return names[verdict];
}

static void begin(struct diagnosing *diagnosing)
{
    diagnosing->started_ms = runtime_now_ms(diagnosing->services->runtime);
}

static void add(struct diagnosing *diagnosing, const char *name, enum check_verdict verdict,
                const char *detail, const char *hint)
{
    struct diagnosis *diagnosis = diagnosing->diagnosis;
    if (diagnosis->n_checks == DIAGNOSE_MAX_CHECKS)
        return;
    diagnosis->n_failed += verdict == CHECK_FAILED;
    diagnosis->checks[diagnosis->n_checks++] = (struct check){
        .name = name,
        .verdict = verdict,
        .detail = detail,
        .hint = hint ? hint : "",
        .duration_ms = runtime_now_ms(diagnosing->services->runtime) - diagnosing->started_ms,
    };
}

static void add_failure(struct diagnosing *diagnosing, const char *name, const struct err *err)
{
    add(diagnosing, name, CHECK_FAILED, arena_strdup(diagnosing->arena, err->message),
        arena_strdup(diagnosing->arena, err->hint));
}

static const char *describe_model(struct arena *arena, const struct model_status *status)
{
    const char *context = "", *where = "", *schemas = "";
    if (status->context_tokens > 0)
        context =
            arena_printf(arena, ", context of %lld tokens", (long long)status->context_tokens);
    if (status->base_url && *status->base_url)
        where = arena_printf(arena, " at %s", status->base_url);
    if (status->schema_support != MODEL_SCHEMA_UNKNOWN)
        schemas =
            arena_printf(arena, ", schemas %s", model_schema_support_name(status->schema_support));
    return arena_printf(arena, "%s%s: %s (%s)%s%s", status->kind, where, status->model,
                        status->reason, context, schemas);
}

static void check_model(struct diagnosing *diagnosing)
{
    struct model *model = NULL;
    struct model_status status = { 0 };
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct err err = { 0 };
    begin(diagnosing);
    enum err_code r =
        services_model(diagnosing->services, diagnosing->scope, &model, &choice, &err);
    if (!r && choice == MODEL_CHOICE_LEXICAL) {
        bool is_off = text_equal(diagnosing->services->settings->model_name, "none");
        add(diagnosing, "model", is_off ? CHECK_OK : CHECK_WARNING,
            is_off ? "none, as is set: the lexical analyst chooses tools"
                   : "no model: the lexical analyst chooses tools",
            is_off ? NULL : "start one with: ollama serve");
        return;
    }
    if (!r)
        r = model_check(model, diagnosing->scope, diagnosing->arena, &status, &err);
    if (r)
        add_failure(diagnosing, "model", &err);
    else
        add(diagnosing, "model", CHECK_OK, describe_model(diagnosing->arena, &status), NULL);
}

static const char *describe_server(struct arena *arena, const struct tool_server_status *status)
{
    const char *era = "", *plural = status->n_tools == 1 ? "" : "s";
    if (*status->era)
        era = arena_printf(arena, ", %s %s", status->era, status->protocol_version);
    return arena_printf(arena, "%s%s, %zu tool%s", status->transport, era, status->n_tools, plural);
}

static void add_server(struct diagnosing *diagnosing, const struct tool_server_status *status)
{
    struct arena *arena = diagnosing->arena;
    const char *name = arena_printf(arena, "server %s", status->name);
    if (status->last_error.code && status->state != SERVER_READY)
        add_failure(diagnosing, name, &status->last_error);
    else
        add(diagnosing, name, CHECK_OK, describe_server(arena, status), NULL);
    /* They start beside each other: each has a time of its own. */
    struct diagnosis *diagnosis = diagnosing->diagnosis;
    if (status->start_ms >= 0 && diagnosis->n_checks)
        diagnosis->checks[diagnosis->n_checks - 1].duration_ms = status->start_ms;
}

static void check_servers(struct diagnosing *diagnosing)
{
    struct server_listing listing = { 0 };
    struct err err = { 0 };
    begin(diagnosing);
    if (list_servers(diagnosing->services, diagnosing->scope, diagnosing->arena, &listing, &err)) {
        add_failure(diagnosing, "servers", &err);
        return;
    }
    for (size_t i = 0; i < listing.n_servers; i++)
        add_server(diagnosing, &listing.servers[i]);
}

static void check_conversations(struct diagnosing *diagnosing)
{
    struct conversation_repository *conversations = NULL;
    struct conversation_summary *list = NULL;
    struct err err = { 0 };
    size_t n = 0;
    begin(diagnosing);
    enum err_code r = services_conversations(diagnosing->services, &conversations, &err);
    if (!r)
        r = conversation_repository_get_all(conversations, diagnosing->scope, diagnosing->arena,
                                            &list, &n, &err);
    const char *damage = NULL, *stored = arena_printf(diagnosing->arena, "%zu stored", n);
    for (size_t i = n; i-- > 0;)
        damage = list[i].damage ? list[i].damage : damage;
    if (r)
        add_failure(diagnosing, "conversations", &err);
    else if (damage)
        add(diagnosing, "conversations", CHECK_WARNING,
            arena_printf(diagnosing->arena, "%s, damaged: %s", stored, damage),
            "it stays as it is: mend it or move it away (mistro sessions)");
    else
        add(diagnosing, "conversations", CHECK_OK, stored, NULL);
}

static void check_run_log(struct diagnosing *diagnosing)
{
    struct run_repository *runs = NULL;
    struct run *newest = NULL;
    struct err err = { 0 };
    size_t n = 0;
    begin(diagnosing);
    enum err_code r = services_runs(diagnosing->services, &runs, &err);
    if (!r && !runs) {
        add(diagnosing, "run log", CHECK_WARNING, "switched off", "runs.enabled switches it on");
        return;
    }
    if (!r)
        r = run_repository_list(runs, diagnosing->scope, &(struct run_range){ .max = 1 },
                                diagnosing->arena, &newest, &n, &err);
    if (r)
        add_failure(diagnosing, "run log", &err);
    else
        add(diagnosing, "run log", CHECK_OK, n ? "readable" : "readable, empty", NULL);
}

enum err_code diagnose(struct services *services, struct scope *scope, struct arena *arena,
                       struct diagnosis *out, struct err *err)
{
    struct diagnosis diagnosis = { 0 };
    struct diagnosing diagnosing = { services, scope, arena, &diagnosis, 0 };
    diagnosis.checks = arena_array(arena, struct check, DIAGNOSE_MAX_CHECKS);
    check_model(&diagnosing);
    check_servers(&diagnosing);
    check_conversations(&diagnosing);
    check_run_log(&diagnosing);
    enum err_code r = scope_check(scope, runtime_now_ms(services->runtime), err);
    if (r == ERR_CANCELLED)
        return r;
    *out = diagnosis;
    return ERR_NONE;
}

json_t *diagnosis_to_json(const struct diagnosis *diagnosis)
{
    json_t *checks = json_array();
    for (size_t i = 0; i < diagnosis->n_checks; i++) {
        const struct check *check = &diagnosis->checks[i];
        json_array_append_new(checks, json_pack("{s:s, s:s, s:s, s:s, s:I}", "name", check->name,
                                                "verdict", check_verdict_name(check->verdict),
                                                "detail", check->detail, "hint", check->hint,
                                                "duration_ms", (json_int_t)check->duration_ms));
    }
    return json_pack("{s:o, s:I}", "checks", checks, "failed", (json_int_t)diagnosis->n_failed);
}
