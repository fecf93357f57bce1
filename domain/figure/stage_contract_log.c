/* The round log, in two steps: its form (each round by itself, then each against the one before
 * it), and, when that is sound, whether it ended as it may end. */
#include "domain/base/json.h"
#include "domain/figure/figure_words.h"
#include "domain/figure/stage_contract.h"
#include "domain/figure/stage_contract_internal.h"

/* A log on its way through the checks. */
struct log_check {
    struct stage_check base;
    const json_t *log, *rounds;
    json_int_t max_rounds; /* 0: unknown */
    bool allow_drift;
    const json_t *source_context, *caption; /* as the log first has them */
};

static void check_max_rounds(const struct stage_check *check, const json_t *value, const char *path)
{
    if (json_is_integer(value) && json_integer_value(value) < 1)
        stage_problem(check, path, "give an integer from 1", "no room for a round");
    else
        stage_check_round(check, value, path);
}

static void check_list(const struct stage_check *check, const json_t *value, const char *path)
{
    if (!json_is_array(value))
        stage_problem(check, path, "give an array", "not an array");
    else if (!json_array_size(value))
        stage_problem(check, path, "log at least one round", "empty");
}

static void check_critique(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "critic_suggestions", stage_check_text, false },
                                                 { "revised_description", stage_check_text, false },
                                                 { "stop_flag", stage_check_flag, false },
                                                 { "quality_gate", stage_check_gate, true },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
    stage_check_stop(check, value, path);
}

static bool stops(const json_t *round)
{
    return json_is_true(json_object_get(json_object_get(round, "critique"), "stop_flag"));
}

static const char *path_of(const struct log_check *check, size_t round, const char *member)
{
    struct arena *arena = check->base.problems->arena;
    const char *path = json_path_element(arena, "/rounds", round);
    return member ? json_path_member(arena, path, member) : path;
}

static const json_t *round_at(const struct log_check *check, size_t round)
{
    return json_array_get(check->rounds, round);
}

static void check_index(const struct log_check *check, size_t at)
{
    const json_t *index = json_object_get(round_at(check, at), "round");
    if (json_is_integer(index) && json_integer_value(index) != (json_int_t)at)
        stage_problem(
            &check->base, path_of(check, at, "round"), "number the rounds from 0, without a gap",
            "round %" JSON_INTEGER_FORMAT " stands at position %zu", json_integer_value(index), at);
}

/* A round draws what the critic of the round before asked for. */
static void check_succession(const struct log_check *check, size_t at)
{
    const json_t *before = round_at(check, at - 1);
    const char *asked = json_get_string(json_object_get(before, "critique"), "revised_description");
    const char *drawn = json_get_string(round_at(check, at), "description_t");
    if (check->allow_drift || !asked || !drawn || figure_same_words(asked, drawn))
        return;
    stage_problem(&check->base, path_of(check, at, "description_t"),
                  "draw the revised_description of the round before",
                  "not what round %zu asked for", at - 1);
}

/* Source and caption never change; a log may repeat them. */
static void check_kept(const struct log_check *check, const json_t **kept, const char *name,
                       const json_t *object, const char *path)
{
    const json_t *value = json_object_get(object, name);
    if (!*kept)
        *kept = value;
    if (value && !json_equal(value, *kept))
        stage_problem(&check->base, path, "repeat it byte for byte, or leave it out",
                      "not what stood there before: it stays the same to the end");
}

static void check_round(struct log_check *check, size_t at)
{
    static const struct stage_field fields[] = { { "round", stage_check_round, false },
                                                 { "description_t", stage_check_text, false },
                                                 { "artifact", stage_check_artifact, false },
                                                 { "critique", check_critique, false },
                                                 { 0 } };
    const json_t *round = round_at(check, at);
    stage_check_fields(&check->base, round, path_of(check, at, NULL), fields);
    check_index(check, at);
    stage_check_artifact_of_mode(&check->base, json_object_get(check->log, "mode"),
                                 json_object_get(round, "artifact"),
                                 path_of(check, at, "artifact"));
    check_kept(check, &check->source_context, "source_context", round,
               path_of(check, at, "source_context"));
    check_kept(check, &check->caption, "caption", round, path_of(check, at, "caption"));
    if (at)
        check_succession(check, at);
    if (at && stops(round_at(check, at - 1)))
        stage_problem(&check->base, path_of(check, at, NULL),
                      "end the log with the round that stops",
                      "a round after the stop of round %zu", at - 1);
}

static void check_ending(const struct log_check *check)
{
    const json_t *early = json_object_get(check->log, "terminated_early");
    const json_t *reason = json_object_get(check->log, "termination_reason");
    size_t n = json_array_size(check->rounds);
    if (!json_is_true(early))
        return;
    if (json_is_string(reason) && figure_same_words(json_string_value(reason), ""))
        stage_problem(&check->base, "/termination_reason", "say why it ended early", "empty");
    if (check->max_rounds && (json_int_t)n >= check->max_rounds)
        stage_problem(&check->base, "/terminated_early", "give false: it used all its rounds",
                      "true with %zu of %" JSON_INTEGER_FORMAT " rounds", n, check->max_rounds);
}

static void check_form(struct log_check *check)
{
    static const struct stage_field fields[] = { { "max_rounds", check_max_rounds, false },
                                                 { "mode", stage_check_mode, true },
                                                 { "terminated_early", stage_check_flag, false },
                                                 { "termination_reason", stage_check_string,
                                                   false },
                                                 { "rounds", check_list, false },
                                                 { 0 } };
    size_t n = json_array_size(check->rounds);
    stage_check_fields(&check->base, check->log, "", fields);
    if (check->max_rounds && (json_int_t)n > check->max_rounds)
        stage_problem(&check->base, "/rounds", "log no more rounds than max_rounds",
                      "%zu rounds of at most %" JSON_INTEGER_FORMAT, n, check->max_rounds);
    check_kept(check, &check->source_context, "source_context", check->log, "/source_context");
    check_kept(check, &check->caption, "caption", check->log, "/caption");
    for (size_t i = 0; i < n && !check->base.problems->dropped; i++)
        check_round(check, i);
    check_ending(check);
}

/* A log is complete with all its rounds, or with a stop at the end. */
static bool check_complete(const struct log_check *check)
{
    struct problems *problems = check->base.problems;
    size_t n = json_array_size(check->rounds);
    bool is_early = json_is_true(json_object_get(check->log, "terminated_early"));
    if (stops(round_at(check, n - 1)) || (!is_early && (json_int_t)n >= check->max_rounds))
        return true;
    const char *path =
        arena_printf(problems->arena, "%s/stop_flag", path_of(check, n - 1, "critique"));
    struct problem *problem =
        is_early
            ? problems_add(problems, NULL, path, "it ended early, and the last round does not stop")
            : problems_add(problems, NULL, path,
                           "%zu of %" JSON_INTEGER_FORMAT " rounds, and the last does not stop", n,
                           check->max_rounds);
    problem->fix = "go on with the next round, or end with one that stops";
    problem->rule = STAGE_RULE_COMPLETE;
    return false;
}

struct round_log_verdict round_log_check(const json_t *log, unsigned max_rounds,
                                         bool allow_description_drift, struct problems *problems)
{
    const json_t *own = json_object_get(log, "max_rounds");
    struct log_check check = {
        .base = { NULL, problems },
        .log = log,
        .rounds = json_object_get(log, "rounds"),
        .max_rounds = max_rounds ? (json_int_t)max_rounds : json_integer_value(own),
        .allow_drift = allow_description_drift,
    };
    size_t before = problems->n + problems->dropped;
    check_form(&check);
    struct round_log_verdict verdict = { problems->n + problems->dropped == before, false };
    verdict.complete = verdict.well_formed && check_complete(&check);
    return verdict;
}
