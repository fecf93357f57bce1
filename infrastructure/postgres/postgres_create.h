/* The constructors of what is in PostgreSQL. Each store is for one person, whose name is copied: ""
 * for whoever runs mistro. The database is borrowed and outlives them. */
#ifndef INFRASTRUCTURE_POSTGRES_POSTGRES_CREATE_H
#define INFRASTRUCTURE_POSTGRES_POSTGRES_CREATE_H

#include "application/ports/places.h"
#include "application/settings.h"
#include "domain/repositories/approval_repository.h"
#include "domain/repositories/conversation_repository.h"
#include "domain/repositories/pin_repository.h"
#include "domain/repositories/run_queue.h"
#include "domain/repositories/run_repository.h"
#include "domain/repositories/run_states.h"

struct postgres_database;
struct postgres_process;
struct uv_runtime;

struct conversation_repository *postgres_conversations_create(struct uv_runtime *runtime,
                                                              struct postgres_database *db,
                                                              const char *person,
                                                              const struct settings *settings);
struct run_repository *postgres_run_log_create(struct uv_runtime *runtime,
                                               struct postgres_database *db, const char *person);
struct approval_repository *postgres_approvals_create(struct postgres_database *db,
                                                      const char *person);
struct pin_repository *postgres_pins_create(struct postgres_database *db, const char *person);
/* process is borrowed as well: it has the runs that are claimed and taken. */
struct run_states *postgres_run_states_create(struct uv_runtime *runtime,
                                              struct postgres_process *process, const char *person);
struct run_queue *postgres_queue_create(struct uv_runtime *runtime,
                                        struct postgres_process *process, const char *person);
/* Shared by all processes on the database and all persons. A connection of its own is opened for
 * the first place that is taken, and kept. */
struct places *postgres_places_create(struct uv_runtime *runtime, struct postgres_database *db);

#endif
