#include "application/agent_tools/agent_tools.h"
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
void composition_add_jobs(struct composition *c)
{
    bool has_room = c->n_servers < COMPOSITION_MAX_SERVERS;
    if (!c->settings.tools_jobs || !has_room || !composition_may_have_server(c, JOB_TOOLS_NAME))
        return;
    for (size_t i = 0; i < c->settings.n_servers; i++)
        if (strcmp(c->settings.servers[i].name, JOB_TOOLS_NAME) == 0)
            return;
    c->servers[c->n_servers++] = job_tools_create(&c->services);
}
