#include "application/use_cases/runs/run_stats.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

void run_stats_init(struct run_stats *stats, struct arena *arena)
{
    *stats = (struct run_stats){ .arena = arena };
    stats->groups = arena_array(arena, struct contract_stats, RUN_STATS_MAX_GROUPS + 1);
    stats->summary = arena_keep_json(
        arena, json_pack("{s:i, s:{}, s:{}, s:{}}", "runs", 0, "status", "attempts", "tools"));
}

static void count(json_t *counts, const char *key)
{
    json_object_set_new(counts, key, json_integer(json_get_int(counts, key, 0) + 1));
}

void run_stats_run(struct run_stats *stats, enum run_status status)
{
    count(stats->summary, "runs");
    count(json_object_get(stats->summary, "status"), run_status_name(status));
}

static void count_tool(struct run_stats *stats, const json_t *data)
{
    const char *tool = json_get_string(data, "tool");
    json_t *tools = json_object_get(stats->summary, "tools");
    if (!tool)
        return;
    if (!json_object_get(tools, tool) && json_object_size(tools) >= RUN_STATS_MAX_TOOLS)
        tool = RUN_STATS_OTHERS;
    if (!json_object_get(tools, tool))
        json_object_set_new(tools, tool, json_pack("{s:i, s:i}", "calls", 0, "errors", 0));
    json_t *counts = json_object_get(tools, tool);
    count(counts, "calls");
    if (json_get_bool(data, "is_error", false) || json_object_get(data, "error"))
        count(counts, "errors");
}

static struct contract_stats *group_of(struct run_stats *stats, const char *contract,
                                       const char *model)
{
    for (size_t i = 0; i < stats->n_groups; i++)
        if (text_equal(stats->groups[i].contract, contract) &&
            text_equal(stats->groups[i].model, model))
            return &stats->groups[i];
    bool full = stats->n_groups >= RUN_STATS_MAX_GROUPS;
    struct contract_stats *group = &stats->groups[full ? RUN_STATS_MAX_GROUPS : stats->n_groups];
    if (!group->contract) {
        group->contract = full ? RUN_STATS_OTHERS : arena_strdup(stats->arena, contract);
        group->model = full ? "" : arena_strdup(stats->arena, model);
        stats->n_groups++;
    }
    return group;
}

static enum engine_rung rung_of(const char *name)
{
    for (int rung = 0; rung < RUN_STATS_RUNGS; rung++)
        if (text_equal(engine_rung_name((enum engine_rung)rung), name))
            return (enum engine_rung)rung;
    return RUNG_GENERATE;
}

/* What saved an answer counts before the rung that asked for it. */
static enum engine_rung giving_rung(const json_t *data, enum engine_rung asking)
{
    const char *saved_by = json_get_string(data, "saved_by");
    if (!saved_by)
        return asking;
    return strcmp(saved_by, engine_rung_name(RUNG_EXTRACT)) == 0 ? RUNG_EXTRACT : RUNG_REPAIR;
}

static void add(int64_t *sum, const json_t *data, const char *key, int64_t fallback)
{
    int64_t n = json_get_int(data, key, fallback);
    if (n > 0 && *sum <= INT64_MAX - n)
        *sum += n;
}

static void count_attempt(struct run_stats *stats, const json_t *data)
{
    const char *class = json_get_string(data, "class"), *model = json_get_string(data, "model");
    const char *contract = json_get_string(data, "contract");
    if (!class || !contract)
        return;
    count(json_object_get(stats->summary, "attempts"), class);
    struct contract_stats *group = group_of(stats, contract, model ? model : "");
    enum engine_rung asking = rung_of(json_get_string(data, "rung"));
    group->asked += json_get_int(data, "attempt", 1) == 1;
    add(&group->rungs[asking].requests, data, "requests", 1);
    add(&group->rungs[asking].prompt_tokens, data, "prompt_tokens", 0);
    add(&group->rungs[asking].tokens, data, "tokens", 0);
    add(&group->rungs[asking].ms, data, "ms", 0);
    if (strcmp(class, attempt_class_name(ATTEMPT_OK)) == 0)
        group->rungs[giving_rung(data, asking)].answers++;
}

void run_stats_event(struct run_stats *stats, const struct event *event)
{
    if (event->kind == EVENT_ATTEMPT)
        count_attempt(stats, event->data);
    if (event->kind == EVENT_TOOL_RESULT)
        count_tool(stats, event->data);
}

static json_t *group_to_json(const struct contract_stats *group)
{
    int64_t answered = 0;
    json_t *rungs = json_object();
    for (int i = 0; i < RUN_STATS_RUNGS; i++) {
        const struct rung_stats *rung = &group->rungs[i];
        answered += rung->answers;
        if (rung->answers || rung->requests)
            json_object_set_new(rungs, engine_rung_name((enum engine_rung)i),
                                json_pack("{s:I, s:I, s:I, s:I, s:I}", "answers",
                                          (json_int_t)rung->answers, "requests",
                                          (json_int_t)rung->requests, "prompt_tokens",
                                          (json_int_t)rung->prompt_tokens, "tokens",
                                          (json_int_t)rung->tokens, "ms", (json_int_t)rung->ms));
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "contract", group->contract, "model",
                     group->model, "asked", (json_int_t)group->asked, "answered",
                     (json_int_t)answered, "rungs", rungs);
}

const json_t *run_stats_json(struct run_stats *stats)
{
    json_t *contracts = json_array();
    for (size_t i = 0; i < stats->n_groups; i++)
        json_array_append_new(contracts, group_to_json(&stats->groups[i]));
    json_object_set_new(stats->summary, "contracts", contracts);
    return stats->summary;
}
