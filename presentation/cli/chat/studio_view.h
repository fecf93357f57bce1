/* What a person sees of a studio beside the conversation: the pane with the image's prompt,
 * whenever it changed; what was adjusted; how the image was made, or why it was not. The pane goes
 * to stdout on a terminal, where stdout is the conversation; a pipe's stdout has accepted text
 * only, so there it goes to stderr with the rest.
 *
 * An observer in front of the event lines: the prompt is to be seen before its image is made, which
 * may take minutes and may ask for consent first. */
#ifndef PRESENTATION_CLI_CHAT_STUDIO_VIEW_H
#define PRESENTATION_CLI_CHAT_STUDIO_VIEW_H

#include "application/studio/studio.h"
#include "presentation/cli/cli.h"

/* The pane: a box with the prompt, which is made safe and wrapped at words, and how the image is to
 * be made; one line where no box can be drawn. Lines with their ends, in the arena, narrower than
 * `columns`, so that no terminal wraps them. */
const char *prompt_pane_text(struct arena *arena, const struct style *style, unsigned columns,
                             const struct image_prompt *image);

struct studio_view {
    struct observer base;
    struct observer *next;
    struct cli *cli;
    struct arena arena;        /* of the prompt */
    struct image_prompt image; /* as the person knows it or is about to */
    bool changed;              /* and has not seen */
};

/* Puts itself in front of the observer of cli's services. */
void studio_view_init(struct studio_view *view, struct cli *cli);
void studio_view_finish(struct studio_view *view);
/* The image is this one, whatever events said before; shown when it is another one, or `always`. */
void studio_view_set(struct studio_view *view, const struct image_prompt *image, bool always);
/* The end of a turn: the accepted text on stdout, unless it stands there already, the pane, an
 * error; or one object with --json. cli: of the turn. Returns the exit status. */
int studio_view_end_turn(struct studio_view *view, struct cli *cli, const char *session_id,
                         const struct studio_result *result, bool already_shown);
/* The state alone, after /prompt: nothing was said. */
void studio_view_show_state(struct studio_view *view, struct cli *cli, const char *session_id,
                            const struct studio_state *state);

#endif
