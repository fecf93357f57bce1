/* The command of a launched server as it is executed: model.launch with {port} and {socket} filled
 * in, the environment it gets, and a port for it. */
#ifndef INFRASTRUCTURE_MODELS_LAUNCH_LAUNCH_COMMAND_H
#define INFRASTRUCTURE_MODELS_LAUNCH_LAUNCH_COMMAND_H

#include "application/settings.h"
#include "domain/base/arena.h"

/* Whether some word asks for a socket; without one the server gets a port. */
bool launch_command_wants_socket(const struct model_launch *launch);
/* The arguments without the program, NULL-terminated, in the arena. A command that names neither
 * gets "--host 127.0.0.1 --port N" behind it, as llama-server and most others take them. */
const char *const *launch_command_arguments(const struct model_launch *launch, int port,
                                            const char *socket, struct arena *arena);
/* The minimal environment of every child and what says where libraries, devices and downloaded
 * models are. Freed with process_environment_free. */
char **launch_command_environment(void);
/* The program without its folder, for people. */
const char *launch_command_program(const struct model_launch *launch);

/* A port that is free at 127.0.0.1; 0 when there is none. It may be taken before the server has it:
 * look again (loopback_port_is_taken) when the server fails. */
int loopback_port_find(void);
bool loopback_port_is_taken(int port);

#endif
