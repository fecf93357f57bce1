#include "presentation/cli/events/event_text_jobs.h"
#include "domain/base/json.h"
#include "presentation/cli/events/event_words.h"

typedef const char *text_fn(struct arena *arena, const json_t *data);

static long long number(const json_t *data, const char *key)
{
    return (long long)json_get_int(data, key, 0);
}

static const char *plural(const json_t *data, const char *key)
{
    return number(data, key) == 1 ? "" : "s";
}

/* "Writer by mock_rule" or "Physicist by mistral:7b" */
static const char *agent_text(struct arena *arena, const json_t *agent)
{
    const char *model = event_member(arena, agent, "model");
    return arena_printf(arena, "%s by %s", event_member(arena, agent, "role"),
                        *model ? model : event_member(arena, agent, "by"));
}

static const char *consensus_started_text(struct arena *arena, const json_t *data)
{
    const json_t *agents = json_object_get(data, "agents");
    return arena_printf(
        arena, "%s and %s, kind %s, at most %lld round%s",
        agent_text(arena, json_array_get(agents, 0)), agent_text(arena, json_array_get(agents, 1)),
        event_member(arena, data, "kind"), number(data, "max_rounds"), plural(data, "max_rounds"));
}

/* "round 2, b SOLVED: 4; takes over the answer of a" */
static const char *envelope_text(struct arena *arena, const json_t *data)
{
    const json_t *envelope = json_object_get(data, "envelope");
    const char *remarks = event_joined(arena, json_object_get(data, "remarks"), "text", "; ");
    const char *said = event_member(arena, data, "canonical");
    if (!*said)
        said = event_member(arena, json_object_get(envelope, "final_solution"), "canonical_text");
    if (!*said)
        said = event_member(arena, envelope, "public_message");
    const char *status = event_member(arena, envelope, "status");
    return arena_printf(arena, "round %lld, %s%s%s%s%s%s%s", number(data, "round"),
                        event_member(arena, data, "agent"), *status ? " " : "", status,
                        *said ? ": " : "", said, *remarks ? "; " : "", remarks);
}

static const char *hint_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "round %lld, to both: %s", number(data, "round"),
                        event_member(arena, data, "text"));
}

static const char *vote_text(struct arena *arena, const json_t *data)
{
    const char *text = event_member(arena, data, "text");
    return arena_printf(arena, "%lld of %lld usable answers: %s%s", number(data, "agree"),
                        number(data, "usable"), *text ? text : "no winner",
                        event_ms(arena, data, "ms"));
}

static const char *consensus_ended_text(struct arena *arena, const json_t *data)
{
    const char *text = event_member(arena, data, "text");
    const char *error = event_member(arena, json_object_get(data, "error"), "message");
    return arena_printf(arena, "%s after %lld round%s%s%s%s%s%s", event_member(arena, data, "end"),
                        number(data, "rounds"), plural(data, "rounds"),
                        json_get_bool(data, "promoted", false) ? ", promoted" : "",
                        *text ? ": " : "", text, *error ? ": " : "", error);
}

static const char *by_text(struct arena *arena, const json_t *data)
{
    const char *model = event_member(arena, data, "model");
    return *model ? model : event_member(arena, data, "by");
}

static const char *figure_started_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s by %s, style %s, %lld references, at most %lld round%s",
                        event_member(arena, data, "mode"), by_text(arena, data),
                        event_member(arena, data, "style"), number(data, "pool"),
                        number(data, "max_rounds"), plural(data, "max_rounds"));
}

static const char *stage_started_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s, round %lld", event_member(arena, data, "stage"),
                        number(data, "round"));
}

static const char *stage_finished_text(struct arena *arena, const json_t *data)
{
    const char *note = event_member(arena, data, "note");
    return arena_printf(arena, "%s, round %lld, by %s%s%s%s", event_member(arena, data, "stage"),
                        number(data, "round"), by_text(arena, data), event_ms(arena, data, "ms"),
                        *note ? ": " : "", note);
}

static const char *findings_text(struct arena *arena, const json_t *data)
{
    const json_t *findings = json_object_get(data, "findings");
    const char *said = event_joined(arena, findings, "message", "; ");
    return arena_printf(arena, "round %lld: %s", number(data, "round"),
                        *said ? said : "nothing was found");
}

static const char *rendered_text(struct arena *arena, const json_t *data)
{
    const char *error = event_member(arena, data, "error");
    if (!json_get_bool(data, "rendered", false))
        return arena_printf(arena, "round %lld: no picture%s%s", number(data, "round"),
                            *error ? ": " : "", error);
    const char *renderer = event_member(arena, data, "renderer");
    return arena_printf(arena, *renderer ? "round %lld: drawn by %s" : "round %lld: a script%s",
                        number(data, "round"), renderer);
}

static const char *figure_ended_text(struct arena *arena, const json_t *data)
{
    const char *error = event_member(arena, json_object_get(data, "error"), "message");
    return arena_printf(
        arena, "%s after %lld round%s, best is %lld%s%s%s", event_member(arena, data, "end"),
        number(data, "rounds"), plural(data, "rounds"), number(data, "best"),
        json_get_bool(data, "manual_review_required", false) ? ", a person should look at it" : "",
        *error ? ": " : "", error);
}

static const struct {
    enum event_kind kind;
    text_fn *text;
    bool is_progress;
} kinds[] = {
    { EVENT_CONSENSUS_STARTED, consensus_started_text, true },
    { EVENT_ENVELOPE, envelope_text, true },
    { EVENT_ARBITER_HINT, hint_text, true },
    { EVENT_VOTE, vote_text, false },
    { EVENT_CONSENSUS_ENDED, consensus_ended_text, false },
    { EVENT_FIGURE_STARTED, figure_started_text, true },
    { EVENT_STAGE_STARTED, stage_started_text, false },
    { EVENT_STAGE_FINISHED, stage_finished_text, true },
    { EVENT_FIGURE_FINDINGS, findings_text, false },
    { EVENT_FIGURE_RENDERED, rendered_text, true },
    { EVENT_FIGURE_ENDED, figure_ended_text, false },
};

const char *event_text_of_job(struct arena *arena, const struct event *event)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (kinds[i].kind == event->kind)
            return kinds[i].text(arena, event->data);
    return NULL;
}

bool event_is_progress_of_job(const struct event *event)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (kinds[i].kind == event->kind)
            return kinds[i].is_progress;
    return false;
}
