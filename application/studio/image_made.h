/* What a tool that makes images gave, said in one line. Tools answer in three ways: with a
 * sentence that names a file, with a link, or with the image itself. Pure. */
#ifndef APPLICATION_STUDIO_IMAGE_MADE_H
#define APPLICATION_STUDIO_IMAGE_MADE_H

#include "domain/tool/step_result.h"

#define IMAGE_MADE_MAX_COLUMNS 400

/* The first line of its text, else the address of what it links to or embeds, else "image/png
 * 12,345 bytes"; "an image" when it says nothing at all. Foreign text, safe to show; in the arena.
 */
const char *image_made_text(struct arena *arena, const struct step_result *made);

#endif
