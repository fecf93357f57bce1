/* Ports that the operating system and its libraries answer without waiting: fresh ids, digests, a
 * browser for a page. Each is one object for the whole process. */
#ifndef INFRASTRUCTURE_RUNTIME_SYSTEM_PORTS_H
#define INFRASTRUCTURE_RUNTIME_SYSTEM_PORTS_H

#include "application/ports/browser.h"
#include "application/ports/digest.h"
#include "application/ports/ids.h"

/* Ids that sort by age. */
struct ids *system_ids(void);

/* SHA-256 by nettle, which uses the processor's instructions for it; nothing is loaded. */
struct digest *system_digest(void);

/* The program that BROWSER names (or the first of several, with ":" between them that is there),
 * else the desktop's own opener. It is started without a shell, with the URL as its one argument
 * and nothing to read or to write to. It goes on when we end; no one waits for it. */
struct browser *system_browser(void);

#endif
