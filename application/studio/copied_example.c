#include "application/studio/copied_example.h"
#include "application/structured/extract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { SHORTEST_WORD = 3 }; /* "a" is everybody's */

static bool is_said(const struct ask_prompt *asked, const char *word)
{
    if (asked->state && strcasestr(asked->state, word))
        return true;
    for (size_t i = 0; i < asked->n_wishes; i++)
        if (strcasestr(asked->wishes[i], word))
            return true;
    return false;
}

static bool has_own_word(struct arena *arena, const struct ask_prompt *asked, const char *prompt)
{
    while (*prompt) {
        size_t length = strcspn(prompt, " ");
        if (length >= SHORTEST_WORD && is_said(asked, arena_strndup(arena, prompt, length)))
            return true;
        prompt += length;
        prompt += strspn(prompt, " ");
    }
    return false;
}

bool copied_example_check(void *context, const json_t *value, struct problems *problems)
{
    const struct own_words *own = context;
    const char *good = own->contract->good, *prompt = json_get_string(value, "prompt");
    json_auto_t *example = NULL;
    if (!good || !prompt || !json_get_bool(value, "generate_image", false))
        return true;
    (void)extract_json(good, strlen(good), &example);
    if (!text_equal(prompt, json_get_string(example, "prompt")) ||
        has_own_word(problems->arena, own->asked, prompt))
        return true;
    struct problem *problem =
        problems_add(problems, NULL, "/prompt", "it is the prompt of the example");
    problem->fix = "write the prompt of the image that this person wants, not the example's";
    return false;
}
