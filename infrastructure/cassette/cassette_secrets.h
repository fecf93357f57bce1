/* Keeps secrets out of a cassette by the rules of the run log (domain/text/redact.h), and knows
 * what it took out of answers: such a value must not come back with a later message, and a call
 * that needs it could not be replayed.
 *
 * Two things are left alone that redaction would spoil: the names of members in schemas and in what
 * models are asked, where "token" is the name of a parameter, and images and other bytes in
 * base64. */
#ifndef INFRASTRUCTURE_CASSETTE_CASSETTE_SECRETS_H
#define INFRASTRUCTURE_CASSETTE_CASSETTE_SECRETS_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CASSETTE_SECRET_MIN_BYTES 6 /* shorter ones would be found everywhere */
#define CASSETTE_MAX_SECRETS 10000

enum cassette_words {
    CASSETTE_DATA,  /* members with the name of a secret are secret, as are texts that look so */
    CASSETTE_PROSE, /* only texts that look so: schemas, and what models are asked and say */
};

struct cassette_secret {
    const char *text;
    const char *path; /* JSON Pointer within the line that it was taken out of */
    size_t line;
};

/* Zeroed is fine. */
struct cassette_secrets {
    struct arena arena;
    struct cassette_secret *list;
    size_t n, capacity;
};

void cassette_secrets_finish(struct cassette_secrets *secrets);
/* What may be written of the value: a new reference, owned by the caller. */
json_t *cassette_redact(const json_t *value, enum cassette_words words);
/* Remembers what `clean` lacks of `raw`, the answer in that line. False: there are too many. */
bool cassette_secrets_learn(struct cassette_secrets *secrets, const json_t *raw,
                            const json_t *clean, const char *path, size_t line);
/* The first remembered value that a text of this value still has, or NULL. */
const struct cassette_secret *cassette_secrets_find(const struct cassette_secrets *secrets,
                                                    const json_t *value);
/* The value with all of them taken out; owned by the caller. */
json_t *cassette_secrets_mask(const struct cassette_secrets *secrets, const json_t *value);

#endif
