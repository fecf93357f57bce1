#include "application/studio/image_made.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* NULL where the text has no visible line. */
static const char *first_line(struct arena *arena, const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strcspn(text, "\r\n");
    return length ? text_one_line(arena, text, length, IMAGE_MADE_MAX_COLUMNS) : NULL;
}

static const char *address_of(struct arena *arena, const json_t *block)
{
    const json_t *resource = json_object_get(block, "resource");
    const char *uri = json_get_string(resource ? resource : block, "uri");
    return uri ? first_line(arena, uri) : NULL;
}

/* Of base64 text: three bytes of four characters, without what fills the last group. */
static size_t decoded_bytes(const char *base64)
{
    size_t length = strlen(base64);
    while (length && base64[length - 1] == '=')
        length--;
    return length * 3 / 4;
}

static const char *size_of(struct arena *arena, const json_t *block)
{
    const char *data = json_get_string(block, "data"), *type = json_get_string(block, "mimeType");
    if (!data)
        return NULL;
    if (!type)
        type = "image";
    return arena_printf(arena, "%s %s bytes", text_one_line(arena, type, strlen(type), 80),
                        text_grouped(arena, decoded_bytes(data)));
}

/* The first block of which `say` has something to say. */
static const char *first_said(struct arena *arena, const json_t *content,
                              const char *(*say)(struct arena *arena, const json_t *block))
{
    const json_t *block;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)content, i, block) {
        const char *said = say(arena, block);
        if (said)
            return said;
    }
    return NULL;
}

const char *image_made_text(struct arena *arena, const struct step_result *made)
{
    const char *said = first_line(arena, step_result_text(arena, made));
    if (!said)
        said = first_said(arena, step_result_content(made), address_of);
    if (!said)
        said = first_said(arena, step_result_content(made), size_of);
    return said ? said : "an image";
}
