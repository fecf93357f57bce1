#include "tests/support/fakes/faulty_drawing.h"

static enum err_code available(struct renderer *r, struct scope *sc, struct err *err)
{
    struct faulty_renderer *self = (struct faulty_renderer *)r;
    enum err_code code = faulty_ports_pass(self->ports, sc, err);
    return code ? code : renderer_available(self->inner, sc, err);
}

static enum err_code render(struct renderer *r, struct scope *sc, const struct drawing *drawing,
                            struct arena *arena, struct picture *out, struct err *err)
{
    struct faulty_renderer *self = (struct faulty_renderer *)r;
    enum err_code code = faulty_ports_pass(self->ports, sc, err);
    return code ? code : renderer_render(self->inner, sc, drawing, arena, out, err);
}

static void keep(struct renderer *r)
{
    (void)r;
}

static struct faulty_artifacts *self_of(struct artifact_folder *f)
{
    return (struct faulty_artifacts *)f->owner;
}

static enum err_code open_folder(struct artifacts *a, struct scope *sc,
                                 const struct artifact_place *place, struct artifact_folder **out,
                                 struct err *err)
{
    struct faulty_artifacts *self = (struct faulty_artifacts *)a;
    enum err_code r = faulty_ports_pass(self->ports, sc, err);
    if (!r)
        r = artifacts_open(self->inner, sc, place, out, err);
    if (!r)
        (*out)->owner = a;
    return r;
}

static enum err_code put(struct artifact_folder *f, struct scope *sc, const char *name,
                         const void *bytes, size_t length, struct err *err)
{
    struct faulty_artifacts *self = self_of(f);
    enum err_code r = faulty_ports_pass(self->ports, sc, err);
    if (r)
        return r;
    f->owner = self->inner;
    r = artifact_put(f, sc, name, bytes, length, err);
    f->owner = &self->base;
    return r;
}

static enum err_code commit(struct artifact_folder *f, struct scope *sc, struct err *err)
{
    struct faulty_artifacts *self = self_of(f);
    enum err_code r = faulty_ports_pass(self->ports, sc, err);
    f->owner = self->inner;
    if (!r)
        return artifact_folder_commit(f, sc, err);
    artifact_folder_discard(f);
    return r;
}

static void discard(struct artifact_folder *f)
{
    f->owner = self_of(f)->inner;
    artifact_folder_discard(f);
}

void faulty_drawing_init(struct faulty_drawing *drawing, struct faulty_ports *ports)
{
    static const struct renderer_ops renderer_ops = { .available = available,
                                                      .render = render,
                                                      .destroy = keep };
    static const struct artifacts_ops artifacts_ops = { open_folder, put, commit, discard };
    struct fake_services *fake = ports->fake;
    drawing->renderer =
        (struct faulty_renderer){ { .ops = &renderer_ops }, ports, fake->renderer_port };
    if (fake->renderer_port) {
        drawing->renderer.base.takes_plots = fake->renderer_port->takes_plots;
        fake->renderer_port = &drawing->renderer.base;
    }
    drawing->artifacts =
        (struct faulty_artifacts){ { &artifacts_ops }, ports, fake->base.artifacts };
    fake->base.artifacts = &drawing->artifacts.base;
}
