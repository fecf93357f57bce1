#include "domain/policy/data_flow.h"
#include "domain/base/json.h"
#include "domain/plan/references.h"
#include <string.h>

static bool takes_url(const struct tool *tool)
{
    static const char *const names[] = { "url", "urls", "uri", "href", "link" };
    const char *key;
    const json_t *property;
    json_each_member (json_object_get(tool->input_schema, "properties"), key, property) {
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            if (strcasecmp(key, names[i]) == 0)
                return true;
    }
    return false;
}

/* A schema that names no parameters takes none, unless it says that others are welcome. */
static bool takes_arguments(const struct tool *tool)
{
    const json_t *others = json_object_get(tool->input_schema, "additionalProperties");
    return json_object_size(json_object_get(tool->input_schema, "properties")) > 0 ||
           (others && !json_is_false(others));
}

static struct data_kinds kinds_of_local(const struct tool *tool)
{
    bool only_reads = tool->read_only == HINT_YES;
    bool is_open =
        tool->open_world == HINT_YES || (tool->open_world == HINT_UNSAID && takes_url(tool));
    return (struct data_kinds){ .is_private = only_reads && !is_open,
                                .is_outside = is_open,
                                .sends_out = is_open && !only_reads };
}

struct data_kinds data_kinds_of(const struct tool *tool, enum tool_place place)
{
    if (!tool)
        return (struct data_kinds){ 0 };
    switch (place) {
    case TOOL_BUILTIN:
        return (struct data_kinds){ .is_private =
                                        tool->read_only == HINT_YES && !tool_is_for_plans(tool) };
    case TOOL_LOCAL:
        return kinds_of_local(tool);
    case TOOL_REMOTE:
        break;
    }
    return (struct data_kinds){ .is_outside = true, .sends_out = takes_arguments(tool) };
}

/* A result of `earlier` is among the arguments of `later`. */
struct edge {
    size_t later, earlier;
};

struct edges {
    struct arena *arena;
    struct edge *list;
    size_t n, capacity, later;
};

static void add_edge(struct edges *edges, size_t later, size_t earlier)
{
    *arena_push(edges->arena, edges->list, edges->n, edges->capacity) =
        (struct edge){ later, earlier };
}

static bool note(void *context, const char *path, const struct reference *reference)
{
    struct edges *edges = context;
    (void)path;
    if (reference->step >= 0 && (size_t)reference->step != edges->later)
        add_edge(edges, edges->later, (size_t)reference->step);
    return true;
}

/* What reaches a step from the bodies that it is in, and its body from it: the element of a loop is
 * an edge to the loop, whose list is one of the loop; a used plan has its inputs from the step that
 * uses it; and what a body gives is what its steps gave. */
static void note_texts(struct edges *edges, const struct plan *plan)
{
    const struct step *step = &plan->steps[edges->later];
    json_auto_t *text = step->text ? json_string(step->text) : NULL;
    if (text)
        (void)references_visit(edges->arena, plan, edges->later, text, note, edges);
    if (step->verify)
        (void)references_visit(edges->arena, plan, edges->later, step->verify->args, note, edges);
}

static void note_bodies(struct edges *edges, const struct plan *plan)
{
    const struct step *step = &plan->steps[edges->later];
    const struct reference_place around = reference_place_around(plan, edges->later);
    if (step->loop && step->loop->each)
        (void)references_visit_at(edges->arena, &around, step->loop->each, note, edges);
    if (step->body_of)
        add_edge(edges, step->body_of - 1, edges->later);
    if (step->unit)
        add_edge(edges, edges->later, step->unit - 1);
}

enum { WORD_BITS = 64 };

/* A row of bits for each step: the earlier steps whose results reach it. */
struct data_reach {
    size_t n_words; /* of a row */
    uint64_t *rows;
};

static bool reaches(const struct data_reach *reach, size_t later, size_t earlier)
{
    const uint64_t *row = reach->rows + later * reach->n_words;
    return row[earlier / WORD_BITS] >> earlier % WORD_BITS & 1;
}

/* Whether the row of the later step grew by the earlier one and by what reaches that. */
static bool follow(struct data_reach *reach, const struct edge *edge)
{
    uint64_t *row = reach->rows + edge->later * reach->n_words;
    const uint64_t *other = reach->rows + edge->earlier * reach->n_words;
    bool grew = !reaches(reach, edge->later, edge->earlier);
    row[edge->earlier / WORD_BITS] |= UINT64_C(1) << edge->earlier % WORD_BITS;
    for (size_t i = 0; i < reach->n_words; i++) {
        grew = grew || (other[i] & ~row[i]);
        row[i] |= other[i];
    }
    return grew;
}

/* In a plan whose references all go back, the second round finds nothing new. */
const struct data_reach *data_flow_reach(struct arena *arena, const struct plan *plan)
{
    size_t n = plan->n_steps;
    struct data_reach *reach = arena_new(arena, struct data_reach);
    struct edges edges = { .arena = arena };
    bool grew = true;
    reach->n_words = n / WORD_BITS + 1;
    reach->rows = arena_array(arena, uint64_t, reach->n_words * n + 1);
    for (; edges.later < n; edges.later++) {
        (void)references_visit(arena, plan, edges.later, plan->steps[edges.later].args, note,
                               &edges);
        note_texts(&edges, plan);
        note_bodies(&edges, plan);
    }
    while (grew) {
        grew = false;
        for (size_t i = 0; i < edges.n; i++)
            grew = follow(reach, &edges.list[i]) || grew;
    }
    return reach;
}

bool data_flow_meets(const struct data_step *steps, size_t n, const struct data_reach *reach,
                     size_t at, const struct data_meeting *heard, struct data_meeting *out)
{
    struct data_meeting meeting = *heard;
    bool flows = heard->private_from || heard->outside_from;
    if (!steps[at].kinds.sends_out)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct data_step *step = &steps[i];
        bool is_given = reaches(reach, at, i);
        if (i == at || (i > at && !is_given))
            continue;
        flows = flows || (is_given && (step->kinds.is_private || step->kinds.is_outside));
        data_flow_hear(&meeting, step);
    }
    if (!flows || !meeting.private_from || !meeting.outside_from)
        return false;
    *out = meeting;
    return true;
}

const struct tool *data_flow_stranger(const struct data_step *steps, size_t n,
                                      const struct data_reach *reach, size_t at)
{
    for (size_t i = 0; steps[at].tool && i < n; i++)
        if (steps[i].tool && steps[i].tool != steps[at].tool && reaches(reach, at, i) &&
            strcmp(steps[i].tool->server, steps[at].tool->server) != 0)
            return steps[i].tool;
    return NULL;
}

void data_flow_hear(struct data_meeting *heard, const struct data_step *step)
{
    if (step->kinds.is_private && !heard->private_from)
        heard->private_from = step->tool->full_name;
    if (step->kinds.is_outside && !heard->outside_from)
        heard->outside_from = step->tool->full_name;
}
