#include "domain/consensus/role_set.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define MISSPELT 2 /* letters */

static const char *const set_members[] = { "name",    "description", "agents",
                                           "kind",    "examples",    "example_format",
                                           "agent_a", "agent_b",     "agent_c" };
static const char *const agent_members[] = { "role", "domain", "model",  "base_url",
                                             "pack", "system", "auditor" };
static const char *const kind_names[] = {
#define X(kind, name) name,
    CANONICAL_KINDS(X)
#undef X
};

struct reading {
    struct arena *arena;
    struct problems *problems;
};

static const char *member_path(struct reading *r, const char *path, const char *key)
{
    return json_path_member(r->arena, path, key);
}

static const char *find_meant(const char *key, const char *const *names, size_t n)
{
    const char *meant = NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned far = text_distance(key, names[i], MISSPELT);
        if (strcmp(key, names[i]) == 0)
            return NULL;
        if (far <= MISSPELT)
            meant = names[i];
    }
    return meant;
}

/* Unknown members are passed over; what looks like a slip of the pen is not. */
static void refuse_misspelt(struct reading *r, const json_t *object, const char *path,
                            const char *const *names, size_t n)
{
    const char *key;
    const json_t *member;
    json_each_member (object, key, member) {
        const char *meant = strlen(key) > MISSPELT + 1 ? find_meant(key, names, n) : NULL;
        if (meant)
            problems_add(r->problems, NULL, member_path(r, path, key),
                         "there is no member of that name")
                ->fix = arena_printf(r->arena, "write \"%s\" instead", meant);
    }
}

static const char *read_text(struct reading *r, const json_t *object, const char *path,
                             const char *key, size_t max_bytes)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return NULL;
    const char *where = member_path(r, path, key);
    if (!json_is_string(value) || json_string_has_nul(value)) {
        problems_add(r->problems, NULL, where, "must be text")->fix = "write a string";
        return NULL;
    }
    if (json_string_length(value) > max_bytes) {
        problems_add(r->problems, NULL, where, "longer than %zu bytes", max_bytes)->fix =
            "shorten it";
        return NULL;
    }
    const char *text = json_string_value(value);
    return *text ? arena_strdup(r->arena, text) : NULL;
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return length >= 1 && length <= ROLE_SET_NAME_MAX;
}

/* A pack may be named by its file, "rolesets/packs/writer.md"; only its name is taken, never a
 * path. */
static const char *read_pack(struct reading *r, const json_t *value, const char *path)
{
    const char *pack = read_text(r, value, path, "pack", 1024);
    if (!pack)
        return NULL;
    const char *slash = strrchr(pack, '/');
    const char *name = arena_strdup(r->arena, slash ? slash + 1 : pack);
    if (text_ends_with(name, ".md"))
        name = arena_strndup(r->arena, name, strlen(name) - strlen(".md"));
    if (is_name(name))
        return name;
    problems_add(r->problems, NULL, member_path(r, path, "pack"), "not the name of a pack")->fix =
        "use letters, digits, \"_\" and \"-\", at most 64";
    return NULL;
}

static const char *read_url(struct reading *r, const json_t *value, const char *path)
{
    const char *url = read_text(r, value, path, "base_url", ROLE_SET_MAX_URL_BYTES);
    if (!url || text_starts_with(url, "http://") || text_starts_with(url, "https://"))
        return url;
    problems_add(r->problems, NULL, member_path(r, path, "base_url"), "not a URL of http or https")
        ->fix = "write http://host:port/v1";
    return NULL;
}

static void read_agent(struct reading *r, const json_t *value, const char *path,
                       struct role_agent *agent)
{
    if (!json_is_object(value)) {
        problems_add(r->problems, NULL, path, "must be an object")->fix =
            "write {\"role\":\"…\", \"pack\":\"…\"}";
        return;
    }
    refuse_misspelt(r, value, path, agent_members, ARRAY_LENGTH(agent_members));
    agent->role = read_text(r, value, path, "role", ROLE_SET_NAME_MAX);
    if (!json_object_get(value, "role") ||
        (!agent->role && json_get_string(value, "role") && !*json_get_string(value, "role")))
        problems_add(r->problems, NULL, member_path(r, path, "role"), "is missing")->fix =
            "say what the agent is (\"Physicist\")";
    const char *domain = read_text(r, value, path, "domain", ROLE_SET_NAME_MAX);
    agent->domain = domain ? domain : "";
    agent->model = read_text(r, value, path, "model", ROLE_SET_MAX_URL_BYTES);
    agent->base_url = read_url(r, value, path);
    agent->pack = read_pack(r, value, path);
    agent->system = read_text(r, value, path, "system", ROLE_SET_MAX_SYSTEM_BYTES);
    const json_t *auditor = json_object_get(value, "auditor");
    if (auditor && !json_is_boolean(auditor))
        problems_add(r->problems, NULL, member_path(r, path, "auditor"), "must be true or false")
            ->fix = "write true for the one that doubts before it adopts";
}

/* An agent that does not say whether it is the auditor is what the other one is not. */
static void settle_auditor(const json_t *a, const json_t *b, struct role_set *set)
{
    const json_t *says_a = json_object_get(a, "auditor"), *says_b = json_object_get(b, "auditor");
    set->agents[0].is_auditor = says_a ? json_is_true(says_a) : json_is_false(says_b);
    set->agents[1].is_auditor = says_b ? json_is_true(says_b) : !set->agents[0].is_auditor;
}

static void read_list(struct reading *r, const json_t *agents, struct role_set *set)
{
    size_t n = json_array_size(agents);
    if (!json_is_array(agents) || n != ROLE_SET_AGENTS) {
        problems_add(r->problems, NULL, "/agents", "%zu agents where there must be exactly 2", n)
            ->fix = "give two: the first answers, the second doubts";
        return;
    }
    read_agent(r, json_array_get(agents, 0), "/agents/0", &set->agents[0]);
    read_agent(r, json_array_get(agents, 1), "/agents/1", &set->agents[1]);
    settle_auditor(json_array_get(agents, 0), json_array_get(agents, 1), set);
}

static void read_named(struct reading *r, const json_t *value, struct role_set *set)
{
    static const char *const names[] = { "agent_a", "agent_b", "agent_c" };
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const char *path = member_path(r, "", names[i]);
        const json_t *agent = json_object_get(value, names[i]);
        if (agent)
            read_agent(r, agent, path, &set->agents[i]);
        else
            problems_add(r->problems, NULL, path, "is missing")->fix =
                "give agent_a and agent_b, or \"agents\" with two";
    }
    const json_t *third = json_object_get(value, "agent_c");
    if (third)
        problems_add(r->problems, NULL, "/agent_c", "3 agents where there must be exactly 2")->fix =
            "remove it";
    settle_auditor(json_object_get(value, names[0]), json_object_get(value, names[1]), set);
}

static void read_agents(struct reading *r, const json_t *value, struct role_set *set)
{
    const json_t *list = json_object_get(value, "agents");
    bool is_named = json_object_get(value, "agent_a") || json_object_get(value, "agent_b");
    if (list && is_named)
        problems_add(r->problems, NULL, "/agents", "stands beside agent_a and agent_b")->fix =
            "keep one of the two forms";
    else if (is_named)
        read_named(r, value, set);
    else if (list)
        read_list(r, list, set);
    else
        problems_add(r->problems, NULL, "/agents", "is missing")->fix =
            "give a list of two, each with a role";
}

static void read_kind(struct reading *r, const json_t *value, struct role_set *set)
{
    const char *kind = read_text(r, value, "", "kind", ROLE_SET_NAME_MAX);
    size_t nearest;
    if (!kind || canonical_kind_parse(kind, &set->kind))
        return;
    struct problem *problem =
        problems_add(r->problems, NULL, "/kind", "there is no kind \"%s\" of canonical text", kind);
    problem->fix = "one of text, code, json, number, regex, sql";
    if (text_nearest(kind, kind_names, ARRAY_LENGTH(kind_names), &nearest, 1))
        problem->fix = arena_printf(r->arena, "write \"%s\" instead", kind_names[nearest]);
}

bool role_set_from_json(struct arena *arena, const char *name, const json_t *value,
                        struct role_set *out, struct problems *problems)
{
    struct reading r = { arena, problems };
    struct role_set set = { .name = arena_strdup(arena, name), .kind = CANONICAL_TEXT };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "must be an object")->fix = "write {\"agents\":[{…},{…}]}";
        return false;
    }
    refuse_misspelt(&r, value, "", set_members, ARRAY_LENGTH(set_members));
    const char *description = read_text(&r, value, "", "description", ROLE_SET_MAX_SYSTEM_BYTES);
    set.description = description ? description : "";
    set.example_format = read_text(&r, value, "", "example_format", ROLE_SET_MAX_SYSTEM_BYTES);
    set.examples = json_object_get(value, "examples");
    if (json_is_null(set.examples))
        set.examples = NULL;
    if (set.examples && !json_is_object(set.examples))
        problems_add(problems, NULL, "/examples", "must be an object")->fix =
            "write what candidates are run against, {\"match\":[…]} for one";
    read_kind(&r, value, &set);
    read_agents(&r, value, &set);
    if (problems->n + problems->dropped != before)
        return false;
    *out = set;
    return true;
}

json_t *role_set_to_json(const struct role_set *set)
{
    json_t *agents = json_array();
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct role_agent *agent = &set->agents[i];
        json_array_append_new(agents,
                              json_pack("{s:s, s:s, s:s*, s:s*, s:s*, s:s*, s:b}", "role",
                                        agent->role, "domain", agent->domain, "model", agent->model,
                                        "base_url", agent->base_url, "pack", agent->pack, "system",
                                        agent->system, "auditor", (int)agent->is_auditor));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:s*, s:o*}", "name", set->name, "description",
                     set->description, "kind", canonical_kind_name(set->kind), "agents", agents,
                     "example_format", set->example_format, "examples",
                     set->examples ? json_share(set->examples) : NULL);
}

const char *canonical_kind_name(enum canonical_kind kind)
{
    return kind_names[kind];
}

bool canonical_kind_parse(const char *name, enum canonical_kind *out)
{
    int kind = text_find(name, kind_names, ARRAY_LENGTH(kind_names));
    if (kind >= 0)
        *out = (enum canonical_kind)kind;
    return kind >= 0;
}
