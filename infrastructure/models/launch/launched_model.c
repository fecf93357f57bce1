#include "infrastructure/models/launch/launched_model.h"
#include "infrastructure/models/launch/launched_server.h"
#include <stdlib.h>

struct launched_model {
    struct model base;
    struct launched_server *server;
    struct model *inside;
};

static struct launched_model *model_of(struct model *base)
{
    return (struct launched_model *)base;
}

awaits static enum err_code check(struct model *base, struct scope *scope, struct arena *arena,
                                  struct model_status *out, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_check(model->inside, scope, arena, out, err);
    if (r)
        return launched_server_explain(model->server, r, err);
    out->reason = arena_printf(arena, "%s; started by model.launch", out->reason);
    return ERR_NONE;
}

awaits static enum err_code list(struct model *base, struct scope *scope, struct arena *arena,
                                 const char ***out_names, size_t *out_n, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_list(model->inside, scope, arena, out_names, out_n, err);
    return r ? launched_server_explain(model->server, r, err) : ERR_NONE;
}

awaits static enum err_code chat(struct model *base, struct scope *scope,
                                 const struct model_request *request, struct arena *arena,
                                 struct model_reply *out, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_chat(model->inside, scope, request, arena, out, err);
    return r ? launched_server_explain(model->server, r, err) : ERR_NONE;
}

/* Neither is worth a start: whoever counts can estimate, and what is warmed is there already. */
awaits static enum err_code count_tokens(struct model *base, struct scope *scope, const char *text,
                                         int64_t *out_tokens, struct err *err)
{
    return model_count_tokens(model_of(base)->inside, scope, text, out_tokens, err);
}

awaits static enum err_code warm(struct model *base, struct scope *scope, const char *system,
                                 struct err *err)
{
    return model_warm(model_of(base)->inside, scope, system, err);
}

static void destroy(struct model *base)
{
    struct launched_model *model = model_of(base);
    model_destroy(model->inside);
    free(model);
}

struct model *launched_model_create(struct launched_server *server, struct model *inside)
{
    static const struct model_ops ops = { .check = check,
                                          .list = list,
                                          .chat = chat,
                                          .count_tokens = count_tokens,
                                          .warm = warm,
                                          .destroy = destroy };
    struct launched_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    model->server = server;
    model->inside = inside;
    return &model->base;
}
