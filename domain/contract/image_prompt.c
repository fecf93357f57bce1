#include "domain/contract/image_prompt.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <math.h>
#include <string.h>

#define WHOLE_NUMBERS_END 9223372036854775808.0 /* the first double above int64_t */

struct image_prompt image_prompt_default(void)
{
    return (struct image_prompt){ .prompt = "",
                                  .steps = IMAGE_STEPS_DEFAULT,
                                  .cfg = IMAGE_CFG_DEFAULT,
                                  .seed = IMAGE_SEED_RANDOM };
}

/* 4.0 is a whole number to JSON Schema, and 1e30 is one as well. */
static int64_t whole_number(const json_t *value, int64_t fallback)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    if (!json_is_real(value))
        return fallback;
    double number = json_real_value(value);
    if (number >= WHOLE_NUMBERS_END)
        return INT64_MAX;
    return number < -WHOLE_NUMBERS_END ? INT64_MIN : (int64_t)number;
}

struct image_prompt image_prompt_from_json(struct arena *arena, const json_t *value)
{
    struct image_prompt image = image_prompt_default();
    const char *prompt = json_get_string(value, "prompt");
    if (prompt)
        image.prompt = arena_strdup(arena, prompt);
    image.generate_image = json_get_bool(value, "generate_image", false);
    image.steps = whole_number(json_object_get(value, "steps"), IMAGE_STEPS_DEFAULT);
    image.cfg = json_get_number(value, "cfg", IMAGE_CFG_DEFAULT);
    image.seed = whole_number(json_object_get(value, "seed"), IMAGE_SEED_RANDOM);
    return image;
}

json_t *image_prompt_to_json(const struct image_prompt *image)
{
    double cfg = isinf(image->cfg) || isnan(image->cfg) ? IMAGE_CFG_DEFAULT : image->cfg;
    return json_pack("{s:s, s:b, s:I, s:f, s:I}", "prompt", image->prompt, "generate_image",
                     (int)image->generate_image, "steps", (json_int_t)image->steps, "cfg", cfg,
                     "seed", (json_int_t)image->seed);
}

/* Appends «name from→to (why)» to the sentence. */
static const char *add_change(struct arena *arena, const char *changes, const char *change)
{
    if (!changes)
        return arena_printf(arena, "Settings adjusted: %s", change);
    return arena_printf(arena, "%s, %s", changes, change);
}

static const char *clamp_prompt(struct arena *arena, const char *changes,
                                struct image_prompt *image)
{
    size_t length = strlen(image->prompt);
    if (length <= IMAGE_PROMPT_MAX_BYTES)
        return changes;
    size_t kept = text_cut(image->prompt, length, IMAGE_PROMPT_MAX_BYTES);
    image->prompt = arena_strndup(arena, image->prompt, kept);
    return add_change(arena, changes,
                      arena_printf(arena, "prompt %zu→%zu bytes (maximum is %d)", length, kept,
                                   IMAGE_PROMPT_MAX_BYTES));
}

static const char *clamp_steps(struct arena *arena, const char *changes, int64_t *steps)
{
    bool is_low = *steps < IMAGE_STEPS_MIN;
    if (!is_low && *steps <= IMAGE_STEPS_MAX)
        return changes;
    int bound = is_low ? IMAGE_STEPS_MIN : IMAGE_STEPS_MAX;
    const char *change = arena_printf(arena, "steps %lld→%d (%s is %d)", (long long)*steps, bound,
                                      is_low ? "minimum" : "maximum", bound);
    *steps = bound;
    return add_change(arena, changes, change);
}

static const char *clamp_cfg(struct arena *arena, const char *changes, double *cfg)
{
    double was = *cfg;
    if (was >= 0 && was <= IMAGE_CFG_MAX)
        return changes;
    const char *why = was < 0 ? "minimum is 0" : "maximum is 20";
    if (isnan(was))
        why = "it was not a number";
    *cfg = isnan(was) ? IMAGE_CFG_DEFAULT : was < 0 ? 0 : IMAGE_CFG_MAX;
    /* A huge number in full has hundreds of digits. */
    const char *shown = arena_printf(arena, fabs(was) < 1e9 ? "%.1f" : "%g", was);
    return add_change(arena, changes, arena_printf(arena, "cfg %s→%.1f (%s)", shown, *cfg, why));
}

static const char *clamp_seed(struct arena *arena, const char *changes, int64_t *seed)
{
    if (*seed >= IMAGE_SEED_RANDOM)
        return changes;
    const char *change = arena_printf(arena, "seed %lld→%d (minimum is %d)", (long long)*seed,
                                      IMAGE_SEED_RANDOM, IMAGE_SEED_RANDOM);
    *seed = IMAGE_SEED_RANDOM;
    return add_change(arena, changes, change);
}

const char *image_prompt_clamp(struct arena *arena, struct image_prompt *image)
{
    const char *changes = clamp_prompt(arena, NULL, image);
    changes = clamp_steps(arena, changes, &image->steps);
    changes = clamp_cfg(arena, changes, &image->cfg);
    return clamp_seed(arena, changes, &image->seed);
}

bool image_prompt_same_settings(const struct image_prompt *a, const struct image_prompt *b)
{
    return a->steps == b->steps && a->cfg == b->cfg && a->seed == b->seed;
}
