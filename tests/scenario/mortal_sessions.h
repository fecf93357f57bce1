/* The port of the conversations of a process that may be killed (mortal.h). */
#ifndef TESTS_SCENARIO_MORTAL_SESSIONS_H
#define TESTS_SCENARIO_MORTAL_SESSIONS_H

#include "tests/scenario/mortal.h"
#include "tests/support/fakes/fake_conversation_repository.h"

static struct fake_conversation_repository *mortal_sessions; /* what outlives the process */

static enum err_code save(struct conversation_repository *repository, struct scope *scope,
                          const struct conversation *conversation, int64_t version_ms,
                          struct err *err)
{
    (void)repository;
    enum err_code r = pass(scope, err);
    if (!r)
        r = conversation_repository_save(&mortal_sessions->base, scope, conversation, version_ms,
                                         err);
    return r ? r : pass(scope, err);
}

static enum err_code append(struct conversation_repository *repository, struct scope *scope,
                            const struct conversation *conversation, size_t from,
                            int64_t version_ms, struct err *err)
{
    (void)repository;
    enum err_code r = pass(scope, err);
    if (!r)
        r = conversation_repository_append(&mortal_sessions->base, scope, conversation, from,
                                           version_ms, err);
    return r ? r : pass(scope, err);
}

static enum err_code get_recent(struct conversation_repository *repository, struct scope *scope,
                                const char *id, size_t max, struct arena *arena,
                                struct conversation **out, struct err *err)
{
    (void)repository;
    enum err_code r = pass(scope, err);
    return r ? r
             : conversation_repository_get_recent(&mortal_sessions->base, scope, id, max, arena,
                                                  out, err);
}

static struct conversation_repository *mortal_sessions_port(
    struct fake_conversation_repository *disk)
{
    static const struct conversation_repository_ops ops = { .save = save,
                                                            .append = append,
                                                            .get_recent = get_recent };
    static struct conversation_repository port = { &ops };
    mortal_sessions = disk;
    return &port;
}

#endif
