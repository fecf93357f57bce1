/* How the end of a studio's turn is shown: the accepted text on stdout, the pane, an error; or one
 * object with --json; and the exit status that follows. */
#ifndef PRESENTATION_CLI_CHAT_STUDIO_OUTPUT_H
#define PRESENTATION_CLI_CHAT_STUDIO_OUTPUT_H

#include "presentation/cli/chat/studio_view.h"

/* already_shown: the text stands on stdout. Returns the exit status of the turn. */
int studio_output(struct studio_view *view, struct cli *cli, const char *session_id,
                  const struct studio_result *result, bool already_shown);
/* The state alone, after /prompt: nothing was said. */
void studio_output_state(struct studio_view *view, struct cli *cli, const char *session_id,
                         const struct studio_state *state);

#endif
