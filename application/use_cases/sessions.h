/* `sessions list|show|delete|rename|search|import` and the slash commands on stored conversations.
 * Results are in the arena. */
#ifndef APPLICATION_USE_CASES_SESSIONS_H
#define APPLICATION_USE_CASES_SESSIONS_H

#include "application/services.h"
#include "domain/plan/intent.h"

/* Newest first, damaged ones as well. */
awaits MUST_CHECK enum err_code list_sessions(struct services *services, struct scope *scope,
                                              struct arena *arena,
                                              struct conversation_summary **out, size_t *out_n,
                                              struct err *err);
/* id, or a unique prefix of one. ERR_NOT_FOUND names the nearest. */
awaits MUST_CHECK enum err_code show_session(struct services *services, struct scope *scope,
                                             struct arena *arena, const char *id,
                                             struct conversation **out, struct err *err);
/* The session that a word (of `--session`, or a host's session_id) or else `--continue` (latest)
 * names; *out_id is NULL without either. The word is the id, or a unique prefix, of a session that
 * exists, so that a typo begins none; "new:NAME" is the id NAME, with which the next turn begins
 * one and which is checked there. ERR_NOT_FOUND names the nearest, or tells that there is none. */
#define SESSION_NEW "new:"
awaits MUST_CHECK enum err_code choose_session(struct services *services, struct scope *scope,
                                               struct arena *arena, const char *word, bool latest,
                                               const char **out_id, struct err *err);
/* Keeps a conversation as `sessions export` prints it, in the shape of the seed as well; *out_id is
 * in the arena. ERR_INVALID: the text is none, or a session of its id exists. */
awaits MUST_CHECK enum err_code import_session(struct services *services, struct scope *scope,
                                               struct arena *arena, const char *text, size_t length,
                                               const char **out_id, struct err *err);
awaits MUST_CHECK enum err_code delete_session(struct services *services, struct scope *scope,
                                               const char *id, struct err *err);
/* At most CONVERSATION_TITLE_MAX bytes, one line. */
awaits MUST_CHECK enum err_code rename_session(struct services *services, struct scope *scope,
                                               const char *id, const char *title, struct err *err);
/* Forgets what a later turn would see of it: the messages stay stored, a marker in the context
 * says where the new beginning is, and no question waits any more (`/clear`). */
awaits MUST_CHECK enum err_code clear_session(struct services *services, struct scope *scope,
                                              const char *id, struct err *err);
/* What was understood, with the questions that the next message is taken to answer; *out is NULL
 * where none waits, or the session is to begin with the next turn. */
awaits MUST_CHECK enum err_code waiting_questions(struct services *services, struct scope *scope,
                                                  struct arena *arena, const char *id,
                                                  const struct intent **out, struct err *err);
/* Drops the questions that wait in it. *out_text says so and how to answer them later, in the
 * arena; NULL: none waits. */
awaits MUST_CHECK enum err_code drop_questions(struct services *services, struct scope *scope,
                                               struct arena *arena, const char *id,
                                               const char **out_text, struct err *err);
/* Conversations with a message or label that contains text, ignoring ASCII case. */
awaits MUST_CHECK enum err_code search_sessions(struct services *services, struct scope *scope,
                                                struct arena *arena, const char *text,
                                                struct conversation_summary **out, size_t *out_n,
                                                struct err *err);

#endif
