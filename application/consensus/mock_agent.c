#include "application/consensus/agent.h"

struct mock_agent {
    struct consensus_agent base;
    const struct role_agent *role, *peer;
    const char *answer; /* NULL: it echoes */
};

/* The members that every envelope of a mock has. */
static struct envelope envelope_of(const struct mock_agent *mock, struct arena *arena)
{
    return (struct envelope){ .role = mock->role->role,
                              .domain = mock->role->domain,
                              .task_understanding = "a mock answers by rule",
                              .public_message = "",
                              .artifact = ENVELOPE_ARTIFACT_RESULTS,
                              .content = arena_keep_json(arena, json_object()),
                              .handoff_to = mock->peer->role,
                              .canonical_text = "",
                              .sha256 = "",
                              .change_reason = "" };
}

static void solve(struct envelope *envelope, const char *text)
{
    envelope->status = ENVELOPE_SOLVED;
    envelope->solved = true;
    envelope->public_message = "[SOLVED]";
    envelope->canonical_text = text;
}

static enum err_code say_answer(struct consensus_agent *a, struct scope *sc, struct arena *arena,
                                const struct controller_turn *turn, struct envelope *out,
                                struct agent_usage *usage, struct err *err)
{
    const struct mock_agent *mock = (const struct mock_agent *)a;
    (void)sc;
    (void)turn;
    (void)usage;
    (void)err;
    *out = envelope_of(mock, arena);
    solve(out, mock->answer);
    return ERR_NONE;
}

static enum err_code echo_peer(struct consensus_agent *a, struct scope *sc, struct arena *arena,
                               const struct controller_turn *turn, struct envelope *out,
                               struct agent_usage *usage, struct err *err)
{
    const struct mock_agent *mock = (const struct mock_agent *)a;
    (void)sc;
    (void)usage;
    (void)err;
    *out = envelope_of(mock, arena);
    out->status = ENVELOPE_WORKING;
    out->public_message = "waiting for an answer to adopt";
    if (!turn->peers || !turn->peers->exists)
        return ERR_NONE;
    solve(out, turn->peers->text);
    out->change_reason = "adopting the answer of the peer";
    return ERR_NONE;
}

static struct mock_agent *create(struct arena *arena, const struct role_set *roles, unsigned index,
                                 const char *kind, const struct consensus_agent_ops *ops)
{
    struct mock_agent *mock = arena_new(arena, struct mock_agent);
    mock->base = (struct consensus_agent){ .ops = ops, .kind = kind };
    mock->role = &roles->agents[index];
    mock->peer = &roles->agents[1 - index];
    return mock;
}

struct consensus_agent *mock_rule_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index, const char *answer)
{
    static const struct consensus_agent_ops ops = { say_answer };
    struct mock_agent *mock = create(arena, roles, index, "mock_rule", &ops);
    mock->answer = answer;
    return &mock->base;
}

struct consensus_agent *mock_echo_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index)
{
    static const struct consensus_agent_ops ops = { echo_peer };
    return &create(arena, roles, index, "mock_echo", &ops)->base;
}
