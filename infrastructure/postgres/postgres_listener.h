/* Notices of the queue as they come, on a connection of its own that the loop watches. A connection
 * that is lost is opened again, after pauses that grow; what was told meanwhile is told no more,
 * and NOTICE_LOST says so. So does the first notice, and one in the place of more than are kept for
 * a reader who does not come. */
#ifndef INFRASTRUCTURE_POSTGRES_POSTGRES_LISTENER_H
#define INFRASTRUCTURE_POSTGRES_POSTGRES_LISTENER_H

#include "domain/base/attributes.h"
#include "domain/repositories/run_queue.h"

#define LISTENER_MAX_NOTICES 256

struct postgres_database;
struct postgres_listener;
struct uv_runtime;

/* Of one person. Nothing is opened yet. */
struct postgres_listener *postgres_listener_create(struct uv_runtime *runtime,
                                                   struct postgres_database *db,
                                                   const char *person);
/* NULL is fine. */
awaits void postgres_listener_destroy(struct postgres_listener *listener);
/* One task at a time. The first call returns after the first attempt to connect, whatever the scope
 * says, so that from then on what is told is heard. */
awaits MUST_CHECK enum err_code postgres_listener_next(struct postgres_listener *listener,
                                                       struct scope *scope,
                                                       struct queue_notice *out, struct err *err);

#endif
