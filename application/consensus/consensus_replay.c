#include "application/consensus/consensus_replay.h"
#include "application/consensus/consensus.h"
#include "application/consensus/consensus_record.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

struct replaying {
    struct arena *arena;
    struct controller *controller;
    const json_t *ended;
    const struct event *last_unread; /* the turn in which an agent was lost; NULL: none was */
    struct consensus_replay out;
};

static enum err_code no_record(struct err *err)
{
    enum err_code r = err_set(err, ERR_UNAVAILABLE, 0, "the log kept no texts of this run");
    return err_hint(err, r, "set runs.store_text to true before a run that is to be replayed");
}

/* What the agent said, before the controller changed anything of it. */
static enum err_code read_envelope(struct replaying *p, const json_t *data, struct envelope *out,
                                   struct err *err)
{
    struct problems problems = { .arena = p->arena };
    const json_t *value = json_object_get(data, "envelope"), *raw = json_object_get(data, "raw");
    const char *text = json_get_string(raw, "text");
    json_t *parsed = NULL;
    if (raw && !text)
        return no_record(err);
    enum err_code r = raw ? json_parse(text, strlen(text), JSON_FOREIGN, &parsed, err) : ERR_NONE;
    if (r)
        return err_prefix(err, r, "round %lld", (long long)json_get_int(data, "round", 0));
    if (raw)
        value = arena_keep_json(p->arena, parsed);
    if (!json_object_get(value, "status"))
        return no_record(err);
    if (!envelope_from_json(p->arena, value, out, &problems))
        return err_set(err, ERR_INVALID, 0, "round %lld: %s",
                       (long long)json_get_int(data, "round", 0),
                       problems.n ? problem_print(&problems, problems.list) : "no envelope");
    return ERR_NONE;
}

static const char *unread_reason(const json_t *data)
{
    const json_t *remarks = json_object_get(data, "remarks");
    const char *text = json_get_string(json_array_get(remarks, 0), "text");
    return text ? text : "no envelope came";
}

static void differ(struct replaying *p, const char *text)
{
    if (!p->out.difference)
        p->out.difference = text;
}

static const char *shown(const char *text)
{
    return text ? text : "nothing";
}

static void compare_turn(struct replaying *p, const json_t *data,
                         const struct controller_verdict *verdict)
{
    const char *where =
        arena_printf(p->arena, "round %lld, agent %.8s", (long long)json_get_int(data, "round", 0),
                     shown(json_get_string(data, "agent")));
    const char *hash = json_get_string(data, "sha256");
    const char *status = json_get_string(json_object_get(data, "envelope"), "status");
    bool counted = json_get_bool(data, "counts", false);
    if (counted != verdict->counts)
        differ(p, arena_printf(p->arena, "%s: the candidate %s and now %s", where,
                               counted ? "counted" : "did not count",
                               verdict->counts ? "counts" : "does not"));
    if (!text_equal(hash, verdict->sha256))
        differ(p, arena_printf(p->arena, "%s: the hash was %.64s and now is %.64s", where,
                               shown(hash), shown(verdict->sha256)));
    const char *now = envelope_status_name(verdict->envelope.status);
    if (status && !text_equal(status, now))
        differ(p, arena_printf(p->arena, "%s: the status was %.40s and now is %s", where, status,
                               now));
}

static enum err_code play_turn(struct replaying *p, const struct event *event, struct err *err)
{
    const json_t *data = event->data;
    unsigned agent = text_equal(json_get_string(data, "agent"), "b") ? 1 : 0;
    struct controller_verdict verdict;
    struct envelope envelope;
    if (controller_end(p->controller) != CONSENSUS_RUNNING) {
        differ(p, arena_printf(p->arena, "round %lld: the run is over by now",
                               (long long)json_get_int(data, "round", 0)));
        return ERR_NONE;
    }
    if (!controller_may_speak(p->controller, agent))
        return err_set(err, ERR_INVALID, 0, "round %lld: agent %c speaks out of turn",
                       (long long)json_get_int(data, "round", 0), agent ? 'b' : 'a');
    if (json_object_get(data, "envelope")) {
        enum err_code r = read_envelope(p, data, &envelope, err);
        if (r)
            return r;
        verdict =
            controller_take(p->controller, agent, &envelope, json_get_string(data, "checked"));
    } else {
        verdict = controller_take_nothing(p->controller, agent, unread_reason(data),
                                          event == p->last_unread);
    }
    p->out.turns++;
    (void)controller_take_hint(p->controller);
    compare_turn(p, data, &verdict);
    return ERR_NONE;
}

/* Whether agents were lost says the end of the record; by whom, the last turn without a word. */
static const struct event *find_lost(const struct event *events, size_t n, const json_t *ended)
{
    const struct event *last = NULL;
    if (!text_equal(json_get_string(ended, "end"), consensus_end_name(CONSENSUS_AGENTS_LOST)))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == EVENT_ENVELOPE && !json_object_get(events[i].data, "envelope"))
            last = &events[i];
    return last;
}

static void compare_end(struct replaying *p)
{
    const char *was = json_get_string(p->ended, "end"), *now = consensus_end_name(p->out.end);
    const char *hash = json_get_string(p->ended, "sha256"), *ours = NULL;
    if (p->out.end == CONSENSUS_CONSENSUS)
        ours = controller_standing(p->controller, 0)->sha256;
    if (!text_equal(was, now))
        differ(p,
               arena_printf(p->arena, "the run ended with %.40s and now with %s", shown(was), now));
    if (!text_equal(hash, ours))
        differ(p, arena_printf(p->arena, "the agreed hash was %.64s and now is %.64s", shown(hash),
                               shown(ours)));
}

static enum err_code read_rules(const json_t *started, struct controller_rules *out,
                                struct err *err)
{
    const char *kind = json_get_string(started, "kind");
    int64_t max_rounds = json_get_int(started, "max_rounds", 0);
    out->task = json_get_string(json_object_get(started, "task"), "text");
    if (!out->task)
        return no_record(err);
    if (!kind || !canonical_kind_parse(kind, &out->kind) || max_rounds < 1 ||
        max_rounds > CONTROLLER_MAX_ROUNDS)
        return err_set(err, ERR_INVALID, 0, "the record of its start is broken");
    out->max_rounds = (unsigned)max_rounds;
    return ERR_NONE;
}

enum err_code consensus_replay(struct arena *arena, struct digest *digest,
                               const struct event *events, size_t n, struct consensus_replay *out,
                               struct err *err)
{
    const json_t *started = consensus_event_data(events, n, EVENT_CONSENSUS_STARTED);
    struct replaying p = { .arena = arena };
    struct controller_rules rules = { 0 };
    p.ended = consensus_event_data(events, n, EVENT_CONSENSUS_ENDED);
    if (!started || !p.ended)
        return err_set(err, ERR_INVALID, 0, "%s",
                       started ? "the run was cut off" : "this is no run of two agents");
    enum err_code r = read_rules(started, &rules, err);
    if (r)
        return r;
    p.controller = controller_create(arena, digest, &rules);
    p.last_unread = find_lost(events, n, p.ended);
    for (size_t i = 0; i < n && !r && p.out.turns < CONSENSUS_REPLAY_MAX_TURNS; i++)
        if (events[i].kind == EVENT_ENVELOPE)
            r = play_turn(&p, &events[i], err);
    if (r)
        return r;
    p.out.end = controller_end(p.controller);
    compare_end(&p);
    *out = p.out;
    return ERR_NONE;
}
