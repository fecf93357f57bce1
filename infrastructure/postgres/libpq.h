/* libpq, loaded when runs and conversations are kept in PostgreSQL: no other store needs it. This
 * is the one table of its symbols; its header is used for types and constants only. */
#ifndef INFRASTRUCTURE_POSTGRES_LIBPQ_H
#define INFRASTRUCTURE_POSTGRES_LIBPQ_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <libpq-fe.h>

#define LIBPQ_SYMBOLS(X)                                                                           \
    X(clear)                                                                                       \
    X(cmdTuples)                                                                                   \
    X(connectdbParams)                                                                             \
    X(conninfoFree)                                                                                \
    X(conninfoParse)                                                                               \
    X(consumeInput)                                                                                \
    X(enterPipelineMode)                                                                           \
    X(errorMessage)                                                                                \
    X(exitPipelineMode)                                                                            \
    X(finish)                                                                                      \
    X(flush)                                                                                       \
    X(freemem)                                                                                     \
    X(getisnull)                                                                                   \
    X(getlength)                                                                                   \
    X(getResult)                                                                                   \
    X(getvalue)                                                                                    \
    X(isBusy)                                                                                      \
    X(notifies)                                                                                    \
    X(ntuples)                                                                                     \
    X(parameterStatus)                                                                             \
    X(pipelineSync)                                                                                \
    X(resultErrorField)                                                                            \
    X(resultStatus)                                                                                \
    X(sendQuery)                                                                                   \
    X(sendQueryParams)                                                                             \
    X(setnonblocking)                                                                              \
    X(setNoticeProcessor)                                                                          \
    X(socket)                                                                                      \
    X(status)

struct libpq {
#define X(name) __typeof__(PQ##name) *name;
    LIBPQ_SYMBOLS(X)
#undef X
};

/* Always one and the same table, on any thread. ERR_UNAVAILABLE, with the package to install, when
 * there is no libpq or it is older than PostgreSQL 14. */
MUST_CHECK
enum err_code libpq_get(const struct libpq **out, struct err *err);

#endif
