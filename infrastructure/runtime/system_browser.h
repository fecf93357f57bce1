/* The browser port: the program that BROWSER names (or the first of several, with ":" between
 * them), else the desktop's own opener. It is started without a shell, with the URL as its one
 * argument and nothing to read or to write to, and goes on when we end; nobody waits for it. */
#ifndef INFRASTRUCTURE_RUNTIME_SYSTEM_BROWSER_H
#define INFRASTRUCTURE_RUNTIME_SYSTEM_BROWSER_H

#include "application/ports/browser.h"

struct browser *system_browser(void);

#endif
