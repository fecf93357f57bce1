/* Plan files on disk: those that a plan uses, in its folder and below it, and a folder of plans
 * that are tools, of which what is left out is a warning. */
#ifndef PRESENTATION_CLI_PLAN_FILES_H
#define PRESENTATION_CLI_PLAN_FILES_H

#include "application/ports/plan_folder.h"
#include "application/use_cases/plans/link_plan.h"
#include "presentation/cli/cli.h"

#define PLAN_FILES_MAX_BYTES (4 * 1024 * 1024) /* of one */

struct plans_folder {
    struct plan_folder base; /* hand this to plan_tools_create */
    struct cli *cli;
    const char *path;
};

/* cli and path are borrowed. */
void plans_folder_init(struct plans_folder *files, struct cli *cli, const char *path);

/* What may be read below a folder, and in the folder of the plan at a path. A link that leads out
 * of it is refused: whoever wrote it does not choose what is read. In the arena of the cli. */
const struct plan_files *plan_files_below(struct cli *cli, const char *folder);
const struct plan_files *plan_files_beside(struct cli *cli, const char *path);

#endif
