/* The file is read whole and stays in memory; results are slices of it, requests are values, as
 * they are what a miss is explained by. */
#include "infrastructure/cassette/cassette.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/cassette/cassette_messages.h"
#include "infrastructure/cassette/cassette_secrets.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exchange {
    struct cassette_party party;
    json_t *request; /* canonical; in the arena */
    size_t line;
    const char *result;
    size_t length;
    json_t *error, *meanwhile; /* in the arena */
    bool is_answered, changes_tools;
    struct exchange *next;         /* with the same key, in the order of the file */
    struct exchange *last, *given; /* of all with that key, where it is their first */
};

struct cassette {
    struct arena arena;
    struct digest *digest;
    struct buf text;
    size_t max_values;
    bool is_redacted, asks_again;
    struct cassette_member *members;
    size_t n_members, members_capacity;
    struct exchange **exchanges;
    size_t n_exchanges, capacity;
    json_t *by_key;  /* object: index of the first exchange */
    json_t *pending; /* object: index of the exchange that waits for an answer, or for progress */
    json_t *latest;  /* object: index of the latest exchange of a server */
    struct err miss;
};

/* One line as it is read. */
struct line {
    const char *text;
    size_t length, number;
    const json_t *value, *meta;
    struct cassette_party party;
    const char *dir;
};

const char *cassette_party_member(enum cassette_party_kind kind)
{
    static const char *const members[] = {
#define X(party, member) member,
        CASSETTE_PARTIES(X)
#undef X
    };
    return members[kind];
}

json_t *cassette_request(const char *method, json_t *params)
{
    return json_pack("{s:s, s:o}", "method", method, "params", params ? params : json_object());
}

/* A request as it is compared: without `_meta`, with the parameters and the arguments of a call as
 * objects where they are left out. Owned by the caller. */
static json_t *canonical(const json_t *request)
{
    const char *method = json_get_string(request, "method");
    const json_t *given = json_object_get(request, "params");
    json_t *params = json_is_object(given) ? json_copy((json_t *)(uintptr_t)given) : NULL;
    json_t *made = cassette_request(method ? method : "", params);
    params = json_object_get(made, "params");
    json_object_del(params, "_meta");
    if (text_equal(method, "tools/call") && !json_object_get(params, "arguments"))
        json_object_set_new(params, "arguments", json_object());
    return made;
}

/* The first exchange whose canonical request is that, or NULL. Where there is none and `fresh` is
 * given, it is that one from now on. */
static struct exchange *first_of(struct cassette *c, const struct cassette_party *party,
                                 const json_t *asked, const json_t *fresh)
{
    AUTO(buf) text;
    char key[DIGEST_HEX_SIZE];
    buf_init(&text, SIZE_MAX);
    if (!buf_printf(&text, "%s %s\n", cassette_party_member(party->kind), party->name))
        abort();
    json_append_sorted(&text, asked);
    digest_sha256(c->digest, buf_string(&text), text.length, key);
    const json_t *at = json_object_get(c->by_key, key);
    if (!at && fresh)
        json_object_set(c->by_key, key, (json_t *)(uintptr_t)(at = fresh));
    return at ? c->exchanges[json_integer_value(at)] : NULL;
}

static enum err_code damaged(const struct line *line, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "line %zu: %s", line->number, what);
}

static bool find_party(struct cassette *c, struct line *line)
{
    for (int kind = 0; kind < CASSETTE_N_PARTIES; kind++) {
        const char *name =
            json_get_string(line->meta, cassette_party_member((enum cassette_party_kind)kind));
        if (!name)
            continue;
        line->party = (struct cassette_party){ (enum cassette_party_kind)kind,
                                               arena_strdup(&c->arena, name) };
        return true;
    }
    return false;
}

struct cassette_member *cassette_find(const struct cassette *c, const struct cassette_party *party)
{
    for (size_t i = 0; i < c->n_members; i++)
        if (c->members[i].party.kind == party->kind &&
            strcmp(c->members[i].party.name, party->name) == 0)
            return &c->members[i];
    return NULL;
}

static struct cassette_member *member_of(struct cassette *c, const struct cassette_party *party)
{
    struct cassette_member *member = cassette_find(c, party);
    if (member)
        return member;
    member = arena_push(&c->arena, c->members, c->n_members, c->members_capacity);
    *member = (struct cassette_member){ .party = *party,
                                        .tools = arena_keep_json(&c->arena, json_array()) };
    return member;
}

static const char *pending_key(struct arena *arena, const struct cassette_party *party,
                               const char *of, const json_t *id)
{
    return arena_printf(arena, "%d %s %s %s", party->kind, party->name, of,
                        json_print_in(arena, id));
}

static struct exchange *find_exchange(const struct cassette *c, const json_t *index,
                                      const char *key)
{
    const json_t *at = json_object_get(index, key);
    return at ? c->exchanges[json_integer_value(at)] : NULL;
}

static void count_request(struct cassette_member *member, const json_t *request)
{
    const char *method = json_get_string(request, "method");
    const json_t *name = json_object_get(json_object_get(request, "params"), "name");
    if (text_equal(method, "tools/list"))
        member->n_lists++;
    else if (text_equal(method, "tools/call") && json_is_string(name) &&
             !json_array_has_text(member->tools, json_string_value(name)))
        json_array_append((json_t *)(uintptr_t)member->tools, (json_t *)(uintptr_t)name);
}

static void read_request(struct cassette *c, struct line *line, const json_t *request)
{
    count_request(member_of(c, &line->party), request);
    AUTO(arena) scratch = { 0 };
    const json_t *id = json_object_get(line->value, "id");
    const json_t *token = json_object_get(
        json_object_get(json_object_get(request, "params"), "_meta"), "progressToken");
    struct exchange *exchange = arena_new(&c->arena, struct exchange);
    *exchange = (struct exchange){
        .party = line->party,
        .request = arena_keep_json(&c->arena, canonical(request)),
        .line = line->number,
        .meanwhile = arena_keep_json(&c->arena, json_array()),
    };
    json_auto_t *index = json_integer((json_int_t)c->n_exchanges);
    *arena_push(&c->arena, c->exchanges, c->n_exchanges, c->capacity) = exchange;
    struct exchange *first = first_of(c, &exchange->party, exchange->request, index);
    if (first != exchange)
        first->last->next = exchange;
    first->last = exchange;
    json_object_set(c->pending, pending_key(&scratch, &line->party, "id", id), index);
    if (token)
        json_object_set(c->pending, pending_key(&scratch, &line->party, "token", token), index);
    json_object_set(c->latest, line->party.name, index);
}

/* A notification, or a question of a server. */
static void read_notification(struct cassette *c, const struct line *line, const char *method)
{
    AUTO(arena) scratch = { 0 };
    const json_t *params = json_object_get(line->value, "params");
    const json_t *token = json_object_get(params, "progressToken");
    const json_t *call = json_object_get(line->meta, "call");
    struct exchange *latest = find_exchange(c, c->latest, line->party.name), *of = NULL;
    if (token && strcmp(method, "notifications/progress") == 0)
        of = find_exchange(c, c->pending, pending_key(&scratch, &line->party, "token", token));
    else if (call && json_object_get(line->value, "id"))
        of = find_exchange(c, c->pending, pending_key(&scratch, &line->party, "id", call));
    if (of)
        json_array_append(of->meanwhile, (json_t *)(uintptr_t)line->value);
    if (latest && strcmp(method, "notifications/tools/list_changed") == 0)
        latest->changes_tools = true;
}

static void read_answer(struct cassette *c, const struct line *line)
{
    AUTO(arena) scratch = { 0 };
    const char *member = line->party.kind == CASSETTE_SERVER ? "result" : "reply";
    const json_t *id = json_object_get(line->value, "id");
    struct exchange *exchange =
        find_exchange(c, c->pending, pending_key(&scratch, &line->party, "id", id));
    if (!exchange || exchange->is_answered)
        return;
    const json_t *error = json_object_get(line->value, "error");
    if (error)
        exchange->error = arena_keep_json(&c->arena, json_share(error));
    else if (!json_member_text(line->text, line->length, member, &exchange->result,
                               &exchange->length))
        return;
    exchange->is_answered = true;
}

static enum err_code read_end(const struct line *line, const char *why, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "line %zu: its recording ended early: %s", line->number, why);
    return err_hint(err, r, "record it again");
}

static enum err_code read_message(struct cassette *c, struct line *line, struct err *err)
{
    const json_t *request =
        line->party.kind == CASSETTE_SERVER ? line->value : json_object_get(line->value, "request");
    const char *method = json_get_string(request, "method");
    bool has_id = json_object_get(line->value, "id") != NULL;
    struct cassette_member *member = member_of(c, &line->party);
    if (strcmp(line->dir, "lifecycle") == 0) {
        if (!member->facts)
            member->facts =
                arena_keep_json(&c->arena, json_share(json_object_get(line->value, "params")));
        return ERR_NONE;
    }
    if (strcmp(line->dir, "send") == 0) {
        if (method && has_id)
            read_request(c, line, request);
    } else if (strcmp(line->dir, "recv") != 0) {
        return damaged(line, "_meta.dir is send, recv or lifecycle", err);
    } else if (method) {
        read_notification(c, line, method);
    } else {
        read_answer(c, line);
    }
    return ERR_NONE;
}

static enum err_code read_head(struct cassette *c, const struct line *line, struct err *err)
{
    const char *format = json_get_string(line->value, "cassette");
    int64_t version = json_get_int(line->value, "version", 0);
    if (!text_equal(format, "mistro") || version < 1)
        return damaged(line, "this is no cassette of mistro", err);
    if (version > CASSETTE_VERSION) {
        enum err_code r = err_set(err, ERR_INVALID, 0,
                                  "it has version %lld of the format, and this mistro reads %d",
                                  (long long)version, CASSETTE_VERSION);
        return err_hint(err, r, "use the mistro that recorded it, or a newer one");
    }
    c->is_redacted = json_get_bool(line->value, "redacted", false);
    return ERR_NONE;
}

static enum err_code read_line(struct cassette *c, struct line *line, struct err *err)
{
    json_t *value = NULL;
    enum err_code r = json_parse_message(line->text, line->length, c->max_values, &value, err);
    if (r)
        return err_prefix(err, r, "line %zu", line->number);
    json_auto_t *owned = value;
    line->value = owned;
    line->meta = json_object_get(owned, "_meta");
    line->dir = json_get_string(line->meta, "dir");
    if (line->number == 1 && json_object_get(owned, "cassette"))
        return read_head(c, line, err);
    const char *ended = json_get_string(json_object_get(owned, "error"), "message");
    if (ended && text_equal(line->dir, "lifecycle"))
        return read_end(line, ended, err);
    if (!line->dir || !find_party(c, line))
        return damaged(line, "it has no _meta with dir and server, model, process or person", err);
    return read_message(c, line, err);
}

static enum err_code read_lines(struct cassette *c, size_t max_line, struct err *err)
{
    const char *at = buf_string(&c->text), *end = at + c->text.length;
    enum err_code r = ERR_NONE;
    for (size_t number = 1; at < end && !r; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct line line = { .text = at,
                             .length = (size_t)((stop ? stop : end) - at),
                             .number = number };
        at += line.length + 1;
        if (line.length > max_line)
            r = err_set(err, ERR_LIMIT, 0,
                        "line %zu: %zu bytes, more than cassettes.max_line_bytes (%zu)", number,
                        line.length, max_line);
        else if (line.length && strspn(line.text, " \t\r") < line.length)
            r = read_line(c, &line, err);
    }
    if (!r && !c->n_members)
        r = err_set(err, ERR_INVALID, 0, "nothing is recorded in it");
    return r;
}

static enum err_code read_file(struct cassette *c, const char *path, struct err *err)
{
    char chunk[8192];
    size_t n;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(err, ERR_INVALID, errno, "%s", strerror(errno));
    enum err_code r = ERR_NONE;
    errno = 0;
    while (!r && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        if (!buf_append(&c->text, chunk, n))
            r = err_set(err, ERR_LIMIT, 0, "more than cassettes.max_bytes (%zu)",
                        c->text.max_bytes);
    if (!r && ferror(file))
        r = err_set(err, ERR_INVALID, errno, "%s", strerror(errno));
    fclose(file);
    return r;
}

enum err_code cassette_open(const char *path, const struct cassette_bounds *bounds,
                            struct digest *digest, struct cassette **out, struct err *err)
{
    struct cassette *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->digest = digest;
    c->max_values = bounds->max_values;
    c->by_key = json_object();
    c->pending = json_object();
    c->latest = json_object();
    buf_init(&c->text, bounds->max_bytes);
    enum err_code r = read_file(c, path, err);
    if (!r)
        r = read_lines(c, bounds->max_line_bytes, err);
    if (r) {
        cassette_close(c);
        return err_prefix(err, r, "cassette %.200s", path);
    }
    *out = c;
    return ERR_NONE;
}

void cassette_close(struct cassette *cassette)
{
    if (!cassette)
        return;
    json_decref(cassette->by_key);
    json_decref(cassette->pending);
    json_decref(cassette->latest);
    buf_finish(&cassette->text);
    arena_finish(&cassette->arena);
    free(cassette);
}

struct arena *cassette_arena(struct cassette *cassette)
{
    return &cassette->arena;
}

void cassette_ask_again(struct cassette *cassette)
{
    cassette->asks_again = true;
}

size_t cassette_n_members(const struct cassette *cassette)
{
    return cassette->n_members;
}

struct cassette_member *cassette_member(const struct cassette *cassette, size_t index)
{
    return &cassette->members[index];
}

const struct err *cassette_miss(const struct cassette *cassette)
{
    return &cassette->miss;
}

/* Of the same party and method, and where there are some of the same name (of the tool): the one
 * with the fewest differences. */
static const struct exchange *nearest(const struct cassette *c, struct arena *arena,
                                      const struct cassette_party *party, const json_t *asked,
                                      const char **out_path)
{
    const struct exchange *best = NULL;
    size_t fewest = 0;
    for (size_t i = 0; i < c->n_exchanges; i++) {
        const struct exchange *one = c->exchanges[i];
        size_t count = 0;
        if (one->party.kind != party->kind || strcmp(one->party.name, party->name) != 0 ||
            !json_equal(json_object_get(one->request, "method"), json_object_get(asked, "method")))
            continue;
        const char *path = json_difference(arena, one->request, asked, &count);
        bool is_other = path && strcmp(path, "/params/name") == 0;
        count += is_other ? 1000 : 0;
        if (best && count >= fewest)
            continue;
        best = one;
        fewest = count;
        *out_path = path;
    }
    return best;
}

static enum err_code explain_miss(struct cassette *c, const struct cassette_party *party,
                                  const json_t *asked, const struct exchange *first,
                                  struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *path = NULL, *method = json_get_string(asked, "method");
    const char *name = json_get_string(json_object_get(asked, "params"), "name");
    const struct exchange *near = nearest(c, &scratch, party, asked, &path);
    const char *what =
        arena_printf(&scratch, "%s %.80s: %.80s%s%.80s", cassette_party_member(party->kind),
                     party->name, method, name ? " " : "", name ? name : "");
    size_t n = 0;
    for (const struct exchange *one = first; one; one = one->next)
        n += one->is_answered;
    enum err_code r;
    if (n)
        r = err_set(err, ERR_FAILED, 0, "%s is asked for more often than it was recorded (%zu)",
                    what, n);
    else if (near && path)
        r = err_set(err, ERR_FAILED, 0,
                    "%s was not recorded; the nearest, line %zu, differs at %.120s", what,
                    near->line, path);
    else if (near)
        r = err_set(err, ERR_FAILED, 0, "%s was recorded without an answer, in line %zu", what,
                    near->line);
    else
        r = err_set(err, ERR_FAILED, 0, "%s was not recorded, nor anything like it", what);
    (void)err_about(err, r, "cassette");
    return err_hint(err, r, "record it again with --record FILE");
}

/* As the recording has it; owned by the caller. */
static json_t *as_recorded(const struct cassette *c, const struct cassette_party *party,
                           const json_t *request)
{
    enum cassette_words words = party->kind == CASSETTE_SERVER ? CASSETTE_DATA : CASSETTE_PROSE;
    json_auto_t *whole = canonical(request);
    return c->is_redacted ? cassette_redact(whole, words) : json_incref(whole);
}

static struct exchange *next_answer(const struct exchange *first)
{
    struct exchange *next = !first         ? NULL
                            : first->given ? first->given->next
                                           : (struct exchange *)(uintptr_t)first;
    while (next && !next->is_answered)
        next = next->next;
    return next;
}

bool cassette_has(struct cassette *c, const struct cassette_party *party, const json_t *request)
{
    json_auto_t *asked = as_recorded(c, party, request);
    return next_answer(first_of(c, party, asked, NULL));
}

enum err_code cassette_take(struct cassette *c, const struct cassette_party *party,
                            const json_t *request, bool repeats, struct cassette_answer *out,
                            struct err *err)
{
    json_auto_t *asked = as_recorded(c, party, request);
    struct exchange *first = first_of(c, party, asked, NULL);
    struct exchange *next = next_answer(first);
    if (!next && repeats && first)
        next = first->given;
    if (!next) {
        struct err miss = { 0 };
        enum err_code r = explain_miss(c, party, asked, first, &miss);
        if (!c->miss.code)
            c->miss = miss;
        if (err)
            *err = miss;
        return r;
    }
    first->given = next;
    *out = (struct cassette_answer){ next->result, next->length, next->meanwhile, c->asks_again,
                                     next->changes_tools };
    return next->error ? cassette_error_from(next->error, err) : ERR_NONE;
}
