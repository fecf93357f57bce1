/* The order of a call is fixed in invoke_permit and invoke_send. Whether a call is made again is
 * decided in two places. Here, in call_until_answered, by policy and consent: a call may have taken
 * effect although no answer came, and only what a person allowed to be repeated is. What could not
 * have taken effect, because the server never saw the request or only asked for something first, is
 * sent again by the client of the server without a word here
 * (infrastructure/mcp/client/client_request.c). */
#include "application/tools/invoke.h"
#include "application/tools/answering.h"
#include "application/tools/call_place.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/policy/retry.h"
#include "domain/schema/json_schema.h"

void invoker_init(struct invoker *invoker, struct services *services, struct toolbox *toolbox,
                  struct journal *journal, json_t *session_approvals)
{
    *invoker = (struct invoker){ .services = services, .toolbox = toolbox, .journal = journal };
    invoker->session_approvals = session_approvals ? json_incref(session_approvals) : json_object();
    invoker->repeated_approvals = json_object();
}

void invoker_finish(struct invoker *invoker)
{
    json_decref(invoker->session_approvals);
    json_decref(invoker->repeated_approvals);
    for (size_t i = 0; i < INVOKER_SCHEMAS; i++) {
        json_schema_destroy(invoker->schemas[i].compiled);
        json_decref(invoker->schemas[i].source);
    }
    *invoker = (struct invoker){ 0 };
}

/* NULL when the server's schema does not compile: what it says cannot be checked then. */
static const struct json_schema *compiled(struct invoker *invoker, const struct tool *tool,
                                          const json_t *schema)
{
    for (size_t i = 0; i < INVOKER_SCHEMAS; i++)
        if (invoker->schemas[i].source == schema)
            return invoker->schemas[i].compiled;
    struct compiled_schema *slot = &invoker->schemas[invoker->next_schema++ % INVOKER_SCHEMAS];
    json_schema_destroy(slot->compiled);
    json_decref(slot->source);
    *slot = (struct compiled_schema){ .source = json_share(schema) };
    struct err err;
    if (json_schema_compile(schema, NULL, 0, &slot->compiled, &err))
        journal_warn(invoker->journal,
                     "%.200s: its schema cannot be used, so nothing is checked "
                     "against it: %s",
                     tool->full_name, err.message);
    return slot->compiled;
}

/* A name that the tool does not know, next to one that it knows and was not given. */
static enum err_code hint_at_misspelling(struct arena *arena, const struct invoke_request *request,
                                         enum err_code r, struct err *err)
{
    const json_t *properties = json_object_get(request->tool->input_schema, "properties"), *value;
    const char **known = arena_array(arena, const char *, json_object_size(properties) + 1), *name;
    size_t n = 0, nearest;
    json_each_member (properties, name, value)
        if (!json_object_get(request->arguments, name))
            known[n++] = name;
    json_each_member (request->arguments, name, value)
        if (!json_object_get(properties, name) && text_nearest(name, known, n, &nearest, 1))
            return err_hint(err, r, "did you mean %.80s instead of %.80s?", known[nearest], name);
    return r;
}

/* What is sent: the arguments, with the effect id where the policy wants it in one of them and the
 * caller gave none. In the arena. */
static const json_t *with_effect_id(struct arena *arena, const json_t *arguments, const char *name,
                                    const char *effect_id)
{
    if (!name || json_object_get(arguments, name))
        return arguments;
    json_t *all = arena_keep_json(arena, arguments ? json_copy((json_t *)(uintptr_t)arguments)
                                                   : json_object());
    json_object_set_new(all, name, json_string(effect_id));
    return all;
}

static enum err_code check_arguments(struct invoker *invoker, struct arena *arena,
                                     const struct invoke_request *request, struct err *err)
{
    static const char any_effect_id[CALL_EFFECT_ID_LENGTH + 1] = "abcdefghijklmnopqrstuvwxyz";
    const struct tool *tool = request->tool;
    const struct json_schema *schema = compiled(invoker, tool, tool->input_schema);
    struct problems problems = { .arena = arena };
    const char *name = NULL;
    enum err_code named = consent_idempotency_argument(invoker, arena, request, &name, err);
    const json_t *sent = with_effect_id(arena, request->arguments, name, any_effect_id);
    if (named || !schema || json_schema_accepts(schema, sent, &problems))
        return named;
    const struct problem *first = problems.list;
    const char *text = first ? problem_print(&problems, first) : "they do not fit its schema";
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "arguments of %.200s: %s", tool->full_name, text);
    err_about(err, r, "arguments");
    (void)hint_at_misspelling(arena, request, r, err);
    if (first && first->fix)
        err_hint(err, r, "%s", first->fix);
    return err_hint(err, r, "mistro tool %.150s shows what it takes", tool->full_name);
}

enum err_code invoke_permit(struct invoker *invoker, struct scope *scope, struct arena *arena,
                            const struct invoke_request *request, struct err *err)
{
    enum err_code r = check_arguments(invoker, arena, request, err);
    return r ? r : consent_get(invoker, scope, arena, request, err);
}

bool invoke_may_repeat(struct invoker *invoker, struct scope *scope, struct arena *arena,
                       const struct invoke_request *request)
{
    return consent_may_repeat(invoker, scope, arena, request, NULL);
}

/* One call on its way. */
struct sending {
    struct journal *journal;
    struct arena *arena;
    struct call_ledger *ledger;
    struct call_record record; /* for the ledger; its path is NULL where the call is not kept */
    enum call_state state;     /* by what was sent so far: PENDING, or what became of it */
    bool may_repeat, in_process;
    const json_t *arguments;    /* as sent */
    struct answering answering; /* what the server asks meanwhile */
    const struct invoke_request *request;
    struct invoke_outcome *outcome;
    int64_t began_ms;        /* when it was first sent */
    struct step_result came; /* as the server sent it */
    const char *unusable;    /* why that is not the outcome's result; or NULL */
};

static json_t *call_data(const struct invoke_request *request)
{
    json_t *data = json_object();
    if (request->step_id)
        json_object_set_new(data, "step", json_string(request->step_id));
    json_object_set_new(data, "tool", json_string(request->tool->full_name));
    if (request->line)
        json_object_set_new(data, "line", json_integer((json_int_t)request->line));
    return data;
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    const struct sending *call = context;
    json_t *data = call_data(call->request);
    json_object_set_new(data, "progress", json_real(progress));
    if (total >= 0)
        json_object_set_new(data, "total", json_real(total));
    if (message)
        json_object_set_new(data, "message", json_string(message));
    journal_emit(call->journal, EVENT_STEP_PROGRESS, data);
}

/* A task outlives this process: its id is the first thing that is kept of it. */
static void on_task(void *context, const char *id, const char *status, const char *message)
{
    struct sending *call = context;
    if (call->record.path && !call->record.task) {
        call->record.task = arena_strdup(call->arena, id);
        run_state_put_call(call->ledger->state, &call->record);
    }
    json_t *data = call_data(call->request);
    json_object_set_new(data, "server", json_string(call->request->tool->server));
    json_object_set_new(data, "task", json_string(id));
    json_object_set_new(data, "status", json_string(status));
    if (message)
        json_object_set_new(data, "message", json_string(message));
    journal_emit(call->journal, EVENT_TASK, data);
}

static void on_sent(void *context)
{
    struct sending *call = context;
    if (call->outcome->attempts == 1)
        call->began_ms = runtime_now_ms(call->journal->runtime);
}

/* "" where the run is part of no trace. */
static const char *span_of(const struct journal *journal, const struct invoke_request *request,
                           unsigned attempt, char out[static TRACE_SPAN_SIZE])
{
    const struct trace_call call = { journal->run_id,
                                     request->path ? request->path : request->step_id,
                                     request->tool->full_name, request->line, attempt };
    return *journal->trace.id ? trace_call_span(journal->digest, &call, out) : "";
}

static void emit_call(struct journal *journal, const struct invoke_request *request,
                      unsigned attempt, const char *effect_id)
{
    json_t *data = call_data(request);
    char out[TRACE_SPAN_SIZE];
    const char *span = span_of(journal, request, attempt, out);
    if (effect_id)
        json_object_set_new(data, "effect_id", json_string(effect_id));
    if (*span)
        json_object_set_new(data, "span_id", json_string(span));
    json_object_set_new(data, "args", json_share(request->arguments));
    json_object_set_new(data, "attempt", json_integer((json_int_t)attempt));
    journal_emit(journal, EVENT_TOOL_CALL, data);
}

static void emit_result(struct journal *journal, const struct invoke_request *request,
                        const struct invoke_outcome *outcome, enum err_code code,
                        const struct err *err)
{
    json_t *data = call_data(request);
    json_object_set_new(data, "duration_ms", json_integer(outcome->duration_ms));
    if (code) {
        json_t *error = json_pack("{s:s, s:s}", "code", err_name(code), "message", err->message);
        if (err->is_outcome_unknown)
            json_object_set_new(error, "outcome", json_string("unknown"));
        json_object_set_new(data, "error", error);
    } else {
        json_object_set_new(data, "is_error", json_boolean(outcome->result.is_error));
        json_object_set_new(data, "bytes", json_integer((json_int_t)outcome->result.length));
        json_object_set_new(data, "result", journal_result(journal, &outcome->result));
    }
    journal_emit(journal, EVENT_TOOL_RESULT, data);
}

/* What cannot be taken back is on disk as intended before it is sent. */
static enum err_code log_first(struct invoker *invoker, struct scope *scope, struct arena *arena,
                               const struct invoke_request *request, struct err *err)
{
    const struct err *failure = &invoker->ledger.failure;
    if (consent_repeats(invoker, arena, request) == HINT_YES)
        return ERR_NONE;
    if (failure->code && err)
        *err = *failure;
    if (failure->code)
        return err_prefix(err, failure->code, "not called");
    enum err_code r = journal_sync(invoker->journal, scope, err);
    if (r)
        (void)err_hint(err, r, "it was not called: what may not be repeated is logged first");
    return r;
}

void invoke_withdraw(struct invoker *invoker, const struct invoke_request *request,
                     const struct err *why)
{
    const struct invoke_outcome none = { 0 };
    struct err err = *why;
    (void)err_prefix(&err, why->code, "not sent");
    emit_result(invoker->journal, request, &none, why->code, &err);
}

enum err_code invoke_log(struct invoker *invoker, struct scope *scope,
                         struct invoke_request *const *requests, size_t n, struct err *err)
{
    struct err local, *why = err ? err : &local;
    for (size_t i = 0; i < n; i++) {
        emit_call(invoker->journal, requests[i], 1, NULL);
        requests[i]->is_logged = true;
    }
    AUTO(arena) scratch = { 0 };
    size_t first = 0; /* that may not be repeated */
    while (first < n && consent_repeats(invoker, &scratch, requests[first]) == HINT_YES)
        first++;
    enum err_code r =
        first < n ? log_first(invoker, scope, &scratch, requests[first], why) : ERR_NONE;
    for (size_t i = 0; r && i < n; i++)
        invoke_withdraw(invoker, requests[i], why);
    return r;
}

/* The call as the state of the run has it. */
static struct call_record record_of(struct invoker *invoker, struct arena *arena,
                                    const struct invoke_request *request, const char *identity)
{
    const struct call_address address = { .run_id = invoker->journal->run_id,
                                          .path = request->path,
                                          .identity = identity,
                                          .tool = request->tool->name,
                                          .args = request->arguments };
    return (struct call_record){
        .path = request->path,
        .tool = request->tool->full_name,
        .args = json_print_in(arena, request->arguments),
        .effect_id = call_effect_id(arena, invoker->services->digest, &address),
    };
}

/* A call that is sent again is the same call to its server, however that is configured by now. */
static bool is_sent_again(const struct call_record *record, const struct call_record *before)
{
    return before && text_equal(before->tool, record->tool) &&
           text_equal(before->args, record->args);
}

/* The record is of the call as the plan has it. */
static void keep_call(struct invoker *invoker, struct arena *arena, struct sending *sending)
{
    const struct invoke_request *request = sending->request;
    struct tool_server_status status = { 0 };
    const char *name = NULL;
    tool_server_status(toolbox_server_of(invoker->toolbox, request->tool), &status);
    sending->in_process = text_equal(status.transport, "in process");
    sending->record = record_of(invoker, arena, request, status.identity);
    if (is_sent_again(&sending->record, request->before))
        sending->record.effect_id = request->before->effect_id;
    if (invoke_takes_up(request)) {
        sending->record.attempt = request->before->attempt;
        sending->record.sent_at_ms = request->before->sent_at_ms;
        sending->record.task = request->before->task;
        sending->record.argument = request->before->argument;
        sending->state = CALL_UNCERTAIN;
        return;
    }
    if (consent_idempotency_argument(invoker, arena, request, &name, NULL) || !name)
        return;
    sending->record.argument = name;
    sending->arguments = with_effect_id(arena, request->arguments, name, sending->record.effect_id);
    if (sending->arguments == request->arguments)
        journal_warn(invoker->journal,
                     "step %s: the plan gives %.80s itself, and its value is what the server sees",
                     request->step_id, name);
}

/* Attempts are numbered on from those of earlier processes. */
static unsigned attempts_before(const struct invoke_request *request)
{
    return request->before ? request->before->attempt : 0;
}

/* A run without a state has its log to keep what cannot be taken back. */
static enum err_code intend(struct invoker *invoker, struct scope *scope, struct arena *arena,
                            struct sending *sending, struct err *err)
{
    struct call_record *record = &sending->record;
    if (!record->path)
        return log_first(invoker, scope, arena, sending->request, err);
    sending->may_repeat =
        !record->argument && consent_may_repeat(invoker, scope, arena, sending->request, NULL);
    record->state = CALL_SENT;
    record->task = NULL; /* of an earlier attempt */
    record->attempt = attempts_before(sending->request) + sending->outcome->attempts;
    record->sent_at_ms = runtime_wall_ms(invoker->services->runtime);
    return call_ledger_intend(&invoker->ledger, scope, record, sending->may_repeat, err);
}

struct result_bound {
    enum setting_id setting;
    int64_t bytes;
};

/* Of what a person asked for no model has to read the result. */
static struct result_bound bound_of(const struct invoker *invoker,
                                    const struct invoke_request *request)
{
    const struct settings *settings = invoker->services->settings;
    if (request->named_by_user)
        return (struct result_bound){ SETTING_tools_cli_result_bytes,
                                      settings->tools_cli_result_bytes };
    return (struct result_bound){ SETTING_tools_max_result_bytes,
                                  settings->tools_max_result_bytes };
}

/* A call whose result cannot be used was carried out all the same, unless its tool says otherwise:
 * only where that does no harm does it count as one to be tried again. What came is kept, unless it
 * is too large for that. */
static void put_result(struct invoker *invoker, struct arena *arena, const struct sending *sending,
                       struct call_record *record)
{
    const struct step_result *kept = &sending->came;
    if ((int64_t)kept->length > bound_of(invoker, sending->request).bytes)
        kept = &sending->outcome->result;
    bool may_try_again = sending->unusable && sending->may_repeat;
    record->state = sending->came.is_error || may_try_again ? CALL_FAILED : CALL_DONE;
    record->result = kept->bytes;
    record->result_length = kept->length;
    if (sending->unusable) {
        json_auto_t *error =
            json_pack("{s:s, s:s}", "code", err_name(ERR_FAILED), "message", sending->unusable);
        record->error = json_print_in(arena, error);
    }
}

/* Fails where what became of the call cannot be kept. */
static enum err_code settle(struct invoker *invoker, struct scope *scope, struct arena *arena,
                            struct sending *sending, enum err_code r, const struct err *why,
                            struct err *err)
{
    struct call_record *record = &sending->record;
    record->duration_ms = sending->outcome->duration_ms;
    if (r) {
        json_auto_t *error = err_to_json(why);
        record->state = sending->state;
        bool may_look_again = why->code == ERR_UNAVAILABLE || why->code == ERR_TIMEOUT ||
                              why->code == ERR_CANCELLED || why->code == ERR_AUTH;
        record->task = may_look_again ? record->task : NULL;
        record->error = json_print_in(arena, error);
    } else {
        put_result(invoker, arena, sending, record);
    }
    return call_ledger_settle(&invoker->ledger, scope, record, sending->may_repeat, err);
}

/* One sending, or a look at the task that an earlier one became. */
static enum err_code attempt(struct invoker *invoker, struct scope *scope, struct arena *arena,
                             struct sending *sending, struct tool_call *call, struct err *err)
{
    const struct invoke_request *request = sending->request;
    struct invoke_outcome *outcome = sending->outcome;
    bool is_sent = !invoke_takes_up(request);
    unsigned number = attempts_before(request) + (is_sent ? outcome->attempts + 1 : 0);
    char span[TRACE_SPAN_SIZE];
    if (is_sent && (outcome->attempts || !request->is_logged))
        emit_call(invoker->journal, request, number, sending->record.effect_id);
    call->trace = trace_print(arena, &invoker->journal->trace,
                              span_of(invoker->journal, request, number, span));
    struct place *place = NULL; /* taken first: what waits for one has not been sent */
    outcome->attempts++;
    enum err_code r = call_place_take(invoker->services, scope, request->tool->server, &place, err);
    if (!r && is_sent && !request->is_logged)
        r = intend(invoker, scope, arena, sending, err);
    if (!r)
        r = scope_check(scope, runtime_now_ms(invoker->services->runtime), err);
    bool may_call = !r;
    if (may_call)
        r = tool_server_call(toolbox_server_of(invoker->toolbox, request->tool), scope, call, arena,
                             &outcome->result, err);
    places_give_back(invoker->services->places, place);
    /* An attempt that was not carried out says nothing of earlier ones. */
    enum call_state state = r ? call_state_of(err, sending->in_process) : CALL_DONE;
    if (may_call && state != CALL_PENDING)
        sending->state = state;
    return r;
}

static struct retry_policy policy_of(const struct settings *settings,
                                     const struct invoke_request *request)
{
    const struct step_retry *retries = request->retries;
    struct retry_policy policy = {
        .attempts = request->attempts ? request->attempts : (unsigned)settings->tools_attempts,
        .first_delay_ms = settings->tools_retry_delay_ms,
        .max_delay_ms = INVOKE_MAX_RETRY_DELAY_MS,
    };
    if (retries && retries->delay_ms >= 0) {
        policy.first_delay_ms = retries->delay_ms;
        policy.max_delay_ms = INT64_MAX;
    }
    if (retries && retries->is_fixed)
        policy.max_delay_ms = policy.first_delay_ms;
    return policy;
}

/* ERR_NONE: the tool itself failed. */
static bool is_reason(const struct step_retry *retries, enum err_code code)
{
    return !retries              ? code != ERR_NONE
           : code == ERR_NONE    ? retries->on_error
           : code == ERR_TIMEOUT ? retries->on_timeout
                                 : retries->on_unavailable;
}

/* The loop that decides whether a call is made again. */
static enum err_code call_until_answered(struct invoker *invoker, struct scope *scope,
                                         struct arena *arena, struct sending *sending,
                                         struct err *err)
{
    const struct invoke_request *request = sending->request;
    struct invoke_outcome *outcome = sending->outcome;
    const struct settings *settings = invoker->services->settings;
    struct runtime *runtime = invoker->services->runtime;
    const struct retry_policy policy = policy_of(settings, request);
    struct tool_call call = {
        .name = request->tool->name,
        .arguments = sending->arguments,
        .silence_ms = request->silence_ms,
        .max_ms = settings->tools_call_max_seconds * 1000,
        .on_progress = on_progress,
        .max_in_flight = request->max_in_flight,
        .on_sent = request->max_in_flight ? on_sent : NULL,
        .on_task = on_task,
        .task = invoke_takes_up(request) ? request->before->task : NULL,
        .effect_id = sending->record.effect_id,
        .answerer = &sending->answering.answerer,
        .context = sending,
    };
    for (;;) {
        int64_t delay_ms = 0;
        enum err_code r = attempt(invoker, scope, arena, sending, &call, err);
        bool has_failed = !r && outcome->result.is_error && request->retries;
        if ((!r && !has_failed) || scope_check(scope, runtime_now_ms(runtime), NULL) ||
            !is_reason(request->retries, r) ||
            !retry_again(&policy, outcome->attempts, r ? r : ERR_UNAVAILABLE, &delay_ms) ||
            !consent_may_repeat(invoker, scope, arena, request, sending->record.argument))
            return r;
        journal_warn(invoker->journal, "%.200s: %s; trying again", request->tool->full_name,
                     r ? err->message : "the tool failed");
        r = runtime_sleep(runtime, scope, delay_ms, err);
        if (r)
            return r;
    }
}

/* Why a result cannot be used; NULL: it can. */
static const char *find_fault(struct invoker *invoker, struct arena *arena,
                              const struct invoke_request *request, struct step_result *result)
{
    const struct tool *tool = request->tool;
    const struct result_bound bound = bound_of(invoker, request);
    step_result_limit(result, (size_t)invoker->services->settings->mcp_max_values);
    if ((int64_t)result->length > bound.bytes)
        return arena_printf(arena, "the result has %zu bytes, more than %s (%lld)", result->length,
                            settings_table[bound.setting].key, (long long)bound.bytes);
    const json_t *structured =
        tool->output_schema && !result->is_error ? step_result_structured(result) : NULL;
    if (!structured)
        return NULL;
    const struct json_schema *schema = compiled(invoker, tool, tool->output_schema);
    struct problems problems = { .arena = arena };
    if (!schema || json_schema_accepts(schema, structured, &problems))
        return NULL;
    const char *why = problems.n ? problem_print(&problems, problems.list) : "it does not fit";
    return arena_printf(arena, "the result breaks the tool's own output schema: %s", why);
}

/* A result that cannot be used is replaced by one of ours that says so, and whoever made the call
 * treats it like any other failure of the tool. */
static void check_result(struct invoker *invoker, struct arena *arena, struct sending *sending)
{
    struct step_result *result = &sending->outcome->result;
    sending->came = *result;
    sending->unusable = find_fault(invoker, arena, sending->request, result);
    if (sending->unusable)
        step_result_from_text(arena, sending->unusable, NULL, true, result);
}

static void describe_dry_run(struct arena *arena, const struct invoke_request *request,
                             struct invoke_outcome *out)
{
    const char *text = arena_printf(arena, "would call %s %s", request->tool->full_name,
                                    json_print_in(arena, request->arguments));
    json_t *structured = json_pack("{s:b, s:s, s:O}", "dry_run", 1, "tool",
                                   request->tool->full_name, "args", request->arguments);
    *out = (struct invoke_outcome){ 0 };
    step_result_from_text(arena, text, structured, false, &out->result);
}

enum err_code invoke_send(struct invoker *invoker, struct scope *scope, struct arena *arena,
                          const struct invoke_request *request, struct invoke_outcome *out,
                          struct err *err)
{
    if (request->dry_run) {
        describe_dry_run(arena, request, out);
        return ERR_NONE;
    }
    struct err local;
    struct err *why = err ? err : &local;
    struct invoke_outcome outcome = { 0 };
    struct sending sending = { .journal = invoker->journal,
                               .arena = arena,
                               .ledger = &invoker->ledger,
                               .request = request,
                               .arguments = request->arguments,
                               .outcome = &outcome,
                               .began_ms = runtime_now_ms(invoker->services->runtime) };
    answering_init(&sending.answering, invoker->services, invoker->journal,
                   (struct asker){ .server = request->tool->server,
                                   .work = ASKER_TOOL,
                                   .name = request->tool->full_name,
                                   .step_id = request->step_id });
    if (invoker->ledger.state && request->path)
        keep_call(invoker, arena, &sending);
    enum err_code r = call_until_answered(invoker, scope, arena, &sending, why);
    outcome.duration_ms = runtime_now_ms(invoker->services->runtime) - sending.began_ms;
    if (!r)
        check_result(invoker, arena, &sending);
    struct err unkept;
    enum err_code kept =
        sending.record.path ? settle(invoker, scope, arena, &sending, r, why, &unkept) : ERR_NONE;
    emit_result(invoker->journal, request, &outcome, r, why);
    if (!r && kept) { /* nobody is told of what a resumed run would not know */
        *why = unkept;
        why->is_outcome_unknown = true;
        r = err_prefix(why, kept, "it was answered, and its result cannot be kept");
    }
    if (r)
        return err_prefix(why, r, "%.200s", request->tool->full_name);
    *why = (struct err){ .code = ERR_NONE }; /* of an earlier attempt */
    *out = outcome;
    return ERR_NONE;
}

enum err_code invoke(struct invoker *invoker, struct scope *scope, struct arena *arena,
                     const struct invoke_request *request, struct invoke_outcome *out,
                     struct err *err)
{
    enum err_code r = invoke_permit(invoker, scope, arena, request, err);
    return r ? r : invoke_send(invoker, scope, arena, request, out, err);
}
