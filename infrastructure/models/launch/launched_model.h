/* A model behind a server that mistro starts: every request first sees to it that the server is
 * there, and a request that the server did not survive says so. */
#ifndef INFRASTRUCTURE_MODELS_LAUNCH_LAUNCHED_MODEL_H
#define INFRASTRUCTURE_MODELS_LAUNCH_LAUNCHED_MODEL_H

#include "application/ports/model.h"

struct launched_server;

/* Steals inside, the model at the server's address; the server is borrowed. */
struct model *launched_model_create(struct launched_server *server, struct model *inside);

#endif
