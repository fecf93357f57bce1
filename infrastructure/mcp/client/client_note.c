/* What one client notes of its session with a server that a keeper lends, so that the next one goes
 * on with it: what the server said of itself in the handshake, and how far the ids are used. A note
 * that cannot be used means a handshake, as with a server that was just started. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"
#include <string.h>

static const struct {
    const char *name;
    size_t offset; /* of a bool in struct session */
} flags[] = {
#define FLAG(name)                                                                                 \
    {                                                                                              \
#name, offsetof(struct session, name)                                                      \
    }
    FLAG(has_tools),         FLAG(has_logging),         FLAG(has_resources),
    FLAG(has_prompts),       FLAG(has_completions),     FLAG(announces_tools),
    FLAG(announces_prompts), FLAG(announces_resources), FLAG(announces_updates),
    FLAG(runs_tasks),        FLAG(cancels_tasks),       FLAG(makes_tasks),
#undef FLAG
};

json_t *client_note(const struct client *client)
{
    const struct session *session = &client->session;
    json_t *note = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:b, s:I}", "era", (int)session->era, "version",
        session->version, "server_name", session->server_name, "server_version",
        session->server_version, "instructions", session->instructions, "has_asked_for_logs",
        client->has_asked_for_logs, "last_id", (json_int_t)connection_last_id(client->connection));
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++)
        json_object_set_new(note, flags[i].name,
                            json_boolean(*(const bool *)((const char *)session + flags[i].offset)));
    return note;
}

static const char *text_of(struct session *session, const json_t *note, const char *name)
{
    const char *text = json_get_string(note, name);
    return arena_strdup(&session->arena, text ? text : "");
}

bool client_read_note(struct client *client, const json_t *note)
{
    int64_t era = json_get_int(note, "era", ERA_AUTO);
    if (era != ERA_MODERN && era != ERA_LEGACY)
        return false;
    struct session session = { .era = (enum server_era)era };
    session.version = text_of(&session, note, "version");
    session.server_name = text_of(&session, note, "server_name");
    session.server_version = text_of(&session, note, "server_version");
    session.instructions = text_of(&session, note, "instructions");
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++)
        *(bool *)((char *)&session + flags[i].offset) = json_get_bool(note, flags[i].name, false);
    session_finish(&client->session);
    client->session = session;
    client->verdict = session.era;
    client->is_stale = true;
    client->has_asked_for_logs = json_get_bool(note, "has_asked_for_logs", false);
    connection_begin_behind(client->connection, json_get_int(note, "last_id", 0));
    connection_set_modern(client->connection, session.era == ERA_MODERN);
    return true;
}
