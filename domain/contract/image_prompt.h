/* What a studio chat is about: the prompt of an image and how it is to be made.
 * Five fields, all required; a value out of range is brought into it, and a sentence says so
 * («Settings adjusted: steps 150→100 (maximum is 100)»). A plain value; strings belong to an
 * arena. */
#ifndef DOMAIN_CONTRACT_IMAGE_PROMPT_H
#define DOMAIN_CONTRACT_IMAGE_PROMPT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define IMAGE_STEPS_MIN 1
#define IMAGE_STEPS_MAX 100
#define IMAGE_STEPS_DEFAULT 4
#define IMAGE_CFG_MAX 20.0
#define IMAGE_CFG_DEFAULT 1.0
#define IMAGE_SEED_RANDOM (-1)
#define IMAGE_PROMPT_ADVISED_CHARACTERS 200 /* advice to the model, not a bound */
#define IMAGE_PROMPT_MAX_BYTES 10240

struct image_prompt {
    const char *prompt; /* "" while it is not ready */
    bool generate_image;
    int64_t steps;
    double cfg;
    int64_t seed; /* IMAGE_SEED_RANDOM: chosen by who draws */
};

struct image_prompt image_prompt_default(void);
/* From a value that fits the contract image_chat. */
struct image_prompt image_prompt_from_json(struct arena *arena, const json_t *value);
/* The five fields; owned by the caller. */
json_t *image_prompt_to_json(const struct image_prompt *image);
/* Brings steps, cfg and seed into their ranges. What was changed, as one sentence of the form
 * above in the arena; NULL when nothing was. */
const char *image_prompt_clamp(struct arena *arena, struct image_prompt *image);
bool image_prompt_same_settings(const struct image_prompt *a, const struct image_prompt *b);

#endif
