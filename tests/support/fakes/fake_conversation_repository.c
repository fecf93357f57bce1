#include "tests/support/fakes/fake_conversation_repository.h"
#include "domain/base/json.h"
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_BYTES (16 * 1024 * 1024)

static struct fake_conversation_repository *fake_of(struct conversation_repository *r)
{
    return (struct fake_conversation_repository *)r;
}

static struct conversation *parse(struct arena *arena, const char *text)
{
    json_t *value;
    struct conversation *c;
    if (json_parse(text, strlen(text), JSON_OURS, &value, NULL) ||
        conversation_from_json(arena, arena_keep_json(arena, value), &c, NULL))
        abort();
    return c;
}

/* Where the conversation is kept, or a free place; *out is NULL when it is not there. */
static char **find(struct fake_conversation_repository *f, struct arena *arena, const char *id,
                   struct conversation **out)
{
    char **free_place = NULL;
    *out = NULL;
    for (size_t i = 0; i < FAKE_MAX_CONVERSATIONS; i++) {
        if (!f->texts[i]) {
            free_place = free_place ? free_place : &f->texts[i];
            continue;
        }
        struct conversation *c = parse(arena, f->texts[i]);
        if (strcmp(c->id, id) == 0) {
            *out = c;
            return &f->texts[i];
        }
    }
    if (!free_place)
        abort();
    return free_place;
}

static enum err_code find_existing(struct fake_conversation_repository *f, struct arena *arena,
                                   const char *id, char ***out_place, struct conversation **out,
                                   struct err *err)
{
    if (!conversation_id_is_valid(id))
        return err_set(err, ERR_INVALID, 0, "not a valid conversation id");
    struct conversation *c;
    char **place = find(f, arena, id, &c);
    if (!c)
        return err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", id);
    *out_place = place;
    *out = c;
    return ERR_NONE;
}

static enum err_code store(struct fake_conversation_repository *f, char **place,
                           const struct conversation *c, struct err *err)
{
    json_auto_t *value = conversation_to_json(c);
    char *text = json_print_pretty(value);
    if (strlen(text) + 1 > f->max_bytes) {
        free(text);
        return err_set(err, ERR_LIMIT, 0, "conversation %s is too large", c->id);
    }
    free(*place);
    *place = text;
    return ERR_NONE;
}

/* Whether the test wants this write to be refused. */
static enum err_code refuse(struct fake_conversation_repository *f, const char *id, struct err *err)
{
    enum err_code refused = f->next_save;
    if (!f->more_refusals)
        f->next_save = ERR_NONE;
    else
        f->more_refusals--;
    if (refused)
        return err_set(err, refused, 0, "conversation %s: refused by the test", id);
    if (!conversation_id_is_valid(id))
        return err_set(err, ERR_INVALID, 0, "not a valid conversation id");
    return ERR_NONE;
}

static enum err_code fake_save(struct conversation_repository *r, struct scope *sc,
                               const struct conversation *c, int64_t loaded_version_ms,
                               struct err *err)
{
    (void)sc;
    struct fake_conversation_repository *f = fake_of(r);
    AUTO(arena) scratch = { 0 };
    struct conversation *stored;
    enum err_code refused = refuse(f, c->id, err);
    if (refused)
        return refused;
    char **place = find(f, &scratch, c->id, &stored);
    if ((stored ? stored->updated_at_ms : 0) != loaded_version_ms)
        return err_set(err, ERR_MISMATCH, 0, "conversation %s was changed meanwhile", c->id);
    f->n_saves++;
    return store(f, place, c, err);
}

static enum err_code fake_append(struct conversation_repository *r, struct scope *sc,
                                 const struct conversation *c, size_t from,
                                 int64_t loaded_version_ms, struct err *err)
{
    (void)sc;
    struct fake_conversation_repository *f = fake_of(r);
    AUTO(arena) scratch = { 0 };
    struct conversation *stored, added = *c;
    enum err_code refused = refuse(f, c->id, err);
    if (refused)
        return refused;
    char **place = find(f, &scratch, c->id, &stored);
    if (!stored || stored->updated_at_ms != loaded_version_ms)
        return err_set(err, ERR_MISMATCH, 0, "conversation %s was changed meanwhile", c->id);
    conversation_keep_recent(&added, c->n_messages - from);
    if (!conversation_join(&scratch, stored, &added))
        abort();
    f->n_saves++;
    return store(f, place, stored, err);
}

static enum err_code fake_get_by_id(struct conversation_repository *r, struct scope *sc,
                                    const char *id, struct arena *arena, struct conversation **out,
                                    struct err *err)
{
    (void)sc;
    char **place;
    return find_existing(fake_of(r), arena, id, &place, out, err);
}

static int newest_first(const void *a, const void *b)
{
    const struct conversation_summary *left = a, *right = b;
    if (left->updated_at_ms != right->updated_at_ms)
        return left->updated_at_ms < right->updated_at_ms ? 1 : -1;
    return strcmp(left->id, right->id);
}

static enum err_code fake_get_all(struct conversation_repository *r, struct scope *sc,
                                  struct arena *arena, struct conversation_summary **out,
                                  size_t *out_n, struct err *err)
{
    (void)sc, (void)err;
    struct fake_conversation_repository *f = fake_of(r);
    struct conversation_summary *list =
        arena_array(arena, struct conversation_summary, FAKE_MAX_CONVERSATIONS);
    size_t n = 0;
    for (size_t i = 0; i < FAKE_MAX_CONVERSATIONS; i++) {
        if (!f->texts[i])
            continue;
        const struct conversation *c = parse(arena, f->texts[i]);
        list[n++] =
            (struct conversation_summary){ .id = c->id,
                                           .label = conversation_label(arena, c),
                                           .created_at_ms = c->created_at_ms,
                                           .updated_at_ms = c->updated_at_ms,
                                           .n_messages = c->n_messages,
                                           .kind = conversation_kind(c),
                                           .last_request = conversation_last_request(arena, c),
                                           .folder = conversation_folder(c) };
    }
    qsort(list, n, sizeof *list, newest_first);
    *out = list;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code fake_remove(struct conversation_repository *r, struct scope *sc,
                                 const char *id, struct err *err)
{
    (void)sc;
    AUTO(arena) scratch = { 0 };
    struct conversation *c;
    char **place = NULL;
    enum err_code code = find_existing(fake_of(r), &scratch, id, &place, &c, err);
    if (code)
        return code;
    free(*place);
    *place = NULL;
    return ERR_NONE;
}

static enum err_code fake_get_recent(struct conversation_repository *r, struct scope *sc,
                                     const char *id, size_t max, struct arena *arena,
                                     struct conversation **out, struct err *err)
{
    enum err_code code = fake_get_by_id(r, sc, id, arena, out, err);
    if (!code)
        conversation_keep_recent(*out, max);
    return code;
}

static void fake_destroy(struct conversation_repository *r)
{
    fake_conversation_repository_finish(fake_of(r));
    free(r);
}

static const struct conversation_repository_ops fake_ops = {
    .save = fake_save,
    .append = fake_append,
    .get_by_id = fake_get_by_id,
    .get_recent = fake_get_recent,
    .get_all = fake_get_all,
    .remove = fake_remove,
    .destroy = fake_destroy,
};

void fake_conversation_repository_init(struct fake_conversation_repository *fake)
{
    *fake = (struct fake_conversation_repository){ .base = { &fake_ops },
                                                   .max_bytes = DEFAULT_MAX_BYTES };
}

void fake_conversation_repository_finish(struct fake_conversation_repository *fake)
{
    for (size_t i = 0; i < FAKE_MAX_CONVERSATIONS; i++)
        free(fake->texts[i]);
}

struct conversation_repository *fake_conversation_repository_create(void)
{
    struct fake_conversation_repository *fake = calloc(1, sizeof *fake);
    if (!fake)
        abort();
    fake_conversation_repository_init(fake);
    return &fake->base;
}
