#include "application/tools/pins.h"
#include "domain/base/buf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_HOME "there is no home folder to keep pins in"
#define SAVE_ATTEMPTS 5 /* against other processes that write at the same time */

/* A list as it came, with the hash of every definition. */
struct listed {
    const struct tool_catalogue *catalogue;
    const char *offer;
    char identity[DIGEST_HEX_SIZE], fingerprint[DIGEST_HEX_SIZE];
    char former[DIGEST_HEX_SIZE]; /* identity without the folder, "" where it has none */
    char (*hashes)[DIGEST_HEX_SIZE];
};

_Static_assert(DIGEST_HEX_SIZE == PIN_HASH_SIZE, "a pin's hash is a digest");

const char *pin_state_name(enum pin_state state)
{
    return state == PIN_CHANGED ? "changed" : state == PIN_NEW ? "new" : "agreed";
}

bool pins_apply(struct tool_server *server, const struct server_config *config)
{
    struct tool_server_status status = { 0 };
    if (!config || config->pinning == SERVER_PINNING_OFF)
        return false;
    tool_server_status(server, &status);
    return !status.is_builtin && status.identity;
}

static int by_name(const void *a, const void *b)
{
    const struct tool *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* Over the names and hashes in the order of the names: servers shuffle their lists. */
static void make_fingerprint(struct listed *listed, struct digest *digest, struct arena *scratch,
                             struct buf *text)
{
    const struct tool_catalogue *catalogue = listed->catalogue;
    const struct tool **tools = arena_array(scratch, const struct tool *, catalogue->n_tools + 1);
    for (size_t i = 0; i < catalogue->n_tools; i++)
        tools[i] = &catalogue->tools[i];
    qsort(tools, catalogue->n_tools, sizeof *tools, by_name);
    buf_clear(text);
    for (size_t i = 0; i < catalogue->n_tools; i++) {
        const char *hash = listed->hashes[tools[i] - catalogue->tools];
        if (!buf_append(text, tools[i]->name, strlen(tools[i]->name) + 1) ||
            !buf_append(text, hash, DIGEST_HEX_SIZE))
            abort();
    }
    digest_sha256(digest, buf_string(text), text->length, listed->fingerprint);
}

static void make_identity(struct digest *digest, struct tool_server *server, struct listed *out)
{
    struct tool_server_status status = { 0 };
    tool_server_status(server, &status);
    digest_sha256(digest, status.identity, strlen(status.identity), out->identity);
    out->former[0] = '\0';
    if (status.identity_without_folder)
        digest_sha256(digest, status.identity_without_folder,
                      strlen(status.identity_without_folder), out->former);
}

static void take_hashes(struct listed *listed, struct digest *digest, struct tool_server *server,
                        const struct tool_catalogue *catalogue, struct arena *scratch)
{
    AUTO(buf) text;
    struct tool_server_status status = { 0 };
    tool_server_status(server, &status);
    buf_init(&text, SIZE_MAX);
    listed->catalogue = catalogue;
    listed->offer = status.offer ? status.offer : "";
    listed->hashes = arena_alloc(scratch, (catalogue->n_tools + 1) * sizeof *listed->hashes);
    for (size_t i = 0; i < catalogue->n_tools; i++) {
        buf_clear(&text);
        tool_definition_append(&text, &catalogue->tools[i]);
        digest_sha256(digest, text.bytes, text.length, listed->hashes[i]);
    }
    make_identity(digest, server, listed);
    make_fingerprint(listed, digest, scratch, &text);
}

static struct pin pin_of(const struct listed *listed, size_t i, struct arena *scratch)
{
    const struct tool *tool = &listed->catalogue->tools[i];
    struct buf text;
    buf_init(&text, SIZE_MAX);
    tool_definition_append(&text, tool);
    struct pin pin = { .name = tool->name,
                       .hash = listed->hashes[i],
                       .definition = arena_strndup(scratch, text.bytes, text.length) };
    buf_finish(&text);
    return pin;
}

/* The pins by the index of their tool in the catalogue; pins of tools that are not listed are left
 * out. */
static const struct pin **match(const struct listed *listed, const struct pins *pins,
                                struct arena *scratch)
{
    const struct tool_catalogue *catalogue = listed->catalogue;
    const struct pin **matched = arena_array(scratch, const struct pin *, catalogue->n_tools + 1);
    for (size_t i = 0; i < pins->n; i++) {
        const struct tool *tool = tool_catalogue_find(catalogue, pins->list[i].name);
        if (tool)
            matched[tool - catalogue->tools] = &pins->list[i];
    }
    return matched;
}

static struct pin_offer *find_offer(struct pins_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_offers; i++)
        if (strcmp(head->offers[i].name, name) == 0)
            return &head->offers[i];
    return NULL;
}

/* fingerprint: "" unless the list was agreed to as a whole. */
static void note_offer(struct pins_head *head, const char *name, const char *fingerprint)
{
    struct pin_offer *offer = find_offer(head, name);
    if (!offer && head->n_offers < PINS_MAX_OFFERS && strlen(name) < PIN_OFFER_SIZE) {
        offer = &head->offers[head->n_offers++];
        snprintf(offer->name, sizeof offer->name, "%s", name);
    }
    if (offer)
        snprintf(offer->fingerprint, sizeof offer->fingerprint, "%s", fingerprint);
}

/* What is pinned of the tools that are not listed now or are kept back, and all others as they
 * are listed. */
static struct pins merged(const struct listed *listed, struct tool_server *server,
                          const struct pins *before, const struct pin_verdict *verdict,
                          struct arena *scratch)
{
    const struct tool_catalogue *catalogue = listed->catalogue;
    struct pins pins = { .identity = listed->identity,
                         .server = tool_server_name(server),
                         .head = before->head,
                         .list =
                             arena_array(scratch, struct pin, before->n + catalogue->n_tools + 1) };
    for (size_t i = 0; i < before->n; i++) {
        const struct tool *tool = tool_catalogue_find(catalogue, before->list[i].name);
        if (!tool || pin_verdict_of(verdict, (size_t)(tool - catalogue->tools)))
            pins.list[pins.n++] = before->list[i];
    }
    for (size_t i = 0; i < catalogue->n_tools; i++)
        if (!pin_verdict_of(verdict, i))
            pins.list[pins.n++] = pin_of(listed, i, scratch);
    note_offer(&pins.head, listed->offer, verdict->states ? "" : listed->fingerprint);
    return pins;
}

/* is_first: the first list under its offer, which is consent to what is new in it. is_asked_anew:
 * what stayed as it was is as new as everything else. */
static void compare(const struct listed *listed, const struct pins *pins, bool is_first,
                    bool is_asked_anew, struct arena *scratch, struct pin_verdict *out)
{
    const struct pin **matched = match(listed, pins, scratch);
    size_t n = listed->catalogue->n_tools;
    enum pin_state *states = calloc(n + 1, sizeof *states);
    if (!states)
        abort();
    for (size_t i = 0; i < n; i++) {
        if (!matched[i])
            states[i] = is_first ? PIN_AGREED : PIN_NEW;
        else if (strcmp(matched[i]->hash, listed->hashes[i]) != 0)
            states[i] = PIN_CHANGED;
        else if (is_asked_anew)
            states[i] = PIN_NEW;
        out->n_new += states[i] == PIN_NEW;
        out->n_changed += states[i] == PIN_CHANGED;
    }
    out->states = states;
    if (out->n_new || out->n_changed)
        return;
    free(states);
    out->states = NULL;
}

/* What the list is held against: what is pinned under the identity (whose head was read already),
 * or else, and then the server has moved, what is under the one without the folder. ERR_NOT_FOUND:
 * it was there a moment ago. */
static enum err_code load_agreed(struct pin_repository *repository, struct scope *scope,
                                 const struct listed *listed, struct arena *arena,
                                 struct pins *pins, bool *out_moved, struct err *err)
{
    struct pins_head former = { 0 };
    if (pins->head.revision)
        return pin_repository_load(repository, scope, listed->identity, arena, pins, err);
    enum err_code r = *listed->former
                          ? pin_repository_look(repository, scope, listed->former, &former, err)
                          : ERR_NONE;
    if (r || !former.revision)
        return r;
    *out_moved = true;
    return pin_repository_load(repository, scope, listed->former, arena, pins, err);
}

/* Looks once and acts on it. ERR_MISMATCH: another process wrote meanwhile, look again. */
static enum err_code judge_once(struct pin_repository *repository, struct scope *scope,
                                struct tool_server *server, const struct listed *listed,
                                struct pin_verdict *out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct pins pins = { 0 };
    enum err_code r = pin_repository_look(repository, scope, listed->identity, &pins.head, err);
    const struct pin_offer *offer = find_offer(&pins.head, listed->offer);
    if (r || (offer && strcmp(offer->fingerprint, listed->fingerprint) == 0))
        return r;
    r = load_agreed(repository, scope, listed, &scratch, &pins, &out->is_moved, err);
    if (r)
        return r == ERR_NOT_FOUND ? ERR_MISMATCH : r;
    offer = find_offer(&pins.head, listed->offer);
    bool is_asked_anew = out->is_moved && !pins.head.has_folders;
    bool is_first = !out->is_moved && !offer && pins.head.n_offers < PINS_MAX_OFFERS;
    compare(listed, &pins, is_first, is_asked_anew, &scratch, out);
    bool is_taken_over = out->is_moved && !out->states && !is_asked_anew;
    if (!is_first && !is_taken_over && (!offer || out->states))
        return ERR_NONE;
    if (is_taken_over) {
        out->is_moved = false;
        pins.head = (struct pins_head){ 0 };
    }
    struct pins agreed = merged(listed, server, &pins, out, &scratch);
    r = pin_repository_save(repository, scope, &agreed, &out->unstored);
    return r == ERR_MISMATCH || r == ERR_CANCELLED ? err_prefix(err, r, "pinned tools") : ERR_NONE;
}

static enum err_code prepare(struct services *services, struct tool_server *server,
                             const struct tool_catalogue *catalogue, struct arena *scratch,
                             struct pin_repository **out_repository, struct listed *out,
                             struct err *err)
{
    enum err_code r = services_pins(services, out_repository, err);
    if (!r && *out_repository)
        take_hashes(out, services->digest, server, catalogue, scratch);
    return r;
}

enum err_code pins_judge(struct services *services, struct scope *scope, struct tool_server *server,
                         const struct tool_catalogue *catalogue, struct pin_verdict *out,
                         struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct pin_repository *repository = NULL;
    struct listed listed;
    struct pin_verdict verdict = { 0 };
    enum err_code r = prepare(services, server, catalogue, &scratch, &repository, &listed, err);
    for (int i = 0; !r && repository && i < SAVE_ATTEMPTS; i++) {
        pin_verdict_finish(&verdict);
        r = judge_once(repository, scope, server, &listed, &verdict, err);
        if (r != ERR_MISMATCH)
            break;
        r = i + 1 < SAVE_ATTEMPTS ? ERR_NONE
                                  : err_set(err, ERR_UNAVAILABLE, 0,
                                            "pinned tools: other processes keep writing them");
    }
    if (r) {
        pin_verdict_finish(&verdict);
        return r;
    }
    if (!repository)
        (void)err_set(&verdict.unstored, ERR_NOT_FOUND, 0, NO_HOME);
    *out = verdict;
    return ERR_NONE;
}

void pin_verdict_finish(struct pin_verdict *verdict)
{
    free(verdict->states);
    *verdict = (struct pin_verdict){ 0 };
}

static enum err_code approve_once(struct pin_repository *repository, struct scope *scope,
                                  struct tool_server *server, const struct listed *listed,
                                  struct err *err)
{
    AUTO(arena) scratch = { 0 };
    static const struct pin_verdict everything = { 0 };
    struct pins pins = { 0 };
    enum err_code r =
        pin_repository_load(repository, scope, listed->identity, &scratch, &pins, err);
    if (r && r != ERR_NOT_FOUND)
        return r;
    for (size_t i = 0; i < pins.head.n_offers; i++)
        pins.head.offers[i].fingerprint[0] = '\0'; /* what was agreed to there may be replaced */
    struct pins agreed = merged(listed, server, &pins, &everything, &scratch);
    return pin_repository_save(repository, scope, &agreed, err);
}

enum err_code pins_approve(struct services *services, struct scope *scope,
                           struct tool_server *server, const struct tool_catalogue *catalogue,
                           struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct pin_repository *repository = NULL;
    struct listed listed;
    enum err_code r = prepare(services, server, catalogue, &scratch, &repository, &listed, err);
    if (r || !repository)
        return r;
    r = ERR_MISMATCH;
    for (int i = 0; r == ERR_MISMATCH && i < SAVE_ATTEMPTS; i++)
        r = approve_once(repository, scope, server, &listed, err);
    return r;
}

enum err_code pins_load(struct services *services, struct scope *scope, struct tool_server *server,
                        struct arena *arena, struct pins *out, struct err *err)
{
    struct pin_repository *repository = NULL;
    struct listed of;
    enum err_code r = services_pins(services, &repository, err);
    if (!r && !repository)
        r = err_set(err, ERR_NOT_FOUND, 0, NO_HOME);
    if (r)
        return r;
    make_identity(services->digest, server, &of);
    r = pin_repository_load(repository, scope, of.identity, arena, out, err);
    if (r == ERR_NOT_FOUND && *of.former)
        r = pin_repository_load(repository, scope, of.former, arena, out, err);
    return r;
}
