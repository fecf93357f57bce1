/* The web_server port: HTTP/1.1 by libmicrohttpd, on the runtime's loop and without a thread.
 *
 * The library reads and writes sockets when the loop says so, and hands out requests; one that has
 * come in whole gets a task, which answers it. What could be read in two ways is refused before
 * that: two lengths, or a header twice of those that decide something. All limits are those of the
 * settings below "http.". */
#ifndef INFRASTRUCTURE_WEB_WEB_LISTENER_H
#define INFRASTRUCTURE_WEB_WEB_LISTENER_H

#include "application/ports/web.h"
#include "application/settings.h"

#define WEB_HEAD_BYTES (32 * 1024)     /* of a request's head, about */
#define WEB_UNREAD_BYTES (1024 * 1024) /* of a stream, beyond one message of any length */

struct uv_runtime;

/* Listens at "ADDRESS:PORT" ("[::1]:PORT"; port 0: any), from now on; requests are taken once it
 * serves. ERR_INVALID: no such address, or it is not this machine's; ERR_UNAVAILABLE: it is in
 * use, or there is no libmicrohttpd. */
MUST_CHECK
enum err_code web_listener_create(struct uv_runtime *runtime, const struct settings *settings,
                                  const char *address, struct web_server **out, struct err *err);

/* "ADDRESS:PORT" of numbers, for which *out_is_loopback says whether only this machine reaches it.
 */
MUST_CHECK
enum err_code web_address_check(const char *address, bool *out_is_loopback, struct err *err);

#endif
