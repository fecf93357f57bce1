/* The prompt of a studio's image as it is shown apart from the conversation: a box with the prompt,
 * wrapped at words, and how the image is to be made; one line where no box can be drawn. The
 * prompt is foreign text and made safe. */
#ifndef PRESENTATION_CLI_TERMINAL_PROMPT_PANE_H
#define PRESENTATION_CLI_TERMINAL_PROMPT_PANE_H

#include "domain/base/arena.h"
#include "domain/contract/image_prompt.h"
#include "presentation/cli/style.h"
#include <stddef.h>

/* "4 steps, cfg 1, random seed"; in the arena. */
const char *prompt_pane_settings(struct arena *arena, const struct image_prompt *image);
/* Lines with their ends, in the arena. Narrower than `columns`, so that no terminal wraps it. */
const char *prompt_pane_text(struct arena *arena, const struct style *style, unsigned columns,
                             const struct image_prompt *image);

#endif
