#include "domain/entities/call_record.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

static const char *const names[] = {
#define X(state, name) name,
    CALL_STATES(X)
#undef X
};

const char *call_state_name(enum call_state state)
{
    return names[state];
}

enum call_state call_state_parse(const char *name)
{
    int found = text_find(name, names, ARRAY_LENGTH(names));
    return found < 0 ? CALL_UNCERTAIN : (enum call_state)found;
}

const char *run_contents_fact(const struct run_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->n_facts; i++)
        if (strcmp(contents->facts[i].name, name) == 0)
            return contents->facts[i].text;
    return NULL;
}

struct call_record *run_contents_call(const struct run_contents *contents, const char *path)
{
    for (size_t i = 0; i < contents->n_calls; i++)
        if (strcmp(contents->calls[i].path, path) == 0)
            return &contents->calls[i];
    return NULL;
}
