#include "tests/support/fakes/fake_renderer.h"
#include <string.h>

static const char png[] = "\x89PNG\r\n\x1a\n"
                          "\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90\x77\x53\xde"
                          "\0\0\0\x0cIDAT\x08\xd7\x63\xf8\xff\xff\x3f\0\x05\xfe\x02\xfe\xdc\xcc"
                          "\x59\xe7"
                          "\0\0\0\0IEND\xae\x42\x60\x82";
static const char svg[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8pt\" "
                          "height=\"8pt\"></svg>\n";
static const char pdf[] = "%PDF-1.5\n%%EOF\n";
static const char geometry[] = "{\"name\":\"figure\",\"bb\":\"0,0,8,8\"}";

static struct fake_renderer *fake_of(struct renderer *r)
{
    return (struct fake_renderer *)r;
}

static enum err_code available(struct renderer *r, struct scope *sc, struct err *err)
{
    enum err_code code = fake_of(r)->available;
    (void)sc;
    return code ? err_set(err, code, 0, "there is no such program") : ERR_NONE;
}

static void draw(struct picture *out)
{
    out->bytes[PICTURE_SVG] = svg;
    out->lengths[PICTURE_SVG] = sizeof svg - 1;
    out->bytes[PICTURE_PNG] = png;
    out->lengths[PICTURE_PNG] = sizeof png - 1;
    out->bytes[PICTURE_PDF] = pdf;
    out->lengths[PICTURE_PDF] = sizeof pdf - 1;
}

static enum err_code render(struct renderer *r, struct scope *sc, const struct drawing *drawing,
                            struct arena *arena, struct picture *out, struct err *err)
{
    struct fake_renderer *fake = fake_of(r);
    enum err_code code = available(r, sc, err);
    unsigned call = fake->n_calls;
    fake->n_calls += !drawing->only_geometry;
    fake->n_measured += drawing->only_geometry;
    fake->dot = arena_strdup(arena, drawing->dot);
    fake->script = arena_strdup(arena, drawing->script);
    fake->dpi = drawing->dpi;
    if (!code && drawing->only_geometry && fake->runtime)
        code = runtime_sleep(fake->runtime, sc, fake->measuring_ms, err);
    if (code)
        return code;
    if (fake->fails && call >= fake->fails_from)
        return err_set(err, fake->fails, 0, "it cannot be drawn");
    if (!drawing->dot && !drawing->script && !fake->base.takes_plots)
        return err_set(err, ERR_INVALID, 0, "there is no graph");
    *out = (struct picture){ .renderer = FAKE_RENDERER_NAME, .code = fake->code };
    if (fake->code)
        return ERR_NONE;
    if (drawing->dot)
        out->geometry = fake->geometry ? fake->geometry : geometry;
    draw(out);
    if (fake->png) {
        out->bytes[PICTURE_PNG] = fake->png;
        out->lengths[PICTURE_PNG] = fake->png_length;
    }
    if (fake->svg) {
        out->bytes[PICTURE_SVG] = fake->svg;
        out->lengths[PICTURE_SVG] = fake->svg_length;
    }
    return ERR_NONE;
}

static void destroy(struct renderer *r)
{
    (void)r; /* it lies in the frame of the test */
}

void fake_renderer_init(struct fake_renderer *fake)
{
    static const struct renderer_ops ops = { .available = available,
                                             .render = render,
                                             .destroy = destroy };
    *fake = (struct fake_renderer){ .base = { .ops = &ops } };
}
