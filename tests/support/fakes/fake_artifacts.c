#include "tests/support/fakes/fake_artifacts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fake_folder {
    struct artifact_folder base;
    json_t *files;
};

static struct fake_artifacts *fake_of(struct artifacts *a)
{
    return (struct fake_artifacts *)a;
}

static struct fake_folder *folder_of(struct artifact_folder *f)
{
    return (struct fake_folder *)f;
}

static enum err_code take_refusal(struct fake_artifacts *fake, struct err *err)
{
    if (++fake->n_calls != fake->fail_at)
        return ERR_NONE;
    return err_set(err, fake->fails_with ? fake->fails_with : ERR_FAILED, 0,
                   "artifacts: refused by the test");
}

static enum err_code check_name(const char *name, struct err *err)
{
    size_t length = strlen(name);
    bool is_plain = length && length <= ARTIFACTS_MAX_NAME && name[0] != '.' && !strchr(name, '/');
    for (size_t i = 0; i < length; i++)
        is_plain = is_plain && (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
    return is_plain ? ERR_NONE : err_set(err, ERR_INVALID, 0, "not a plain name: \"%.60s\"", name);
}

static enum err_code open_folder(struct artifacts *a, struct scope *sc,
                                 const struct artifact_place *place, struct artifact_folder **out,
                                 struct err *err)
{
    (void)sc;
    struct fake_artifacts *fake = fake_of(a);
    enum err_code r = take_refusal(fake, err);
    if (!r)
        r = check_name(place->name, err);
    if (r)
        return r;
    struct fake_folder *folder = calloc(1, sizeof *folder);
    assert(folder);
    const char *path =
        arena_printf(&fake->arena, "%s/%s", *place->parent ? place->parent : ".", place->name);
    *folder = (struct fake_folder){ .base = { .owner = a, .path = path }, .files = json_object() };
    fake->n_open++;
    *out = &folder->base;
    return ERR_NONE;
}

static enum err_code put(struct artifact_folder *f, struct scope *sc, const char *name,
                         const void *bytes, size_t length, struct err *err)
{
    (void)sc;
    struct fake_artifacts *fake = fake_of(f->owner);
    enum err_code r = take_refusal(fake, err);
    if (!r)
        r = check_name(name, err);
    if (r)
        return r;
    const char *text = arena_strndup(&fake->arena, bytes, length);
    json_object_set_new(folder_of(f)->files, name, json_stringn_nocheck(text, strlen(text)));
    return ERR_NONE;
}

static void discard(struct artifact_folder *f)
{
    fake_of(f->owner)->n_open--;
    json_decref(folder_of(f)->files);
    free(f);
}

static enum err_code commit(struct artifact_folder *f, struct scope *sc, struct err *err)
{
    (void)sc;
    struct fake_artifacts *fake = fake_of(f->owner);
    enum err_code r = take_refusal(fake, err);
    if (!r)
        json_object_set(fake->folders, f->path, folder_of(f)->files);
    discard(f);
    return r;
}

void fake_artifacts_init(struct fake_artifacts *fake)
{
    static const struct artifacts_ops ops = { open_folder, put, commit, discard };
    *fake = (struct fake_artifacts){ .base = { &ops }, .folders = json_object() };
}

void fake_artifacts_finish(struct fake_artifacts *fake)
{
    assert(fake->n_open == 0);
    json_decref(fake->folders);
    arena_finish(&fake->arena);
}

const char *fake_artifacts_text(const struct fake_artifacts *fake, const char *path,
                                const char *name)
{
    return json_string_value(json_object_get(json_object_get(fake->folders, path), name));
}
