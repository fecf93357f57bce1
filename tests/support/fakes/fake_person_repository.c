#include "tests/support/fakes/fake_person_repository.h"
#include <stdlib.h>
#include <string.h>

static struct fake_person_repository *fake_of(struct person_repository *r)
{
    return (struct fake_person_repository *)r;
}

static enum err_code take_refusal(struct fake_person_repository *f, struct err *err)
{
    enum err_code code = f->next;
    f->next = ERR_NONE;
    return code ? err_set(err, code, 0, "persons: refused by the test") : ERR_NONE;
}

static size_t place_of(const struct fake_person_repository *f, const char *name)
{
    size_t i = 0;
    while (i < f->n && strcmp(f->persons[i].name, name) != 0)
        i++;
    return i;
}

static enum err_code fake_add(struct person_repository *r, struct scope *sc,
                              const struct person *person, const char *token, struct err *err)
{
    struct fake_person_repository *f = fake_of(r);
    (void)sc;
    if (take_refusal(f, err))
        return err->code;
    if (!person_name_is_valid(person->name) || place_of(f, person->name) < f->n)
        return err_set(err, ERR_INVALID, 0, "persons: not a name that is free");
    if (f->n == PERSONS_MAX)
        return err_set(err, ERR_LIMIT, 0, "persons: too many");
    f->persons[f->n] = *person;
    f->tokens[f->n++] = arena_strdup(&f->arena, token);
    return ERR_NONE;
}

static enum err_code fake_list(struct person_repository *r, struct scope *sc, struct arena *arena,
                               struct person **out, size_t *out_n, struct err *err)
{
    struct fake_person_repository *f = fake_of(r);
    (void)sc;
    if (take_refusal(f, err))
        return err->code;
    *out = arena_array(arena, struct person, f->n + 1);
    memcpy(*out, f->persons, f->n * sizeof **out);
    *out_n = f->n;
    return ERR_NONE;
}

static enum err_code fake_revoke(struct person_repository *r, struct scope *sc, const char *name,
                                 struct err *err)
{
    struct fake_person_repository *f = fake_of(r);
    size_t at = place_of(f, name);
    (void)sc;
    if (take_refusal(f, err))
        return err->code;
    if (at == f->n)
        return err_set(err, ERR_NOT_FOUND, 0, "persons: no such person");
    f->n--;
    for (size_t i = at; i < f->n; i++) {
        f->persons[i] = f->persons[i + 1];
        f->tokens[i] = f->tokens[i + 1];
    }
    return ERR_NONE;
}

static enum err_code fake_find(struct person_repository *r, struct scope *sc, const char *token,
                               int64_t now_ms, struct person *out, bool *out_found, struct err *err)
{
    struct fake_person_repository *f = fake_of(r);
    (void)sc;
    if (take_refusal(f, err))
        return err->code;
    *out_found = false;
    for (size_t i = 0; i < f->n && !*out_found; i++) {
        *out = f->persons[i];
        *out_found = strcmp(f->tokens[i], token) == 0 && person_may_enter(out, now_ms);
    }
    return ERR_NONE;
}

static void fake_destroy(struct person_repository *r)
{
    arena_finish(&fake_of(r)->arena);
    free(r);
}

struct person_repository *fake_person_repository_create(void)
{
    static const struct person_repository_ops ops = { fake_add, fake_list, fake_revoke, fake_find,
                                                      fake_destroy };
    struct fake_person_repository *fake = calloc(1, sizeof *fake);
    if (!fake)
        abort();
    fake->base.ops = &ops;
    return &fake->base;
}
