/* The ports of a run with a cassette in them. What is to be recorded stays the object that it is:
 * some of its functions are replaced by others, which note what passes and call them. What is
 * replayed has only the cassette, starts no process and opens no socket; it belongs to the
 * cassette, and destroying it does nothing.
 *
 * A replayed server answers at once, a replayed model in one piece. What a server asked in the
 * middle of a call it asks again after cassette_ask_again, when the person is of the cassette as
 * well; in any case the recorded result stands on the recorded answer. */
#ifndef INFRASTRUCTURE_CASSETTE_CASSETTE_PORTS_H
#define INFRASTRUCTURE_CASSETTE_CASSETTE_PORTS_H

#include "application/ports/browser.h"
#include "application/ports/candidate_checker.h"
#include "application/ports/model.h"
#include "application/ports/renderer.h"
#include "application/ports/tool_server.h"
#include "application/ports/user.h"
#include "domain/repositories/approval_repository.h"
#include "infrastructure/cassette/cassette.h"

struct cassette_recorder;

/* Before anybody listens to it. sampling: what is configured of that; -1: nothing. */
void cassette_record_server(struct cassette_recorder *recorder, int sampling,
                            struct tool_server *server);
/* name: that of the party. facts (stolen): what a replay has to know of it before it is asked. */
void cassette_record_model(struct cassette_recorder *recorder, const char *name, json_t *facts,
                           struct model *model);
void cassette_record_renderer(struct cassette_recorder *recorder, struct renderer *renderer);
void cassette_record_checker(struct cassette_recorder *recorder, struct candidate_checker *checker);
void cassette_record_browser(struct cassette_recorder *recorder, struct browser *browser);

/* What the person says from here on, and within that scope that somebody is there, or that all is
 * approved. Nothing but that where the person is recorded already. */
void cassette_record_user(struct cassette_recorder *recorder, const struct scope *scope,
                          struct user *user, bool approves_all);
void cassette_record_approvals(struct cassette_recorder *recorder,
                               struct approval_repository *approvals);

struct tool_server *cassette_server(struct cassette *cassette,
                                    const struct cassette_member *member);
/* The same one each time. */
struct model *cassette_model(struct cassette *cassette, struct cassette_member *member);
struct renderer *cassette_renderer(struct cassette *cassette);
struct candidate_checker *cassette_checker(struct cassette *cassette);
struct browser *cassette_browser(struct cassette *cassette);
struct user *cassette_user(struct cassette *cassette, bool *out_approves_all);
/* What had been approved before. Nothing is added. */
struct approval_repository *cassette_approvals(struct cassette *cassette);

/* What a client is served of a cassette: the server of that name, or, where name is NULL, the one
 * that it has, or all of them in one, with tools named server__tool. Owns the cassette.
 * ERR_NOT_FOUND: there is none of that name, or none at all. */
MUST_CHECK
enum err_code cassette_serve(struct cassette *cassette, const char *name, struct tool_server **out,
                             struct err *err);

#endif
