/* A model that copies the example may copy its gaps as well: "<prompt>" where a prompt should
 * stand. Only what the contract's own examples have in that form counts; other text in angle
 * brackets may be meant. Pure. */
#ifndef APPLICATION_STRUCTURED_PLACEHOLDER_H
#define APPLICATION_STRUCTURED_PLACEHOLDER_H

#include "domain/contract/contract.h"

#define PLACEHOLDER_MAX_BYTES 64

/* True when a text in the value is one; the problem names its path. */
bool placeholder_find(const struct contract *contract, const json_t *value,
                      struct problems *problems);

#endif
