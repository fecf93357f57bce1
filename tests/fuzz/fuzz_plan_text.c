/* A text of a model's plan: what is read as a reference is one, and a gap lies within its text. */
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
    if (gap_find(text, "find <weather>", size % 3 == 0, &gap) &&
        (!gap.length || gap.at + gap.length > strlen(text)))
        abort();
    return 0;
}
