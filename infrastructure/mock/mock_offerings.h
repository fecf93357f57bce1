/* The resources and prompts of a mock fixture: what may stand there, what is listed of it, and what
 * reading a resource or getting a prompt gives. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_OFFERINGS_H
#define INFRASTRUCTURE_MOCK_MOCK_OFFERINGS_H

#include "application/ports/tool_server.h"
#include "infrastructure/mock/mock_fixture.h"

#define MOCK_MAX_OFFERINGS 1000 /* of one kind */

/* ERR_INVALID with the JSON Pointer of the faulty member of the fixture. The arena holds paths
 * while it looks. */
MUST_CHECK
enum err_code mock_offerings_check(struct arena *arena, const json_t *fixture, struct err *err);

/* Whether the fixture has a list of them, even an empty one. */
bool mock_has_resources(const struct mock_fixture *fixture);
bool mock_has_prompts(const struct mock_fixture *fixture);

MUST_CHECK
enum err_code mock_offerings_list(const struct mock_fixture *fixture, enum offering_kind kind,
                                  struct offerings *out, struct err *err);
/* n_before: how often it was read before. ERR_NOT_FOUND for a URI that is neither listed nor fits a
 * template. */
MUST_CHECK
enum err_code mock_read_resource(const struct mock_fixture *fixture, const char *uri,
                                 size_t n_before, struct arena *arena, struct offering_result *out,
                                 struct err *err);
/* Whether a resource or a template has this URI. */
bool mock_has_resource(const struct mock_fixture *fixture, const char *uri);
/* Whether it will hold something else the next time, after it was read n_before times. */
bool mock_resource_changes(const struct mock_fixture *fixture, const char *uri, size_t n_before);
/* The values that the fixture has for an argument of a prompt or a variable of a template and that
 * begin with what was typed. */
void mock_complete(const struct mock_fixture *fixture, const struct completion_request *request,
                   struct arena *arena, struct completion_values *out);
/* ERR_NOT_FOUND for an unknown prompt, ERR_INVALID for a required argument that is missing,
 * ERR_DENIED where what the prompt asks was refused. */
awaits MUST_CHECK enum err_code mock_get_prompt(const struct mock_fixture *fixture,
                                                struct scope *scope,
                                                const struct prompt_request *request,
                                                struct arena *arena, struct offering_result *out,
                                                struct err *err);

#endif
