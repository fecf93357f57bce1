/* A text of a model's plan: what is read as a reference is one, and a gap lies within its text. In
 * a plan of version 2 each brace is a reference or a brace, and all of them have a value or an
 * error. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/gap.h"
#include "domain/plan/loose_reference.h"
#include "domain/plan/references.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static bool count(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    (void)reference;
    ++*(size_t *)context;
    return true;
}

static void note(void *context, const char *path)
{
    (void)path;
    *(bool *)context = true;
}

struct strict {
    struct arena *arena;
    const struct reference_place *place;
    bool is_malformed;
};

static bool is_itself(void *context, const char *path, const struct reference *reference)
{
    struct strict *strict = context;
    (void)path;
    strict->is_malformed |= reference->is_malformed;
    if (reference->is_malformed)
        return true;
    const struct reference again = reference_parse(strict->arena, strict->place, reference->text);
    if (again.is_malformed || again.step != reference->step || again.root != reference->root ||
        again.n_parts != reference->n_parts)
        abort();
    return true;
}

/* The second step refers to a list of objects, in a loop over them. */
static void bind_strictly(struct arena *arena, json_t *data, const json_t *string)
{
    const struct step_loop loop = { .item = "item", .index = "index", .max_parallel = 1 };
    struct step steps[] = { { .id = "s1", .end = 1 },
                            { .id = "fetch", .kind = STEP_BLOCK, .loop = &loop, .end = 3 },
                            { .id = "s3", .body_of = 2, .end = 3 } };
    const struct plan plan = { .version = 2, .goal = "", .steps = steps, .n_steps = 3 };
    const struct reference_place place = reference_place_of(&plan, 2);
    struct strict strict = { arena, &place, false };
    struct step_result result;
    const struct step_result *const results[] = { &result, NULL, NULL };
    const struct frame top = { .plan = &plan, .vars = data, .results = results };
    const struct frame frame = { .outer = &top,
                                 .plan = &plan,
                                 .body_of = 2,
                                 .first = 2,
                                 .item = data,
                                 .index = json_array_get(json_object_get(data, "n"), 0),
                                 .verified = data };
    const json_t *bound = NULL;
    struct err err = { .code = ERR_NONE };
    step_result_from_text(arena, "text", json_share(data), false, &result);
    references_visit_at(arena, &place, string, is_itself, &strict);
    enum err_code r = references_bind_value(arena, &place, &frame, string, &bound, &err);
    if ((r == ERR_NONE) != (bound != NULL) || (strict.is_malformed && !r) || (r && !*err.message))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    static const char *const ids[] = { "s1", "fetch" };
    struct step steps[] = { { .id = "s1" }, { .id = "fetch" }, { .id = "s3" } };
    const struct plan plan = { .goal = "", .steps = steps, .n_steps = 3 };
    bool changed = false;
    const struct loose_references loose = { &arena, ids, 2, size % 2, note, &changed };
    struct gap gap;
    size_t n = 0;
    const char *text = arena_strndup(&arena, (const char *)data, size);
    if (!text_is_utf8(text, strlen(text)))
        return 0;
    json_t *string = arena_keep_json(&arena, json_string(text));
    const json_t *read = loose_references_read(&loose, string);
    references_visit(&arena, &plan, 2, read, count, &n);
    if (changed == json_equal(read, string) || (changed && !n))
        abort();
    json_t *values =
        json_pack("{s:[i,i,[i],{s:s}],s:{s:n},s:s}", "n", 1, 2, 3, "a", "x", "o", "a", "t", "text");
    bind_strictly(&arena, arena_keep_json(&arena, values), string);
    if (gap_find(text, "find <weather>", size % 3 == 0, &gap) &&
        (!gap.length || gap.at + gap.length > strlen(text)))
        abort();
    return 0;
}
