#include "application/tools/answering.h"
#include "application/tools/elicitation.h"
#include "application/tools/sampling.h"

awaits static enum err_code on_question(void *context, struct scope *scope,
                                        const struct elicitation *question, struct arena *arena,
                                        struct elicitation_answer *out, struct err *err)
{
    const struct answering *a = context;
    return elicitation_ask(a->services, a->journal, &a->asker, question, scope, arena, out, err);
}

awaits static enum err_code on_sampling(void *context, struct scope *scope, const json_t *params,
                                        struct arena *arena, json_t **out_result, struct err *err)
{
    struct answering *a = context;
    return sampling_answer(a->services, a->journal, &a->asker, &a->n_sampled, params, scope, arena,
                           out_result, err);
}

void answering_init(struct answering *answering, struct services *services, struct journal *journal,
                    struct asker asker)
{
    *answering = (struct answering){ .services = services, .journal = journal, .asker = asker };
    answering->answerer = (struct answerer){
        .on_question = user_present(services->user) ? on_question : NULL,
        .on_sampling = sampling_is_allowed(services, asker.server) ? on_sampling : NULL,
        .context = answering,
    };
}
