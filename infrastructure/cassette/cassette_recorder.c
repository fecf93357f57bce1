#include "infrastructure/cassette/cassette_recorder.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/cassette/cassette_messages.h"
#include "infrastructure/runtime/descriptor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cassette_tape {
    struct cassette_tape *next;
    const struct scope *scope;
    struct cassette_bounds bounds;
    struct cassette_secrets secrets;
    struct err failure;
    char *path;
    int fd;
    bool is_raw;
    int64_t began_ms;
    size_t n_lines, n_bytes;
    json_t *known; /* object: the version of what each party keeps */
};

struct party_start {
    struct cassette_party party;
    json_t *facts; /* in the arena */
};

struct cassette_recorder {
    struct arena arena;
    struct runtime *runtime;
    struct cassette_tape *tapes;
    struct taped *people;
    struct party_start *starts;
    size_t n_starts, capacity;
    uint64_t last_id, last_question;
};

struct cassette_recorder *cassette_recorder_create(struct runtime *runtime)
{
    struct cassette_recorder *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->runtime = runtime;
    return r;
}

struct arena *cassette_recorder_arena(struct cassette_recorder *recorder)
{
    return &recorder->arena;
}

struct taped **cassette_recorder_people(struct cassette_recorder *recorder)
{
    return &recorder->people;
}

void cassette_recorder_destroy(struct cassette_recorder *recorder)
{
    if (!recorder)
        return;
    while (recorder->tapes)
        cassette_tape_close(recorder, recorder->tapes);
    arena_finish(&recorder->arena);
    free(recorder);
}

/* Nothing more is recorded: what follows could not be replayed. The line that says so is written
 * whatever the bounds say: without it the recording would pass for a whole one. */
static void end_early(struct cassette_tape *t, enum err_code code, const char *hint,
                      const char *why)
{
    (void)err_set(&t->failure, code, 0, "--record %.200s: %s", t->path, why);
    if (hint)
        (void)err_hint(&t->failure, code, "%s", hint);
    json_auto_t *line = json_pack("{s:o, s:{s:s}}", "error", cassette_error_json(&t->failure),
                                  "_meta", "dir", "lifecycle");
    auto_str text = json_print(line);
    if (descriptor_write(t->fd, text, strlen(text)))
        (void)!descriptor_write(t->fd, "\n", 1);
}

static void write_line(struct cassette_tape *t, const struct buf *line)
{
    AUTO(arena) scratch = { 0 };
    bool is_long = line->length - 1 > t->bounds.max_line_bytes;
    if (is_long || t->n_bytes + line->length > t->bounds.max_bytes)
        end_early(t, ERR_LIMIT,
                  is_long ? "raise cassettes.max_line_bytes" : "raise cassettes.max_bytes",
                  arena_printf(&scratch, "ended before line %zu, which passes the bound of a %s",
                               t->n_lines + 1, is_long ? "line" : "cassette"));
    else if (!descriptor_write(t->fd, line->bytes, line->length))
        (void)err_set(&t->failure, ERR_FAILED, errno, "--record %.200s: %s", t->path,
                      strerror(errno));
    t->n_bytes += line->length;
    t->n_lines++;
}

static void write_object(struct cassette_tape *t, json_t *stolen)
{
    json_auto_t *object = stolen;
    AUTO(buf) line;
    buf_init(&line, SIZE_MAX);
    json_append(&line, object);
    if (!buf_puts(&line, "\n"))
        abort();
    write_line(t, &line);
}

static json_t *meta_of(const struct cassette_recorder *r, const struct cassette_tape *t,
                       const struct cassette_party *party, const char *dir)
{
    int64_t t_ms = runtime_now_ms(r->runtime) - t->began_ms;
    return json_pack("{s:s, s:s, s:I}", "dir", dir, cassette_party_member(party->kind), party->name,
                     "t_ms", (json_int_t)t_ms);
}

static void write_message(const struct cassette_recorder *r, struct cassette_tape *t,
                          const struct cassette_party *party, const char *dir, json_t *stolen)
{
    json_auto_t *call = json_incref(json_object_get(stolen, "_meta"));
    json_object_set_new(stolen, "_meta", meta_of(r, t, party, dir));
    json_object_update(json_object_get(stolen, "_meta"), call);
    write_object(t, stolen);
}

static void write_start(const struct cassette_recorder *r, struct cassette_tape *t,
                        const struct party_start *start)
{
    write_message(r, t, &start->party, "lifecycle",
                  json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", "$transport/start",
                            "params", start->facts));
}

/* Only an empty file and an earlier recording may be written over: whatever else has the name was
 * not meant. */
static enum err_code take_over(const char *path, int fd, struct err *err)
{
    static const char begin[] = "{\"cassette\":\"mistro\",";
    char head[sizeof begin - 1];
    struct stat status;
    if (fd < 0 || fstat(fd, &status))
        return err_set(err, ERR_INVALID, errno, "--record %.200s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return ERR_NONE;
    if (status.st_size && (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head ||
                           memcmp(head, begin, sizeof head) != 0)) {
        err_set(err, ERR_INVALID, 0, "--record %.200s: the file is there and is no recording",
                path);
        return err_hint(err, ERR_INVALID, "name a new file, or remove that one");
    }
    if (fchmod(fd, 0600) || ftruncate(fd, 0))
        return err_set(err, ERR_INVALID, errno, "--record %.200s: %s", path, strerror(errno));
    return ERR_NONE;
}

enum err_code cassette_tape_open(struct cassette_recorder *recorder, const char *path, bool is_raw,
                                 const struct scope *scope, const struct cassette_bounds *bounds,
                                 struct cassette_tape **out, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    enum err_code r = take_over(path, fd, err);
    if (r) {
        descriptor_close(&fd);
        return r;
    }
    struct cassette_tape *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    *t = (struct cassette_tape){ .next = recorder->tapes,
                                 .scope = scope,
                                 .bounds = *bounds,
                                 .path = strdup(path),
                                 .fd = fd,
                                 .is_raw = is_raw,
                                 .began_ms = runtime_now_ms(recorder->runtime),
                                 .known = json_object() };
    recorder->tapes = t;
    write_object(t, json_pack("{s:s, s:i, s:b}", "cassette", "mistro", "version", CASSETTE_VERSION,
                              "redacted", !is_raw));
    for (size_t i = 0; i < recorder->n_starts; i++)
        write_start(recorder, t, &recorder->starts[i]);
    *out = t;
    return ERR_NONE;
}

void cassette_tape_close(struct cassette_recorder *recorder, struct cassette_tape *tape)
{
    struct cassette_tape **at = &recorder->tapes;
    while (*at != tape)
        at = &(*at)->next;
    *at = tape->next;
    descriptor_close(&tape->fd);
    cassette_secrets_finish(&tape->secrets);
    json_decref(tape->known);
    free(tape->path);
    free(tape);
}

const struct err *cassette_tape_failure(const struct cassette_tape *tape)
{
    return &tape->failure;
}

/* The next cassette from there on that is to have it. What a person says is nobody else's. */
static struct cassette_tape *hearing(struct cassette_tape *t, const struct cassette_exchange *x)
{
    while (t && (t->failure.code || (!t->is_raw && x->party.kind == CASSETTE_PERSON) ||
                 (x->scope && t->scope && !scope_is_work_of(x->scope, t->scope))))
        t = t->next;
    return t;
}

#define EACH_TAPE(t, exchange)                                                                     \
    for (struct cassette_tape *t = hearing((exchange)->recorder->tapes, exchange); t;              \
         t = hearing(t->next, exchange))

/* True: the value (stolen) may be written, and *value is what is written. path: of what came, where
 * it is in its line; NULL: it is sent, and must not need what was taken out before. */
static bool clean(struct cassette_tape *t, const struct cassette_exchange *x,
                  enum cassette_words words, const char *path, json_t **value)
{
    AUTO(arena) scratch = { 0 };
    if (t->is_raw)
        return true;
    json_auto_t *raw = *value, *redacted = cassette_redact(raw, words);
    const struct cassette_secret *needed = path || x->party.kind != CASSETTE_SERVER
                                               ? NULL
                                               : cassette_secrets_find(&t->secrets, redacted);
    bool is_known =
        !path || cassette_secrets_learn(&t->secrets, raw, redacted, path, t->n_lines + 1);
    if (needed)
        end_early(t, ERR_FAILED,
                  "record the work without that call, or against a server without real secrets",
                  arena_printf(&scratch,
                               "line %zu needs a secret that was taken out of line %zu at %.100s, "
                               "so this cannot be replayed",
                               t->n_lines + 1, needed->line, needed->path));
    else if (!is_known)
        end_early(t, ERR_LIMIT, NULL,
                  arena_printf(&scratch, "more than %d secrets", CASSETTE_MAX_SECRETS));
    else
        *value = cassette_secrets_mask(&t->secrets, redacted);
    return !t->failure.code;
}

const char *cassette_record_start(struct cassette_recorder *recorder,
                                  const struct cassette_party *party, json_t *facts)
{
    for (size_t i = 0; i < recorder->n_starts; i++) {
        const struct party_start *known = &recorder->starts[i];
        if (known->party.kind == party->kind && text_equal(known->party.name, party->name) &&
            json_equal(known->facts, facts)) {
            json_decref(facts);
            return known->party.name;
        }
    }
    struct party_start *start =
        arena_push(&recorder->arena, recorder->starts, recorder->n_starts, recorder->capacity);
    const struct cassette_exchange all = { .recorder = recorder };
    *start = (struct party_start){ { party->kind, arena_strdup(&recorder->arena, party->name) },
                                   arena_keep_json(&recorder->arena, facts) };
    EACH_TAPE (t, &all)
        write_start(recorder, t, start);
    return start->party.name;
}

bool cassette_is_news(const struct cassette_exchange *exchange, int64_t version)
{
    bool is_news = false;
    EACH_TAPE (t, exchange) {
        is_news |= json_get_int(t->known, exchange->party.name, 0) != version;
        json_object_set_new(t->known, exchange->party.name, json_integer(version));
    }
    return is_news;
}

void cassette_record_request(struct cassette_exchange *exchange, const char *method, json_t *params)
{
    bool is_rpc = exchange->party.kind == CASSETTE_SERVER;
    json_int_t id = (json_int_t)++exchange->recorder->last_id;
    json_auto_t *request = cassette_request(method, params);
    exchange->id = (uint64_t)id;
    if (is_rpc)
        json_object_set_new(json_object_get(request, "params"), "_meta",
                            json_pack("{s:I}", "progressToken", id));
    EACH_TAPE (t, exchange) {
        json_t *written = json_incref(request);
        if (!clean(t, exchange, is_rpc ? CASSETTE_DATA : CASSETTE_PROSE, NULL, &written))
            continue;
        json_t *message = is_rpc ? json_pack("{s:s, s:I}", "jsonrpc", "2.0", "id", id)
                                 : json_pack("{s:I, s:O}", "id", id, "request", written);
        if (is_rpc)
            json_object_update(message, written);
        json_decref(written);
        write_message(exchange->recorder, t, &exchange->party, "send", message);
    }
}

/* The value as it came; where something was taken out, what is left of it. */
static bool append_value(const struct cassette_exchange *x, struct cassette_tape *t,
                         struct buf *line, const char *text, size_t length,
                         enum cassette_words words, const char *path)
{
    json_t *value = NULL;
    struct err why;
    if (t->is_raw)
        return json_append_on_one_line(line, text, length);
    if (json_parse_message(text, length, t->bounds.max_values, &value, &why)) {
        end_early(t, why.code, why.hint, why.message);
        return false;
    }
    json_auto_t *raw = json_incref(value);
    if (!clean(t, x, words, path, &value))
        return false;
    json_auto_t *written = value;
    if (json_equal(raw, written))
        return json_append_on_one_line(line, text, length);
    json_append(line, written);
    return true;
}

static void record_answer(const struct cassette_exchange *x, struct cassette_tape *t,
                          const char *path, const char *text, size_t length,
                          enum cassette_words words)
{
    AUTO(buf) line;
    buf_init(&line, SIZE_MAX);
    json_auto_t *meta = meta_of(x->recorder, t, &x->party, "recv");
    auto_str meta_text = json_print(meta);
    if (!buf_printf(&line, "{%s\"id\":%llu,\"%s\":",
                    x->party.kind == CASSETTE_SERVER ? "\"jsonrpc\":\"2.0\"," : "",
                    (unsigned long long)x->id, path + 1))
        abort();
    if (append_value(x, t, &line, text, length, words, path) &&
        buf_printf(&line, ",\"_meta\":%s}\n", meta_text))
        write_line(t, &line);
}

enum err_code cassette_record_answer(const struct cassette_exchange *exchange, const char *bytes,
                                     size_t length, enum cassette_words words,
                                     const struct err *why, struct err *err)
{
    json_auto_t *error = bytes ? NULL : cassette_error_json(why);
    auto_str text = error ? json_print(error) : NULL;
    const char *path = error                                     ? "/error"
                       : exchange->party.kind == CASSETTE_SERVER ? "/result"
                                                                 : "/reply";
    EACH_TAPE (t, exchange)
        record_answer(exchange, t, path, text ? text : bytes, text ? strlen(text) : length,
                      text ? CASSETTE_DATA : words);
    if (bytes)
        return ERR_NONE;
    if (err)
        *err = *why;
    return why->code;
}

void cassette_record_message(const struct cassette_exchange *exchange, bool is_sent,
                             json_t *message, enum cassette_words words)
{
    json_auto_t *owned = message;
    json_object_set_new(owned, "_meta", json_pack("{s:I}", "call", (json_int_t)exchange->id));
    EACH_TAPE (t, exchange) {
        json_t *written = json_copy(owned);
        if (clean(t, exchange, words, is_sent ? NULL : "", &written))
            write_message(exchange->recorder, t, &exchange->party, is_sent ? "send" : "recv",
                          written);
    }
}

const char *cassette_question_id(struct cassette_recorder *recorder, struct arena *arena)
{
    return arena_printf(arena, "q%llu", (unsigned long long)++recorder->last_question);
}
