#include "application/use_cases/consensus_agents.h"
#include "application/consensus/agent.h"
#include "application/structured/model_call.h"
#include "domain/base/text.h"
#include <string.h>

/* While they are being made. */
struct making {
    struct run_session *session;
    const struct consensus_request *request;
    const struct role_set *roles;
    const json_t *examples;
    struct model *models[ROLE_SET_AGENTS]; /* NULL for a mock */
    struct model_status status[ROLE_SET_AGENTS];
};

static enum err_code no_model(struct err *err)
{
    enum err_code r =
        err_set(err, ERR_UNAVAILABLE, 0, "a consensus needs a model, and there is none");
    return err_hint(err, r,
                    "start one with: ollama serve, and get it with: ollama pull mistral:7b; or "
                    "try --mock --answer TEXT");
}

awaits static enum err_code find_model(struct making *making, unsigned i, struct err *err)
{
    struct services *services = making->session->services;
    struct scope *scope = &making->session->scope;
    const struct role_agent *agent = &making->roles->agents[i];
    const char *name = making->request->models[i] ? making->request->models[i] : agent->model;
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model *model = NULL;
    enum err_code r = name || agent->base_url
                          ? services_model_of(services, scope, name, agent->base_url, &model, err)
                          : services_model(services, scope, &model, &choice, err);
    if (!r && !model)
        r = no_model(err);
    if (!r)
        r = model_check(model, scope, making->session->arena, &making->status[i], err);
    if (r)
        return err_prefix(err, model_failure(r, err), "the %.60s", agent->role);
    making->models[i] = model;
    return ERR_NONE;
}

awaits static enum err_code find_models(struct making *making, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (unsigned i = 0; i < ROLE_SET_AGENTS && !r; i++)
        if (making->request->agents[i] == AGENT_MODEL)
            r = find_model(making, i, err);
    return r;
}

static struct model_agent_options options_of(const struct making *making, unsigned i)
{
    return (struct model_agent_options){ .model = making->models[i],
                                         .model_name = making->status[i].model,
                                         .session = making->session,
                                         .roles = making->roles,
                                         .index = i,
                                         .task = making->request->task,
                                         .examples = making->examples };
}

static enum err_code make_model_agent(const struct making *making, unsigned i,
                                      struct consensus_agents *out, struct err *err)
{
    struct model_agent_options options = options_of(making, i);
    enum err_code r = model_agent_create(&options, &out->agents[i], err);
    if (r || out->sampler || !making->request->vote)
        return r;
    options.samples = true;
    return model_agent_create(&options, &out->sampler, err);
}

static enum err_code make_agent(const struct making *making, unsigned i,
                                struct consensus_agents *out, struct err *err)
{
    struct arena *arena = making->session->arena;
    const char *answer = making->request->mock_answer;
    switch (making->request->agents[i]) {
    case AGENT_MODEL:
        return make_model_agent(making, i, out, err);
    case AGENT_MOCK_RULE:
        out->agents[i] = answer ? mock_rule_create(arena, making->roles, i, answer)
                                : mock_echo_create(arena, making->roles, i);
        break;
    case AGENT_MOCK_ECHO:
        out->agents[i] = mock_echo_create(arena, making->roles, i);
        break;
    }
    return ERR_NONE;
}

static bool are_models(const struct making *making)
{
    return making->models[0] && making->models[1];
}

/* A script has no address. */
static bool is_one_endpoint(const struct making *making)
{
    const char *a = making->status[0].base_url, *b = making->status[1].base_url;
    return a && *a && text_equal(a, b);
}

/* Two models behind one endpoint take turns, and may have to be loaded anew each time: who named
 * two will want to know. */
static void tell_shared_endpoint(const struct making *making)
{
    if (!are_models(making) || !is_one_endpoint(making) || making->models[0] == making->models[1])
        return;
    journal_warn(&making->session->journal,
                 "both models are at %.200s: they are asked one after the other",
                 making->status[0].base_url);
}

enum err_code consensus_agents_make(struct run_session *session,
                                    const struct consensus_request *request,
                                    const struct role_set *roles, const json_t *examples,
                                    struct consensus_agents *out, struct err *err)
{
    struct making making = {
        .session = session, .request = request, .roles = roles, .examples = examples
    };
    struct consensus_agents made = { 0 };
    enum err_code r = find_models(&making, err);
    for (unsigned i = 0; i < ROLE_SET_AGENTS && !r; i++)
        r = make_agent(&making, i, &made, err);
    if (r)
        return r;
    if (!made.sampler)
        made.sampler = made.agents[0];
    made.side_by_side =
        are_models(&making) && making.models[0] != making.models[1] && !is_one_endpoint(&making);
    tell_shared_endpoint(&making);
    *out = made;
    return ERR_NONE;
}
