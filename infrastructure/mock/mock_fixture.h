/* A mock fixture, checked once and kept as the mock needs it: its tools, the replies of each with
 * how often they may still be given, its resources and prompts, and how the server behaves.
 * docs/mock.md describes the format for people; mock_fixture.c and mock_offerings.c hold the tables
 * of members it is checked against. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_FIXTURE_H
#define INFRASTRUCTURE_MOCK_MOCK_FIXTURE_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define MOCK_MAX_TOOLS 1000
#define MOCK_MAX_REPLIES 10000 /* of one tool */
#define MOCK_MAX_EXPANDED_BYTES                                                                    \
    1048576                      /* of a text of a reply, also with its templates filled in */
#define MOCK_MAX_NUMBER 86400000 /* of every number in a fixture: one day in milliseconds */
#define MOCK_REPLIES_FOR_EVER (-1)
#define MOCK_DEFAULT_TTL_MS 60000

enum mock_fault {
    MOCK_FAULT_NONE,
    MOCK_FAULT_HANG,    /* this call is never answered */
    MOCK_FAULT_SILENCE, /* neither this call nor any after it is answered */
    MOCK_FAULT_CLOSE,   /* the server ends the conversation in order */
    MOCK_FAULT_EXIT,    /* the process dies at once */
    MOCK_FAULT_JUNK,    /* a line that is not a message, then the reply */
    MOCK_FAULT_GARBAGE, /* a message that stops in the middle, and no reply */
};

struct mock_reply {
    const json_t *spec; /* the object in the fixture */
    int64_t times_left; /* or MOCK_REPLIES_FOR_EVER */
    int64_t delay_ms;
    enum mock_fault fault;
};

struct mock_tool {
    const char *name;
    json_t *definition; /* as tools/list shows it */
    bool hidden, validates;
    struct mock_reply *replies;
    size_t n_replies;
};

struct mock_fixture {
    struct arena arena;  /* owns everything below */
    const json_t *value; /* the whole; resources and prompts are looked up in it */
    struct mock_tool *tools;
    size_t n_tools;
    const char *version, *instructions, *era;
    size_t page_size;
    int64_t ttl_ms; /* how long clients may keep its lists */
    bool is_public; /* and whether one copy may serve all of them */
    int64_t start_delay_ms;
    enum mock_fault start_fault;
};

/* Keeps a reference to value. ERR_INVALID starts with the JSON Pointer of the faulty member. */
MUST_CHECK
enum err_code mock_fixture_init(struct mock_fixture *out, json_t *value, struct err *err);
void mock_fixture_finish(struct mock_fixture *fixture);
/* Whether calls of any of its tools may become tasks. */
bool mock_fixture_has_tasks(const struct mock_fixture *fixture);
struct mock_tool *mock_fixture_find(struct mock_fixture *fixture, const char *name);

#endif
