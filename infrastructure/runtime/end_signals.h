/* SIGTERM and SIGHUP, by which others ask the process to end: the service manager, the terminal
 * that is closed. Who set them to be ignored, as nohup does, is left in peace. */
#ifndef INFRASTRUCTURE_RUNTIME_END_SIGNALS_H
#define INFRASTRUCTURE_RUNTIME_END_SIGNALS_H

struct end_signals;
struct uv_runtime;

/* asked is called on the loop's stack at each of them, with its number. */
struct end_signals *end_signals_create(struct uv_runtime *runtime,
                                       void (*asked)(void *context, int number), void *context);
/* They have their default again. The memory is freed by the loop, which runs once more before it is
 * closed. */
void end_signals_destroy(struct end_signals *signals);

#endif
