/* Folders of results on disk (application/ports/artifacts.h), each a staged_folder; the work is
 * done on a thread of the pool. */
#ifndef INFRASTRUCTURE_REPOSITORIES_FILE_ARTIFACTS_H
#define INFRASTRUCTURE_REPOSITORIES_FILE_ARTIFACTS_H

#include "application/ports/artifacts.h"

struct uv_runtime;

struct artifacts *file_artifacts_create(struct uv_runtime *runtime);
/* Every folder was committed or discarded before. NULL is fine. */
awaits void file_artifacts_destroy(struct artifacts *artifacts);

#endif
