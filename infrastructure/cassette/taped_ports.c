/* Models, renderers, the checker of candidates and the person, recorded and replayed. */
#include "domain/base/json.h"
#include "infrastructure/cassette/cassette_messages.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/cassette/cassette_recorder.h"
#include <stdint.h>
#include <string.h>

static const struct cassette_party drawing_party = { CASSETTE_PROCESS, "renderer" };
static const struct cassette_party checking_party = { CASSETTE_PROCESS, "checker" };
static const struct cassette_party person = { CASSETTE_PERSON, "user" };

/* Found by the functions of the port: they are a part of it. */
struct taped {
    union {
        struct model_ops model;
        struct renderer_ops renderer;
        struct candidate_checker_ops checker;
        struct user_ops user;
        struct browser_ops browser;
        struct approval_repository_ops approvals;
    } ops;
    union {
        const struct model_ops *model;
        const struct renderer_ops *renderer;
        const struct candidate_checker_ops *checker;
        const struct user_ops *user;
        const struct browser_ops *browser;
        const struct approval_repository_ops *approvals;
    } real; /* while recording */
    union {
        struct model model;
        struct renderer renderer;
        struct candidate_checker checker;
        struct user user;
        struct browser browser;
        struct approval_repository approvals;
    } port; /* while replaying */
    struct cassette_party party;
    struct cassette_recorder *recorder; /* or */
    struct cassette *cassette;
    bool is_present;    /* of a person, while replaying */
    struct taped *next; /* people of other functions, while recording: each has many, as every call
                         * of `serve agent` has one */
};

/* A request on its way. */
struct passing {
    const struct taped *port;
    const struct cassette_message *message;
    struct cassette_exchange exchange;
    struct err why;
    const json_t *request; /* that the cassette is asked */
};

static const struct taped *of(const void *ops)
{
    return (const struct taped *)ops;
}

/* One of the two is NULL. */
static struct taped *create(struct cassette_recorder *recorder, struct cassette *cassette,
                            struct cassette_party party)
{
    struct taped *t = arena_new(
        recorder ? cassette_recorder_arena(recorder) : cassette_arena(cassette), struct taped);
    *t = (struct taped){ .recorder = recorder, .cassette = cassette, .party = party };
    return t;
}

static struct passing begin(const void *ops, struct scope *sc,
                            const struct cassette_message *message, const void *asked)
{
    const struct taped *port = of(ops);
    struct passing passing = { .port = port, .message = message };
    json_t *params = message->params ? message->params(asked) : NULL;
    passing.exchange = (struct cassette_exchange){ port->recorder, port->party, sc, 0 };
    if (port->recorder)
        cassette_record_request(&passing.exchange, message->method, params);
    else
        passing.request = cassette_request(message->method, params);
    return passing;
}

/* r: what the real port made of it, with passing->why. */
static enum err_code recorded(const struct passing *passing, enum err_code r, const void *out,
                              struct err *err)
{
    json_auto_t *result = r                          ? NULL
                          : passing->message->result ? passing->message->result(out)
                                                     : json_object();
    auto_str text = result ? json_print(result) : NULL;
    return cassette_record_answer(&passing->exchange, text, text ? strlen(text) : 0, CASSETTE_PROSE,
                                  &passing->why, err);
}

/* Time does not pass in a replay: only who cancelled is not answered. arena may be NULL where *out
 * has nothing of it. */
static enum err_code replayed(const struct passing *passing, struct arena *arena, void *out,
                              struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct cassette_message *message = passing->message;
    json_auto_t *request = (json_t *)(uintptr_t)passing->request;
    struct cassette_answer answer;
    json_t *value = NULL;
    enum err_code r = scope_check(passing->exchange.scope, 0, err);
    if (!r)
        r = cassette_take(passing->port->cassette, &passing->port->party, request, message->repeats,
                          &answer, err);
    if (!r)
        r = json_parse(answer.result, answer.length, JSON_FOREIGN, &value, err);
    if (r)
        return r;
    arena = arena ? arena : &scratch;
    (void)arena_keep_json(arena, value);
    return !message->read || message->read(arena, value, out)
               ? ERR_NONE
               : err_set(err, ERR_INVALID, 0, "the recorded %s cannot be read", message->method);
}

/* What is called is the real port, where there is one. */
#define PASS(passing, call, arena, out, err)                                                       \
    ((passing).port->recorder ? recorded(&(passing), call, out, err)                               \
                              : replayed(&(passing), arena, out, err))

static enum err_code check_model(struct model *model, struct scope *sc, struct arena *arena,
                                 struct model_status *out, struct err *err)
{
    struct passing p = begin(model->ops, sc, &cassette_model_check, NULL);
    return PASS(p, p.port->real.model->check(model, sc, arena, out, &p.why), arena, out, err);
}

static enum err_code chat(struct model *model, struct scope *sc,
                          const struct model_request *request, struct arena *arena,
                          struct model_reply *out, struct err *err)
{
    struct passing p = begin(model->ops, sc, &cassette_chat, request);
    if (p.port->recorder)
        return recorded(&p, p.port->real.model->chat(model, sc, request, arena, out, &p.why), out,
                        err);
    enum err_code r = replayed(&p, arena, out, err);
    if (!r && request->on_token && *out->text)
        (void)request->on_token(request->context, out->text, strlen(out->text));
    return r;
}

static enum err_code count_tokens(struct model *model, struct scope *sc, const char *text,
                                  int64_t *out, struct err *err)
{
    struct passing p = begin(model->ops, sc, &cassette_count_tokens, text);
    return PASS(p, p.port->real.model->count_tokens(model, sc, text, out, &p.why), NULL, out, err);
}

static enum err_code list_itself(struct model *model, struct scope *sc, struct arena *arena,
                                 const char ***out_names, size_t *out_n, struct err *err)
{
    (void)sc;
    (void)err;
    *out_names = arena_array(arena, const char *, 1);
    (*out_names)[0] = arena_strdup(arena, of(model->ops)->party.name);
    *out_n = 1;
    return ERR_NONE;
}

static void keep_model(struct model *model)
{
    (void)model;
}

void cassette_record_model(struct cassette_recorder *recorder, const char *name, json_t *facts,
                           struct model *model)
{
    struct taped *t = create(recorder, NULL, (struct cassette_party){ CASSETTE_MODEL, name });
    t->ops.model = *model->ops;
    t->ops.model.check = check_model;
    t->ops.model.chat = chat;
    t->ops.model.count_tokens = model->ops->count_tokens ? count_tokens : NULL;
    json_object_set_new(facts, "counts_tokens", json_boolean(model->ops->count_tokens != NULL));
    t->party.name = cassette_record_start(recorder, &t->party, facts);
    t->real.model = model->ops;
    model->ops = &t->ops.model;
}

struct model *cassette_model(struct cassette *cassette, struct cassette_member *member)
{
    if (member->port)
        return member->port;
    struct taped *t = create(NULL, cassette, member->party);
    bool counts = json_get_bool(member->facts, "counts_tokens", false);
    t->ops.model = (struct model_ops){ .check = check_model,
                                       .list = list_itself,
                                       .chat = chat,
                                       .count_tokens = counts ? count_tokens : NULL,
                                       .destroy = keep_model };
    t->port.model.ops = &t->ops.model;
    return member->port = &t->port.model;
}

static enum err_code available(struct renderer *renderer, struct scope *sc, struct err *err)
{
    struct passing p = begin(renderer->ops, sc, &cassette_available, NULL);
    return PASS(p, p.port->real.renderer->available(renderer, sc, &p.why), NULL, NULL, err);
}

static enum err_code render(struct renderer *renderer, struct scope *sc,
                            const struct drawing *drawing, struct arena *arena, struct picture *out,
                            struct err *err)
{
    struct passing p = begin(renderer->ops, sc, &cassette_render, drawing);
    return PASS(p, p.port->real.renderer->render(renderer, sc, drawing, arena, out, &p.why), arena,
                out, err);
}

static void keep_renderer(struct renderer *renderer)
{
    (void)renderer;
}

void cassette_record_renderer(struct cassette_recorder *recorder, struct renderer *renderer)
{
    struct taped *t = create(recorder, NULL, drawing_party);
    t->ops.renderer = (struct renderer_ops){ available, render, renderer->ops->destroy };
    (void)cassette_record_start(recorder, &drawing_party,
                                json_pack("{s:b}", "takes_plots", renderer->takes_plots));
    t->real.renderer = renderer->ops;
    renderer->ops = &t->ops.renderer;
}

struct renderer *cassette_renderer(struct cassette *cassette)
{
    struct taped *t = create(NULL, cassette, drawing_party);
    const struct cassette_member *member = cassette_find(cassette, &drawing_party);
    t->ops.renderer = (struct renderer_ops){ available, render, keep_renderer };
    t->port.renderer.ops = &t->ops.renderer;
    t->port.renderer.takes_plots = member && json_get_bool(member->facts, "takes_plots", false);
    return &t->port.renderer;
}

static enum err_code check_candidate(struct candidate_checker *checker, struct scope *sc,
                                     const struct candidate_trial *trial, struct arena *arena,
                                     const char **out, struct err *err)
{
    struct passing p = begin(checker->ops, sc, &cassette_trial, trial);
    return PASS(p, p.port->real.checker->check(checker, sc, trial, arena, out, &p.why), arena, out,
                err);
}

void cassette_record_checker(struct cassette_recorder *recorder, struct candidate_checker *checker)
{
    struct taped *t = create(recorder, NULL, checking_party);
    t->ops.checker.check = check_candidate;
    t->real.checker = checker->ops;
    checker->ops = &t->ops.checker;
}

struct candidate_checker *cassette_checker(struct cassette *cassette)
{
    struct taped *t = create(NULL, cassette, checking_party);
    t->ops.checker.check = check_candidate;
    t->port.checker.ops = &t->ops.checker;
    return &t->port.checker;
}

static enum err_code open_page(struct browser *browser, struct scope *sc, const char *url,
                               struct err *err)
{
    struct passing p = begin(browser->ops, sc, &cassette_open_page, url);
    return PASS(p, p.port->real.browser->open(browser, sc, url, &p.why), NULL, NULL, err);
}

static void keep_browser(struct browser *browser)
{
    (void)browser;
}

void cassette_record_browser(struct cassette_recorder *recorder, struct browser *browser)
{
    struct taped *t = create(recorder, NULL, person);
    t->ops.browser = (struct browser_ops){ open_page, browser->ops->destroy };
    t->real.browser = browser->ops;
    browser->ops = &t->ops.browser;
}

struct browser *cassette_browser(struct cassette *cassette)
{
    struct taped *t = create(NULL, cassette, person);
    t->ops.browser = (struct browser_ops){ open_page, keep_browser };
    t->port.browser.ops = &t->ops.browser;
    return &t->port.browser;
}

static bool is_present(struct user *user)
{
    return of(user->ops)->is_present;
}

static enum err_code ask(struct user *user, struct scope *sc, const struct form *form,
                         struct arena *arena, json_t **out, struct err *err)
{
    struct passing p = begin(user->ops, sc, &cassette_form, form);
    return PASS(p, p.port->real.user->ask(user, sc, form, arena, out, &p.why), arena, out, err);
}

static enum err_code confirm(struct user *user, struct scope *sc,
                             const struct confirmation *confirmation, struct err *err)
{
    struct passing p = begin(user->ops, sc, &cassette_confirm, confirmation);
    return PASS(p, p.port->real.user->confirm(user, sc, confirmation, &p.why), NULL, NULL, err);
}

static enum err_code approve(struct user *user, struct scope *sc,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    struct passing p = begin(user->ops, sc, &cassette_approve, request->tool->name);
    return PASS(p, p.port->real.user->approve(user, sc, request, out, &p.why), NULL, out, err);
}

void cassette_record_user(struct cassette_recorder *recorder, const struct scope *scope,
                          struct user *user, bool approves_all)
{
    struct cassette_exchange exchange = { recorder, person, scope, 0 };
    const bool presence[] = { user_present(user), approves_all };
    const struct err none = { 0 };
    json_auto_t *result = cassette_present.result(presence);
    auto_str text = json_print(result);
    cassette_record_request(&exchange, cassette_present.method, NULL);
    (void)cassette_record_answer(&exchange, text, strlen(text), CASSETTE_PROSE, &none, NULL);
    if (user->ops->ask == ask)
        return;
    struct taped *t = *cassette_recorder_people(recorder);
    while (t && t->real.user != user->ops)
        t = t->next;
    if (!t) {
        t = create(recorder, NULL, person);
        t->ops.user = (struct user_ops){ user->ops->present, ask, confirm, approve };
        t->real.user = user->ops;
        t->next = *cassette_recorder_people(recorder);
        *cassette_recorder_people(recorder) = t;
    }
    user->ops = &t->ops.user;
}

struct user *cassette_user(struct cassette *cassette, bool *out_approves_all)
{
    struct scope unbounded = scope_child(NULL, SCOPE_NO_DEADLINE);
    bool presence[2] = { false, true };
    json_auto_t *request = cassette_request(cassette_present.method, NULL);
    struct taped *t = create(NULL, cassette, person);
    t->ops.user = (struct user_ops){ is_present, ask, confirm, approve };
    t->port.user.ops = &t->ops.user;
    if (cassette_has(cassette, &person, request)) {
        struct passing p = begin(t->port.user.ops, &unbounded, &cassette_present, NULL);
        (void)!replayed(&p, NULL, presence, NULL);
    }
    t->is_present = presence[0];
    *out_approves_all = presence[1];
    return &t->port.user;
}

static enum err_code has_approval(struct approval_repository *repository, struct scope *sc,
                                  const struct approval *approval, bool *out, struct err *err)
{
    struct passing p = begin(repository->ops, sc, &cassette_approved, approval);
    return PASS(p, p.port->real.approvals->has(repository, sc, approval, out, &p.why), NULL, out,
                err);
}

void cassette_record_approvals(struct cassette_recorder *recorder,
                               struct approval_repository *approvals)
{
    struct taped *t = create(recorder, NULL, person);
    t->ops.approvals = *approvals->ops;
    t->ops.approvals.has = has_approval;
    t->real.approvals = approvals->ops;
    approvals->ops = &t->ops.approvals;
}

static enum err_code add_nothing(struct approval_repository *repository, struct scope *sc,
                                 const struct approval *approval, struct err *err)
{
    (void)repository;
    (void)sc;
    (void)approval;
    (void)err;
    return ERR_NONE;
}

static void keep_approvals(struct approval_repository *repository)
{
    (void)repository;
}

struct approval_repository *cassette_approvals(struct cassette *cassette)
{
    struct taped *t = create(NULL, cassette, person);
    t->ops.approvals =
        (struct approval_repository_ops){ has_approval, add_nothing, keep_approvals };
    t->port.approvals.ops = &t->ops.approvals;
    return &t->port.approvals;
}
