#include "application/runs/run_stats.h"
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

static void add_to(json_t *counts, const char *key, int64_t n)
{
    json_object_set_new(counts, key, json_integer(json_get_int(counts, key, 0) + n));
}

static void count(json_t *counts, const char *key)
{
    add_to(counts, key, 1);
}

void run_stats_run(struct run_stats *stats, enum run_status status)
{
    count(stats->summary, "runs");
    count(json_object_get(stats->summary, "status"), run_status_name(status));
}

/* {"calls","errors"} of the tool, or of the others. */
static json_t *tool_counts(struct run_stats *stats, const char *tool)
{
    json_t *tools = json_object_get(stats->summary, "tools");
    if (!json_object_get(tools, tool) && json_object_size(tools) >= RUN_STATS_MAX_TOOLS)
        tool = RUN_STATS_OTHERS;
    if (!json_object_get(tools, tool))
        json_object_set_new(tools, tool, json_pack("{s:i, s:i}", "calls", 0, "errors", 0));
    return json_object_get(tools, tool);
}

static void count_tool(struct run_stats *stats, const json_t *data)
{
    const char *tool = json_get_string(data, "tool");
    if (!tool)
        return;
    json_t *counts = tool_counts(stats, tool);
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
    if (!class || !contract || json_get_bool(data, "kept", false))
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

static void add_tools(struct run_stats *stats, const json_t *tools)
{
    const char *tool;
    const json_t *counts;
    json_each_member (tools, tool, counts) {
        json_t *sum = tool_counts(stats, tool);
        add_to(sum, "calls", json_get_int(counts, "calls", 0));
        add_to(sum, "errors", json_get_int(counts, "errors", 0));
    }
}

static void add_contract(struct run_stats *stats, const json_t *of_run)
{
    const char *contract = json_get_string(of_run, "contract"), *name;
    const char *model = json_get_string(of_run, "model");
    const json_t *rung;
    if (!contract || !model)
        return;
    struct contract_stats *group = group_of(stats, contract, model);
    add(&group->asked, of_run, "asked", 0);
    json_each_member (json_object_get(of_run, "rungs"), name, rung) {
        struct rung_stats *sum = &group->rungs[rung_of(name)];
        add(&sum->answers, rung, "answers", 0);
        add(&sum->requests, rung, "requests", 0);
        add(&sum->prompt_tokens, rung, "prompt_tokens", 0);
        add(&sum->tokens, rung, "tokens", 0);
        add(&sum->ms, rung, "ms", 0);
    }
}

void run_stats_add(struct run_stats *stats, const json_t *of_run)
{
    const json_t *contracts = json_object_get(of_run, "contracts"), *n;
    const char *class;
    json_each_member (json_object_get(of_run, "attempts"), class, n)
        add_to(json_object_get(stats->summary, "attempts"), class, json_integer_value(n));
    add_tools(stats, json_object_get(of_run, "tools"));
    for (size_t i = 0; i < json_array_size(contracts); i++)
        add_contract(stats, json_array_get(contracts, i));
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
