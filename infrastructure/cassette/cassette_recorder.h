/* Writes cassettes (cassette.h): one line for each message, at once, so that a cassette is complete
 * also when the run fails. Several may be open at once, each for everything or for what happens in
 * one scope. What cannot be recorded any more (the disk is full, a bound is reached, a call needs
 * what redaction took out) does not disturb the run: that cassette ends with a line that says why.
 */
#ifndef INFRASTRUCTURE_CASSETTE_CASSETTE_RECORDER_H
#define INFRASTRUCTURE_CASSETTE_CASSETTE_RECORDER_H

#include "application/ports/runtime.h"
#include "infrastructure/cassette/cassette.h"
#include "infrastructure/cassette/cassette_secrets.h"

struct cassette_recorder;
struct taped;
struct cassette_tape; /* an open cassette */

struct cassette_recorder *cassette_recorder_create(struct runtime *runtime);
/* NULL is fine. Also what was made of it (cassette_ports.h) is gone. */
void cassette_recorder_destroy(struct cassette_recorder *recorder);
/* Lives as long as the recorder. */
struct arena *cassette_recorder_arena(struct cassette_recorder *recorder);
/* What taped_ports.c has made of people, of which there is one for each kind. */
struct taped **cassette_recorder_people(struct cassette_recorder *recorder);

/* Creates the file, or empties one that is a recording, readable by this user only. is_raw: nothing
 * is redacted. scope (borrowed): only what is asked within it is written; NULL: everything.
 * ERR_INVALID: the file cannot be created, or is something else. */
MUST_CHECK
enum err_code cassette_tape_open(struct cassette_recorder *recorder, const char *path, bool is_raw,
                                 const struct scope *scope, const struct cassette_bounds *bounds,
                                 struct cassette_tape **out, struct err *err);
void cassette_tape_close(struct cassette_recorder *recorder, struct cassette_tape *tape);
/* Why recording ended early: its code is ERR_NONE where it did not. */
const struct err *cassette_tape_failure(const struct cassette_tape *tape);

/* Whom is asked, and where: what every message says of itself. */
struct cassette_exchange {
    struct cassette_recorder *recorder;
    struct cassette_party party;
    const struct scope *scope; /* NULL: it concerns every cassette */
    uint64_t id;               /* of the request, that its answer is recorded with */
};

/* That the party is there, for cassettes that are open and those to come; facts (stolen): what a
 * replay has to know of it beforehand. The name of the party, as long as the recorder lives. */
const char *cassette_record_start(struct cassette_recorder *recorder,
                                  const struct cassette_party *party, json_t *facts);
/* Whether a cassette that hears this lacks that version of what the party keeps; from now on none
 * does. */
bool cassette_is_news(const struct cassette_exchange *exchange, int64_t version);
/* A request {"method","params"} that is about to be sent, params (stolen) being NULL where there
 * are none; sets the id. */
void cassette_record_request(struct cassette_exchange *exchange, const char *method,
                             json_t *params);
/* The JSON text of the result; or, where bytes is NULL, why there is none, which is copied to *err
 * (may be NULL). Returns its code. */
enum err_code cassette_record_answer(const struct cassette_exchange *exchange, const char *bytes,
                                     size_t length, enum cassette_words words,
                                     const struct err *why, struct err *err);
/* A whole message (stolen) that is neither: a notification, a question of a server, our answer. */
void cassette_record_message(const struct cassette_exchange *exchange, bool is_sent,
                             json_t *message, enum cassette_words words);
/* A fresh id for a question of a server. */
const char *cassette_question_id(struct cassette_recorder *recorder, struct arena *arena);

#endif
