/* The constructors of what this room implements: the repositories, the era memory, the artifacts
 * and the tool index. Folders are created (0700), files are
 * 0600. Nothing is opened before the first use. settings is borrowed. */
#ifndef INFRASTRUCTURE_REPOSITORIES_REPOSITORY_CREATE_H
#define INFRASTRUCTURE_REPOSITORIES_REPOSITORY_CREATE_H

#include "application/ports/assets.h"
#include "application/ports/tool_index.h"
#include "application/settings.h"
#include "domain/repositories/approval_repository.h"
#include "domain/repositories/conversation_repository.h"
#include "domain/repositories/person_repository.h"
#include "domain/repositories/pin_repository.h"
#include "domain/repositories/run_repository.h"
#include "domain/repositories/run_states.h"
#include <stdint.h>

/* Bytes of events that wait for the disk; beyond, they are lost and the next sync says so. */
#define RUN_QUEUE_MAX_BYTES (64 * 1024 * 1024)
#define APPROVALS_MAX_BYTES (1024 * 1024)
#define PERSONS_MAX_BYTES (1024 * 1024)
#define ERA_MEMORY_MAX_BYTES 65536
#define ERA_MEMORY_MAX_SERVERS 200
/* Servers are updated: an older verdict is asked for again. */
#define ERA_MEMORY_MAX_AGE_MS (30 * (int64_t)86400000)

struct artifacts;
struct digest;
struct era_memory;
struct uv_runtime;

/* One file per conversation, directory/ID.json (json_conversation_repository.c). */
struct conversation_repository *json_conversation_repository_create(
    struct uv_runtime *runtime, const char *directory, const struct settings *settings);
/* One database (sqlite_conversation_repository.c). assets has the migrations. */
struct conversation_repository *sqlite_conversation_repository_create(
    struct uv_runtime *runtime, const char *file, const struct settings *settings,
    struct assets *assets);
struct run_repository *sqlite_run_repository_create(struct uv_runtime *runtime, const char *file,
                                                    struct assets *assets);
/* A database for each run in the folder (sqlite_run_states.c). */
struct run_states *sqlite_run_states_create(struct uv_runtime *runtime, const char *folder,
                                            struct assets *assets);
/* One small JSON file (locked_json.h). */
struct approval_repository *json_approval_repository_create(struct uv_runtime *runtime,
                                                            const char *file);
/* One small JSON file as well (json_person_repository.c). digest is borrowed. */
struct person_repository *json_person_repository_create(struct uv_runtime *runtime,
                                                        const char *file, struct digest *digest);
/* One file per server configuration (json_pin_repository.c). */
struct pin_repository *json_pin_repository_create(struct uv_runtime *runtime, const char *folder);
/* folder/eras.json, a cache (mcp/wire/era_memory.h). digest is borrowed. */
struct era_memory *json_era_memory_create(struct uv_runtime *runtime, struct digest *digest,
                                          const char *folder);
/* Folders of results on disk (file_artifacts.c). */
struct artifacts *file_artifacts_create(struct uv_runtime *runtime);
/* Every folder was committed or discarded before. NULL is fine. */
awaits void file_artifacts_destroy(struct artifacts *artifacts);
/* In memory (bm25_tool_index.c). */
struct tool_index *bm25_tool_index_create(void);

#endif
