#include "tests/support/fakes/fake_pin_repository.h"
#include "domain/base/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_pin_repository *fake_of(struct pin_repository *r)
{
    return (struct fake_pin_repository *)r;
}

static enum err_code take_refusal(enum err_code *next, struct err *err)
{
    enum err_code code = *next;
    *next = ERR_NONE;
    return code ? err_set(err, code, 0, "pins: refused by the test") : ERR_NONE;
}

static struct pins_head found(const struct fake_pin_repository *f, const char *identity)
{
    const json_t *entry = json_object_get(f->pinned, identity), *value;
    struct pins_head head = { .revision = json_get_int(entry, "revision", 0),
                              .has_folders = entry && !f->is_old };
    const char *name;
    json_each_member (json_object_get(entry, "offers"), name, value) {
        struct pin_offer *offer = &head.offers[head.n_offers++];
        snprintf(offer->name, sizeof offer->name, "%s", name);
        snprintf(offer->fingerprint, sizeof offer->fingerprint, "%s", json_string_value(value));
    }
    return head;
}

static enum err_code fake_look(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct pins_head *out, struct err *err)
{
    (void)sc;
    struct fake_pin_repository *f = fake_of(r);
    f->n_looks++;
    enum err_code code = take_refusal(&f->next, err);
    if (!code)
        *out = found(f, identity);
    return code;
}

static enum err_code fake_load(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct arena *arena, struct pins *out, struct err *err)
{
    (void)sc;
    struct fake_pin_repository *f = fake_of(r);
    const json_t *entry = json_object_get(f->pinned, identity), *pin;
    const json_t *pins = json_object_get(entry, "pins");
    size_t i;
    f->n_loads++;
    enum err_code code = take_refusal(&f->next, err);
    if (!code && !entry)
        code = err_set(err, ERR_NOT_FOUND, 0, "pins: nothing is pinned");
    if (code)
        return code;
    *out = (struct pins){ .identity = arena_strdup(arena, identity),
                          .server = "",
                          .head = found(f, identity),
                          .list = arena_array(arena, struct pin, json_array_size(pins) + 1) };
    json_array_foreach (pins, i, pin) {
        out->list[out->n++] =
            (struct pin){ arena_strdup(arena, json_get_string(pin, "name")),
                          arena_strdup(arena, json_get_string(pin, "hash")),
                          arena_strdup(arena, json_get_string(pin, "definition")) };
    }
    return ERR_NONE;
}

static enum err_code fake_save(struct pin_repository *r, struct scope *sc, const struct pins *pins,
                               struct err *err)
{
    (void)sc;
    struct fake_pin_repository *f = fake_of(r);
    f->n_saves++;
    enum err_code code = take_refusal(&f->next, err);
    if (!code)
        code = take_refusal(&f->next_save, err);
    if (!code && pins->head.revision != found(f, pins->identity).revision)
        code = err_set(err, ERR_MISMATCH, 0, "pins: somebody else wrote");
    if (code)
        return code;
    json_t *list = json_array(), *offers = json_object();
    for (size_t i = 0; i < pins->head.n_offers; i++)
        json_object_set_new(offers, pins->head.offers[i].name,
                            json_string(pins->head.offers[i].fingerprint));
    for (size_t i = 0; i < pins->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", pins->list[i].name, "hash",
                                              pins->list[i].hash, "definition",
                                              pins->list[i].definition));
    json_object_set_new(f->pinned, pins->identity,
                        json_pack("{s:s, s:I, s:o, s:o}", "server", pins->server, "revision",
                                  (json_int_t)pins->head.revision + 1, "offers", offers, "pins",
                                  list));
    return ERR_NONE;
}

static void fake_destroy(struct pin_repository *r)
{
    fake_pin_repository_finish(fake_of(r));
    free(r);
}

static const struct pin_repository_ops fake_ops = {
    .look = fake_look,
    .load = fake_load,
    .save = fake_save,
    .destroy = fake_destroy,
};

void fake_pin_repository_init(struct fake_pin_repository *fake)
{
    *fake = (struct fake_pin_repository){ .base = { &fake_ops }, .pinned = json_object() };
}

void fake_pin_repository_finish(struct fake_pin_repository *fake)
{
    json_decref(fake->pinned);
}

struct pin_repository *fake_pin_repository_create(void)
{
    struct fake_pin_repository *fake = calloc(1, sizeof *fake);
    if (!fake)
        abort();
    fake_pin_repository_init(fake);
    return &fake->base;
}
