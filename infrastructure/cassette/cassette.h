/* A cassette has what passed between mistro and its servers, its models and the programs that it
 * starts (the renderer, the checker of candidates), one JSON object a line:
 *
 *   {"cassette":"mistro","version":1,"redacted":true}
 *   {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{…},"_meta":{"dir":"send","server":"files","t_ms":3}}
 *   {"jsonrpc":"2.0","id":1,"result":{…},"_meta":{"dir":"recv","server":"files","t_ms":9}}
 *   {"id":2,"request":{"method":"chat","params":{…}},"_meta":{"dir":"send","model":"mistral","t_ms":9}}
 *   {"id":2,"reply":{…},"_meta":{"dir":"recv","model":"mistral","t_ms":80}}
 *
 * A cassette that is not redacted has what the person was asked as well. The lines of servers have
 * the shape that mcporter's recordings have. docs/cassettes.md has the whole format.
 *
 * Here is one that was recorded, and the answers in it. The n-th equal request gets the answer to
 * the n-th, so that calls that ran side by side keep their own; a request that was not recorded, or
 * not so often, is a miss: an error that names the nearest recording and where it differs. Requests
 * without an answer, whose run was killed meanwhile, count as not recorded. Nothing here waits. */
#ifndef INFRASTRUCTURE_CASSETTE_CASSETTE_H
#define INFRASTRUCTURE_CASSETTE_CASSETTE_H

#include "application/ports/digest.h"
#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CASSETTE_VERSION 1

/* X(party, the member of `_meta` that has its name) */
#define CASSETTE_PARTIES(X)                                                                        \
    X(SERVER, "server")                                                                            \
    X(MODEL, "model")                                                                              \
    X(PROCESS, "process")                                                                          \
    X(PERSON, "person")

enum cassette_party_kind {
#define X(party, member) CASSETTE_##party,
    CASSETTE_PARTIES(X)
#undef X
        CASSETTE_N_PARTIES
};

/* Whom a message was for. */
struct cassette_party {
    enum cassette_party_kind kind;
    const char *name;
};

/* From settings: of a whole cassette, and of one of its lines. */
struct cassette_bounds {
    size_t max_bytes, max_line_bytes;
    size_t max_values; /* JSON values made of one line */
};

struct cassette;

/* A recorded answer; borrowed from the cassette. */
struct cassette_answer {
    const char *result; /* JSON text; NULL where an error was recorded */
    size_t length;
    const json_t *meanwhile; /* array: the messages with a method that came before it */
    bool asks_again;         /* the questions among them are put to somebody */
    bool changes_tools;      /* the server said meanwhile that its list changed */
};

/* A party of the recording, in the order in which they were made. */
struct cassette_member {
    struct cassette_party party;
    const json_t *facts; /* NULL where the recording has none */
    size_t n_lists;      /* how often it was asked for its tools */
    const json_t *tools; /* array: the names of those that were called, each once */
    void *port;          /* what was made of it (cassette_ports.h), or NULL */
};

const char *cassette_party_member(enum cassette_party_kind kind);
/* {"method","params"}; steals params, which may be NULL. Owned by the caller. */
json_t *cassette_request(const char *method, json_t *params);

/* ERR_INVALID: it cannot be read, is damaged (with the line), is of a newer mistro, or its
 * recording ended early. ERR_LIMIT: a bound is passed. */
MUST_CHECK
enum err_code cassette_open(const char *path, const struct cassette_bounds *bounds,
                            struct digest *digest, struct cassette **out, struct err *err);
/* NULL is fine. Also what was made of it (cassette_ports.h) is gone. */
void cassette_close(struct cassette *cassette);
/* Lives as long as the cassette. */
struct arena *cassette_arena(struct cassette *cassette);

/* From now on what servers asked is asked again. */
void cassette_ask_again(struct cassette *cassette);

size_t cassette_n_members(const struct cassette *cassette);
struct cassette_member *cassette_member(const struct cassette *cassette, size_t index);
/* The one of that name, or NULL. */
struct cassette_member *cassette_find(const struct cassette *cassette,
                                      const struct cassette_party *party);

/* repeats: the last answer is given again when all are used up. ERR_FAILED: a miss, and *out is as
 * it was; else, where an error was recorded, that error, and *out has what came before it. */
MUST_CHECK
enum err_code cassette_take(struct cassette *cassette, const struct cassette_party *party,
                            const json_t *request, bool repeats, struct cassette_answer *out,
                            struct err *err);
/* Whether the request would be answered once more without repeating an answer. */
bool cassette_has(struct cassette *cassette, const struct cassette_party *party,
                  const json_t *request);
/* The first miss; its code is ERR_NONE when there was none. */
const struct err *cassette_miss(const struct cassette *cassette);

#endif
