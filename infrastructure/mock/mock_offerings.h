/* The resources and prompts of a mock fixture: what may stand there, what is listed of it, and what
 * reading a resource or getting a prompt gives. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_OFFERINGS_H
#define INFRASTRUCTURE_MOCK_MOCK_OFFERINGS_H

#include "domain/entities/offering.h"
#include "infrastructure/mock/mock_fixture.h"

#define MOCK_MAX_OFFERINGS 1000 /* of one kind */

/* ERR_INVALID with the JSON Pointer of the faulty member of the fixture. */
MUST_CHECK
enum err_code mock_offerings_check(const json_t *fixture, struct err *err);

/* Whether the fixture has a list of them, be it an empty one. */
bool mock_has_resources(const struct mock_fixture *fixture);
bool mock_has_prompts(const struct mock_fixture *fixture);

MUST_CHECK
enum err_code mock_offerings_list(const struct mock_fixture *fixture, enum offering_kind kind,
                                  struct offerings *out, struct err *err);
/* ERR_NOT_FOUND for a URI that is neither listed nor fits a template. */
MUST_CHECK
enum err_code mock_read_resource(const struct mock_fixture *fixture, const char *uri,
                                 struct arena *arena, struct offering_result *out, struct err *err);
/* ERR_NOT_FOUND for an unknown prompt, ERR_INVALID for a required argument that is missing. */
MUST_CHECK
enum err_code mock_get_prompt(const struct mock_fixture *fixture, const char *name,
                              const json_t *arguments, struct arena *arena,
                              struct offering_result *out, struct err *err);

#endif
