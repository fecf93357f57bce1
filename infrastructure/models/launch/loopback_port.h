/* Ports of this machine for a server that is about to be started. A port that is free now may be
 * taken before the server has it; whoever starts it looks again when it fails. */
#ifndef INFRASTRUCTURE_MODELS_LAUNCH_LOOPBACK_PORT_H
#define INFRASTRUCTURE_MODELS_LAUNCH_LOOPBACK_PORT_H

#include <stdbool.h>

/* A port that nobody listens on at 127.0.0.1; 0 when there is none. */
int loopback_port_find(void);
bool loopback_port_is_taken(int port);

#endif
