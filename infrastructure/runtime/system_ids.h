/* The ids port: milliseconds since 1970 in base 32, then 50 bits from getrandom(2). */
#ifndef INFRASTRUCTURE_RUNTIME_SYSTEM_IDS_H
#define INFRASTRUCTURE_RUNTIME_SYSTEM_IDS_H

#include "application/ports/ids.h"

struct ids *system_ids(void);

#endif
