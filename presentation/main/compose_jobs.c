#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/plan_tools.h"
#include "application/tools/lookup.h"
#include "presentation/main/composition.h"
#include <string.h>

bool composition_may_have_server(const struct composition *c, const char *name)
{
    const char *at = c->arguments->servers;
    size_t length = strlen(name);
    if (!at)
        return true;
    for (; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

/* A configured server of that name takes precedence. */
static bool may_add(const struct composition *c, const char *name)
{
    return c->n_servers < COMPOSITION_MAX_SERVERS && composition_may_have_server(c, name) &&
           !lookup_config(&c->settings, name);
}

void composition_add_jobs(struct composition *c)
{
    if (c->settings.tools_jobs && may_add(c, JOB_TOOLS_NAME))
        c->servers[c->n_servers++] = job_tools_create(&c->services);
}

void composition_add_plans(struct composition *c)
{
    const struct plan_tools_options options = { .name = PLAN_TOOLS_NAME,
                                                .prefix = "",
                                                .folder = &c->plans.base };
    if (!c->paths.plans_dir || !may_add(c, PLAN_TOOLS_NAME))
        return;
    plans_folder_init(&c->plans, &c->cli, c->paths.plans_dir);
    c->servers[c->n_servers++] = plan_tools_create(&c->services, &options);
}
