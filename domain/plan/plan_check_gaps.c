#include "domain/base/json.h"
#include "domain/plan/gap.h"
#include "domain/plan/loose_reference.h"
#include "domain/plan/plan_check_internal.h"
#include <string.h>

/* The strings of a step's arguments, on the way through them. */
struct gap_search {
    struct arena *arena;
    const struct plan *plan;
    size_t at;
    const char *request;
    void (*report)(void *context, const char *path, const char *gap);
    void *context;
};

static bool blank_out(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    memset((char *)context + reference->at, GAP_REFERENCE, reference->length);
    return true;
}

static void search_string(const struct gap_search *search, const char *path, const json_t *string)
{
    struct gap gap;
    const char *written = json_string_value(string);
    char *text = arena_strdup(search->arena, written);
    references_visit(search->arena, search->plan, search->at, string, blank_out, text);
    if (gap_find(text, search->request, &gap))
        search->report(search->context, path,
                       arena_strndup(search->arena, written + gap.at, gap.length));
}

static void search_value(const struct gap_search *search, const char *path, const json_t *value)
{
    const json_t *member;
    const char *key;
    if (json_is_string(value))
        search_string(search, path, value);
    json_each_member (value, key, member)
        search_value(search, json_path_member(search->arena, path, key), member);
    for (size_t i = 0; i < json_array_size(value); i++)
        search_value(search, json_path_element(search->arena, path, i), json_array_get(value, i));
}

struct refusing {
    const struct plan_checking *checking;
    size_t at;
};

static void refuse(void *context, const char *path, const char *gap)
{
    const struct refusing *refusing = context;
    const struct plan_checking *checking = refusing->checking;
    problems_add(checking->problems, checking->plan->steps[refusing->at].id, path,
                 "\"%.100s\" is a gap, not a value", gap)
        ->fix = plan_check_replacement(checking, refusing->at, path, NULL);
}

void plan_check_gaps(const struct plan_checking *checking, size_t at)
{
    struct refusing refusing = { checking, at };
    const struct gap_search search = {
        .arena = checking->arena,
        .plan = checking->plan,
        .at = at,
        .request = checking->input->request,
        .report = refuse,
        .context = &refusing,
    };
    search_value(&search, "", checking->plan->steps[at].args);
}

static void keep_first(void *context, const char *path)
{
    const char **first = context;
    *first = *first ? *first : path;
}

/* "{{" is how a file writes a brace. */
static void keep_first_gap(void *context, const char *path, const char *gap)
{
    if (strncmp(gap, "{{", 2) != 0)
        keep_first(context, path);
}

const char *plan_find_literal(struct arena *arena, const struct plan *plan, size_t *out_step)
{
    const char *path = NULL, **ids = arena_array(arena, const char *, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps && !path; i++) {
        const struct loose_references loose = { arena, ids, i, true, keep_first, &path };
        const struct gap_search search = { arena, plan, i, "", keep_first_gap, &path };
        loose_references_read(&loose, plan->steps[i].args);
        search_value(&search, "", plan->steps[i].args);
        ids[i] = plan->steps[i].id;
        *out_step = i;
    }
    return path ? plan_check_place(arena, path, NULL) : NULL;
}
