#include "infrastructure/postgres/postgres_connection.h"
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define MESSAGE_MAX_BYTES 16384 /* of what the server says, before it is cut */
#define MESSAGE_MAX_COLUMNS 300

static int64_t now_ms(void)
{
    return (int64_t)(uv_hrtime() / 1000000);
}

/* What libpq or the server says, on one line and without the password. */
static const char *shown(struct arena *arena, const struct postgres_connection *c, const char *said)
{
    AUTO(buf) text;
    const char *password = c->password && *c->password ? c->password : NULL;
    bool fits = true;
    buf_init(&text, MESSAGE_MAX_BYTES);
    for (const char *found; fits && password && (found = strstr(said, password));
         said = found + strlen(password))
        fits = buf_append(&text, said, (size_t)(found - said)) && buf_puts(&text, REDACTED);
    if (!fits || !buf_puts(&text, said))
        return "a message of many kilobytes";
    while (text.length && text.bytes[text.length - 1] == '\n')
        text.length--;
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '\n' || text.bytes[i] == '\t')
            text.bytes[i] = ' ';
    return text_one_line(arena, buf_string(&text), text.length, MESSAGE_MAX_COLUMNS);
}

static enum err_code unusable_url(struct err *err, const char *why)
{
    err_set(err, ERR_INVALID, 0, "storage.postgres: %s", why);
    return err_hint(err, ERR_INVALID,
                    "it is written postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %%40 for @ "
                    "and %%2F for / in a name or password");
}

/* A password with "@" or "/" in it would be read as part of the host, which messages name. */
static bool has_one_meaning(const char *url)
{
    const char *authority = strstr(url, "://") + 3, *at = strchr(authority, '@');
    const char *path = strchr(authority, '/'), *query = strchr(authority, '?');
    if (!at)
        return true;
    if (path && path < at)
        return query && path < query && query < at;
    return !memchr(at + 1, '@', strcspn(at + 1, "?"));
}

static const char *url_problem(const char *url)
{
    size_t length = strlen(url);
    if (length > POSTGRES_URL_MAX_BYTES)
        return "the URL is too long";
    if (strncmp(url, "postgresql://", 13) != 0 && strncmp(url, "postgres://", 11) != 0)
        return "not a URL of PostgreSQL";
    for (const char *at = url; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 127)
            return "there is a blank or a control character in the URL";
    return has_one_meaning(url) ? NULL : "an @ or / is not where the URL has one";
}

/* Also finds the password. What libpq says of a URL that it cannot read quotes it. */
static enum err_code read_url(struct postgres_connection *c, const char *url, struct err *err)
{
    const char *problem = url_problem(url);
    if (problem)
        return unusable_url(err, problem);
    char *said = NULL;
    PQconninfoOption *options = c->pq->conninfoParse(url, &said);
    c->pq->freemem(said);
    if (!options)
        return unusable_url(err, "libpq cannot read the URL");
    for (const PQconninfoOption *option = options; option->keyword; option++)
        if (strcmp(option->keyword, "password") == 0 && option->val &&
            !(c->password = strdup(option->val)))
            abort();
    c->pq->conninfoFree(options);
    return ERR_NONE;
}

static enum err_code unreachable(struct err *err, const char *why)
{
    err_set(err, ERR_UNAVAILABLE, 0, "PostgreSQL: %s", why);
    return err_hint(err, ERR_UNAVAILABLE, "check storage.postgres, and that its server runs");
}

static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

static enum err_code connect_to(struct postgres_connection *c, const char *url, struct err *err)
{
    /* Those before the URL are weaker than what it says, those behind it stronger. A server that is
     * gone without a word is noticed within a minute or two, not when the next statement is sent.
     */
    const char *const names[] = {
        "keepalives_idle", "keepalives_interval",       "dbname", "client_encoding",
        "connect_timeout", "fallback_application_name", NULL
    };
    const char *const values[] = { "60",     "20", url, "UTF8", TEXT_OF(POSTGRES_CONNECT_S),
                                   "mistro", NULL };
    AUTO(arena) scratch = { 0 };
    c->pg = c->pq->connectdbParams(names, values, 1);
    if (!c->pg)
        abort();
    if (c->pq->status(c->pg) != CONNECTION_OK)
        return unreachable(err, shown(&scratch, c, c->pq->errorMessage(c->pg)));
    const char *encoding = c->pq->parameterStatus(c->pg, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") != 0) {
        err_set(err, ERR_INVALID, 0, "the database of storage.postgres is not in UTF-8");
        return err_hint(err, ERR_INVALID, "create one with: createdb --encoding=UTF8 NAME");
    }
    c->pq->setNoticeProcessor(c->pg, ignore_notice, NULL); /* libpq's own writes to stderr */
    if (c->pq->setnonblocking(c->pg, 1) != 0)
        return unreachable(err, "the connection cannot be set up");
    return ERR_NONE;
}

enum err_code postgres_connection_open(const char *url, struct postgres_connection *out,
                                       struct err *err)
{
    struct postgres_connection c = { 0 };
    enum err_code r = libpq_get(&c.pq, err);
    if (!r)
        r = read_url(&c, url, err);
    if (!r)
        r = connect_to(&c, url, err);
    if (r)
        postgres_connection_close(&c);
    else
        *out = c;
    return r;
}

void postgres_connection_close(struct postgres_connection *c)
{
    if (c->pg)
        c->pq->finish(c->pg);
    free(c->password);
    *c = (struct postgres_connection){ .pq = c->pq };
}

bool postgres_connection_stands(struct postgres_connection *c)
{
    /* A server that ends says so before it closes: two reads. Notices may come as well. */
    for (int reads = 0; c->pg && reads < 8; reads++) {
        struct pollfd socket = { .fd = c->pq->socket(c->pg), .events = POLLIN };
        if (c->pq->status(c->pg) != CONNECTION_OK || socket.fd < 0)
            return false;
        if (poll(&socket, 1, 0) <= 0)
            return true;
        if (!c->pq->consumeInput(c->pg))
            return false;
        (void)c->pq->isBusy(c->pg); /* takes in what was read */
    }
    return c->pg != NULL;
}

/* Nothing is known of what was sent and not answered. */
static enum err_code lose(struct postgres_connection *c, const char *why, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *said = c->pq->errorMessage(c->pg);
    enum err_code r =
        unreachable(err, why ? why : shown(&scratch, c, *said ? said : "the connection is lost"));
    postgres_connection_close(c);
    return r;
}

/* Sends what is left and reads until a result can be taken without a wait. NULL, or why not; "" for
 * what libpq says. */
static const char *wait_for_result(struct postgres_connection *c, int64_t until_ms)
{
    for (;;) {
        int unsent = c->pq->flush(c->pg);
        if (unsent < 0)
            return "";
        if (!c->pq->isBusy(c->pg))
            return NULL;
        int64_t left_ms = until_ms - now_ms();
        if (left_ms <= 0)
            return "no answer in time";
        struct pollfd socket = { .fd = c->pq->socket(c->pg),
                                 .events = (short)(POLLIN | (unsent ? POLLOUT : 0)) };
        int ready = socket.fd < 0 ? 0 : poll(&socket, 1, (int)left_ms);
        if (socket.fd < 0 ||
            (ready > 0 && socket.revents & ~POLLOUT && !c->pq->consumeInput(c->pg)))
            return "";
    }
}

static const struct {
    const char *state; /* SQLSTATE, or how it begins */
    enum err_code code;
    const char *hint;
} states[] = {
    { POSTGRES_MISMATCH, ERR_MISMATCH, NULL },
    { POSTGRES_LIMIT, ERR_LIMIT, NULL },
    { "42501", ERR_INVALID,
      "let the user of storage.postgres create the schema mistro, or own it: GRANT CREATE ON "
      "DATABASE …" },
    { "25006", ERR_UNAVAILABLE, "storage.postgres has to name the server that takes writes" },
    { "40", ERR_UNAVAILABLE, "try again" },
    { "53", ERR_UNAVAILABLE, "make room on the server" },
    { "55P03", ERR_UNAVAILABLE, "try again" },
    { "57", ERR_UNAVAILABLE, "try again" },
};

static enum err_code refused(const struct postgres_connection *c, const PGresult *result,
                             const char *state, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *said = c->pq->resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *text = shown(&scratch, c, said ? said : "it says nothing");
    for (size_t i = 0; i < ARRAY_LENGTH(states); i++) {
        if (strncmp(state, states[i].state, strlen(states[i].state)) != 0)
            continue;
        enum err_code code = states[i].code;
        if (!states[i].hint)
            return err_set(err, code, 0, "%s", text);
        err_set(err, code, 0, "PostgreSQL: %s", text);
        return err_hint(err, code, "%s", states[i].hint);
    }
    return err_set(err, ERR_INTERNAL, 0, "PostgreSQL: %s (SQLSTATE %s)", text, state);
}

/* One exchange: its answers are read until the server says that it is over. */
struct exchange {
    struct postgres_connection *c;
    bool is_pipeline;
    int64_t until_ms;
    enum err_code code; /* of the first statement that failed */
    PGresult *last;
};

/* Takes the result; false at the end of the exchange. Statements behind one that failed are not
 * carried out, and have a status of their own. */
static bool take_result(struct exchange *x, PGresult *result, struct err *err)
{
    const struct libpq *pq = x->c->pq;
    ExecStatusType status = pq->resultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        pq->clear(x->last);
        x->last = result;
        return true;
    }
    /* Without a state it is libpq that says so, because the server is gone. */
    const char *state = pq->resultErrorField(result, PG_DIAG_SQLSTATE);
    if (status == PGRES_FATAL_ERROR && state && !x->code)
        x->code = refused(x->c, result, state, err);
    pq->clear(result);
    return status != PGRES_PIPELINE_SYNC;
}

static enum err_code read_answers(struct exchange *x, struct err *err)
{
    const struct libpq *pq = x->c->pq;
    for (bool goes_on = true, was_null = false; goes_on;) {
        const char *why = wait_for_result(x->c, x->until_ms);
        if (why)
            return lose(x->c, *why ? why : NULL, err);
        PGresult *result = pq->getResult(x->c->pg);
        if (pq->status(x->c->pg) != CONNECTION_OK || (!result && x->is_pipeline && was_null)) {
            pq->clear(result);
            return lose(x->c, NULL, err);
        }
        was_null = !result;
        goes_on = result ? take_result(x, result, err) : x->is_pipeline;
    }
    return x->code;
}

/* An answer of which the rest did not come is none: whether it took effect is unknown. */
static enum err_code finish(struct exchange *x, bool only_reads, PGresult **out, struct err *err)
{
    enum err_code r = read_answers(x, err);
    if (!x->c->pg && !only_reads)
        r = err_outcome_unknown(err, r);
    if (!r && out)
        *out = x->last;
    else
        x->c->pq->clear(x->last);
    return r;
}

enum err_code postgres_connection_send(struct postgres_connection *c,
                                       const struct postgres_statement *statements, size_t n,
                                       PGresult **out, struct err *err)
{
    const struct libpq *pq = c->pq;
    struct exchange x = { .c = c, .is_pipeline = true, .until_ms = now_ms() + POSTGRES_ANSWER_MS };
    bool is_sent = pq->enterPipelineMode(c->pg), only_reads = true;
    for (size_t i = 0; is_sent && i < n; i++) {
        const struct postgres_statement *s = &statements[i];
        int formats[POSTGRES_MAX_VALUES] = { 0 };
        for (int k = 0; s->lengths && k < s->n; k++)
            formats[k] = s->lengths[k] >= 0;
        is_sent = pq->sendQueryParams(c->pg, s->sql, s->n, NULL, s->values, s->lengths, formats, 0);
        only_reads &= s->only_reads;
    }
    if (!is_sent || !pq->pipelineSync(c->pg)) /* without it nothing is committed */
        return lose(c, NULL, err);
    enum err_code r = finish(&x, only_reads, out, err);
    if (c->pg && !pq->exitPipelineMode(c->pg))
        postgres_connection_close(c);
    return r;
}

enum err_code postgres_connection_script(struct postgres_connection *c, const char *script,
                                         PGresult **out, struct err *err)
{
    struct exchange x = { .c = c, .until_ms = now_ms() + POSTGRES_MIGRATE_MS };
    if (!c->pq->sendQuery(c->pg, script))
        return lose(c, NULL, err);
    return finish(&x, false, out, err);
}
