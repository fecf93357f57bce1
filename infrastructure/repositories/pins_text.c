#include "infrastructure/repositories/pins_text.h"
#include "domain/base/json.h"
#include <string.h>

#define PINS_TEXT_VERSION 1

static bool read_offers(const json_t *offers, struct pins_head *out)
{
    const char *name;
    const json_t *value;
    if (!json_is_object(offers) || json_object_size(offers) > PINS_MAX_OFFERS)
        return false;
    json_each_member (offers, name, value) {
        const char *fingerprint = json_string_value(value);
        struct pin_offer *offer = &out->offers[out->n_offers++];
        if (!fingerprint || strlen(name) >= sizeof offer->name ||
            strlen(fingerprint) >= sizeof offer->fingerprint)
            return false;
        strcpy(offer->name, name);
        strcpy(offer->fingerprint, fingerprint);
    }
    return true;
}

const char *pins_read_head(const char *bytes, size_t length, struct pins_head *out,
                           int64_t *out_tools)
{
    const char *end = memchr(bytes, '\n', length);
    json_auto_t *head = NULL;
    if (!end || json_parse(bytes, (size_t)(end - bytes), JSON_OURS, &head, NULL))
        return "it has no head";
    struct pins_head found = { .revision = json_get_int(head, "revision", 0),
                               .has_folders = json_get_bool(head, "folders", false) };
    if (json_get_int(head, "version", 0) != PINS_TEXT_VERSION || found.revision < 1 ||
        !read_offers(json_object_get(head, "offers"), &found))
        return "no list of a known version";
    *out = found;
    *out_tools = json_get_int(head, "tools", -1);
    return NULL;
}

/* The definition is taken as it stands in the line: it is what was hashed. */
static bool read_pin(const char *line, size_t length, struct arena *arena, struct pin *out)
{
    json_auto_t *value = NULL;
    const char *definition;
    size_t definition_length;
    if (json_parse(line, length, JSON_OURS, &value, NULL))
        return false;
    const char *name = json_get_string(value, "name"), *hash = json_get_string(value, "hash");
    if (!name || !hash ||
        !json_member_text(line, length, "definition", &definition, &definition_length))
        return false;
    *out = (struct pin){ .name = arena_strdup(arena, name),
                         .hash = arena_strdup(arena, hash),
                         .definition = arena_strndup(arena, definition, definition_length) };
    return true;
}

const char *pins_read(const struct buf *text, const char *identity, struct arena *arena,
                      struct pins *out)
{
    int64_t n = 0;
    struct pins_head head;
    const char *bytes = buf_string(text), *end = bytes + text->length;
    const char *flaw = pins_read_head(bytes, text->length, &head, &n);
    if (flaw)
        return flaw;
    if (n < 0 || (uint64_t)n > text->length)
        return "it does not say how many tools it has";
    struct pin *list = arena_array(arena, struct pin, (size_t)n + 1);
    size_t read = 0;
    for (const char *at = strchr(bytes, '\n') + 1, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop || read >= (size_t)n || !read_pin(at, (size_t)(stop - at), arena, &list[read++]))
            return "a line is not a pinned tool";
    }
    if (read != (size_t)n)
        return "tools are missing";
    *out = (struct pins){ .identity = arena_strdup(arena, identity),
                          .server = "",
                          .head = head,
                          .list = list,
                          .n = read };
    return NULL;
}

static bool print_pin(struct buf *out, const struct pin *pin)
{
    json_auto_t *name = json_string(pin->name), *hash = json_string(pin->hash);
    auto_str name_text = json_print(name);
    auto_str hash_text = json_print(hash);
    return name_text && hash_text && buf_puts(out, "{\"name\":") && buf_puts(out, name_text) &&
           buf_puts(out, ",\"hash\":") && buf_puts(out, hash_text) &&
           buf_puts(out, ",\"definition\":") && buf_puts(out, pin->definition) &&
           buf_puts(out, "}\n");
}

bool pins_print(struct buf *out, const struct pins *pins)
{
    json_t *offers = json_object();
    for (size_t i = 0; i < pins->head.n_offers; i++)
        json_object_set_new(offers, pins->head.offers[i].name,
                            json_string(pins->head.offers[i].fingerprint));
    json_auto_t *head =
        json_pack("{s:i, s:s, s:I, s:b, s:o, s:I}", "version", PINS_TEXT_VERSION, "server",
                  pins->server, "revision", (json_int_t)pins->head.revision + 1, "folders", 1,
                  "offers", offers, "tools", (json_int_t)pins->n);
    auto_str text = json_print(head);
    bool fits =
        text && strlen(text) < PINS_HEAD_MAX_BYTES && buf_puts(out, text) && buf_puts(out, "\n");
    for (size_t i = 0; fits && i < pins->n; i++)
        fits = print_pin(out, &pins->list[i]);
    return fits;
}

bool pins_identity_is_valid(const char *identity)
{
    return strlen(identity) < PIN_HASH_SIZE && !identity[strspn(identity, "0123456789abcdef")];
}
