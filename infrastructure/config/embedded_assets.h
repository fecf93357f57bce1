/* The files of config/ and data/ as they were when the binary was built. */
#ifndef INFRASTRUCTURE_CONFIG_EMBEDDED_ASSETS_H
#define INFRASTRUCTURE_CONFIG_EMBEDDED_ASSETS_H

#include "domain/base/embedded_file.h"

extern const struct embedded_file embedded_assets[];

#endif
