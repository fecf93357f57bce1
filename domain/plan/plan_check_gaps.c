#include "domain/base/json.h"
#include "domain/plan/gap.h"
#include "domain/plan/loose_reference.h"
#include "domain/plan/plan_check_internal.h"
#include "domain/plan/value_origin.h"
#include <string.h>

/* The strings of a step's arguments, on the way through them. */
struct gap_search {
    struct arena *arena;
    const struct plan *plan;
    size_t at;
    const char *request;
    const struct plan_checking *checking; /* who is told; NULL: only the first is wanted */
    const char *first;                    /* its path; NULL: there is none */
};

static bool blank_out(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    memset((char *)context + reference->at, GAP_REFERENCE, reference->length);
    return true;
}

static void keep_first(void *context, const char *path)
{
    struct gap_search *search = context;
    search->first = search->first ? search->first : path;
}

/* "{{" is how a file writes a brace. */
static json_t *search_string(void *context, const char *path, const json_t *string)
{
    struct gap gap;
    struct gap_search *search = context;
    const struct plan_checking *checking = search->checking;
    const struct step *step = &search->plan->steps[search->at];
    const char *written = json_string_value(string), *rest = path;
    bool is_code = value_is_code(json_path_part(search->arena, &rest), step->args);
    char *text = arena_strdup(search->arena, written);
    references_visit(search->arena, search->plan, search->at, string, blank_out, text);
    if (!gap_find(text, search->request, is_code, &gap))
        return json_share(string);
    if (checking)
        problems_add(checking->problems, step->id, path, "\"%.*s\" is a gap, not a value",
                     (int)(gap.length < 100 ? gap.length : 100), written + gap.at)
            ->fix = plan_check_replacement(checking, search->at, path, NULL);
    else if (strncmp(written + gap.at, "{{", 2) != 0)
        keep_first(search, path);
    return json_share(string);
}

static void search_step(struct gap_search *search)
{
    const json_t *args = search->plan->steps[search->at].args;
    json_decref(json_map_strings(search->arena, "", args, search_string, search));
}

void plan_check_gaps(const struct plan_checking *checking, size_t at)
{
    struct gap_search search = { checking->arena,          checking->plan, at,
                                 checking->input->request, checking,       NULL };
    search_step(&search);
}

const char *plan_find_literal(struct arena *arena, const struct plan *plan, size_t *out_step)
{
    struct gap_search search = { .arena = arena, .plan = plan, .request = "" };
    const char **ids = arena_array(arena, const char *, plan->n_steps + 1);
    for (; search.at < plan->n_steps && !search.first; search.at++) {
        const struct loose_references loose = { arena, ids, search.at, true, keep_first, &search };
        loose_references_read(&loose, plan->steps[search.at].args);
        search_step(&search);
        ids[search.at] = plan->steps[search.at].id;
        *out_step = search.at;
    }
    return search.first ? plan_check_place(arena, search.first, NULL) : NULL;
}
