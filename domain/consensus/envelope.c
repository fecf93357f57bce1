#include "domain/consensus/envelope.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define TAG_CONTACT "[CONTACT]"
#define TAG_SOLVED "[SOLVED]"
#define STATUS_NAME_MAX 32

static const char *const status_names[] = {
#define X(status, name) [ENVELOPE_##status] = name,
    ENVELOPE_STATUSES(X)
#undef X
};
static const char *const artifact_names[] = {
#define X(type, name) [ENVELOPE_ARTIFACT_##type] = name,
    ENVELOPE_ARTIFACTS(X)
#undef X
};
/* In the order in which they are looked at. */
static const char *const candidate_members[] = { "canonical_text", "candidate", "answer", "text",
                                                 "final" };

const char *envelope_status_name(enum envelope_status status)
{
    return status_names[status];
}

const char *envelope_artifact_name(enum envelope_artifact type)
{
    return artifact_names[type];
}

/* One reading: where strings and problems go. */
struct reading {
    struct arena *arena;
    struct problems *problems;
};

static void refuse(struct reading *r, const char *path, const char *message, const char *fix)
{
    problems_add(r->problems, NULL, path, "%s", message)->fix = fix;
}

/* The member as text; "" where it is missing or null. */
static const char *read_text(struct reading *r, const json_t *object, const char *key,
                             const char *path)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return "";
    if (json_is_string(value) && !json_string_has_nul(value))
        return arena_strdup(r->arena, json_string_value(value));
    refuse(r, path, "must be text", "write a string");
    return "";
}

/* Words for people may be cut; an answer never is. */
static const char *cut_message(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    if (length <= ENVELOPE_MAX_MESSAGE_BYTES)
        return text;
    size_t kept = text_cut(text, length, ENVELOPE_MAX_MESSAGE_BYTES - strlen("…"));
    return arena_printf(arena, "%.*s…", (int)kept, text);
}

/* In `tags` and `tag` the brackets are often left out. */
static bool is_tag(const char *text, const char *tag)
{
    size_t length = strlen(tag) - 2;
    return strcasestr(text, tag) ||
           (strlen(text) == length && strncasecmp(text, tag + 1, length) == 0);
}

static void read_tag(struct reading *r, const json_t *value, const char *path,
                     struct envelope *envelope)
{
    if (!json_is_string(value)) {
        refuse(r, path, "must be text", "write \"" TAG_CONTACT "\" or \"" TAG_SOLVED "\"");
        return;
    }
    envelope->contact = envelope->contact || is_tag(json_string_value(value), TAG_CONTACT);
    envelope->solved = envelope->solved || is_tag(json_string_value(value), TAG_SOLVED);
}

static void read_tags(struct reading *r, const json_t *value, struct envelope *envelope)
{
    const json_t *tags = json_object_get(value, "tags"), *tag = json_object_get(value, "tag");
    envelope->contact = strcasestr(envelope->public_message, TAG_CONTACT);
    envelope->solved = strcasestr(envelope->public_message, TAG_SOLVED);
    if (tag && !json_is_null(tag))
        read_tag(r, tag, "/tag", envelope);
    for (size_t i = 0; i < json_array_size(tags); i++)
        read_tag(r, json_array_get(tags, i), json_path_element(r->arena, "/tags", i), envelope);
    if (tags && !json_is_array(tags) && !json_is_null(tags))
        read_tag(r, tags, "/tags", envelope);
}

/* Thinking is not kept, wherever a model puts it: the peer would take it for a statement. */
static const json_t *without_thinking(struct reading *r, const json_t *value)
{
    static const char *const names[] = { "reasoning",        "thoughts", "thought",   "thinking",
                                         "chain_of_thought", "cot",      "scratchpad" };
    json_t *kept = NULL;
    for (size_t i = 0; json_is_object(value) && i < ARRAY_LENGTH(names); i++) {
        if (!json_object_get(value, names[i]))
            continue;
        if (!kept)
            kept = json_copy((json_t *)(uintptr_t)value);
        json_object_del(kept, names[i]);
    }
    return kept ? arena_keep_json(r->arena, kept) : value;
}

static const json_t *wrap_content(struct reading *r, const json_t *content)
{
    if (!content || json_is_null(content))
        return arena_keep_json(r->arena, json_object());
    if (json_is_string(content))
        return arena_keep_json(r->arena, json_pack("{s:o}", "text", json_share(content)));
    refuse(r, "/artifact/content", "must be an object", "write { … }, which may be empty");
    return NULL;
}

static void read_artifact(struct reading *r, const json_t *value, struct envelope *envelope)
{
    const json_t *artifact = json_object_get(value, "artifact");
    const json_t *content = json_object_get(artifact, "content");
    envelope->artifact = ENVELOPE_ARTIFACT_RESULTS;
    if (artifact && !json_is_object(artifact) && !json_is_null(artifact))
        refuse(r, "/artifact", "must be an object", "write {\"type\":…, \"content\":{…}}");
    const char *type = read_text(r, artifact, "type", "/artifact/type");
    int known = text_find(type, artifact_names, ARRAY_LENGTH(artifact_names));
    if (known >= 0)
        envelope->artifact = (enum envelope_artifact)known;
    else if (*type)
        refuse(r, "/artifact/type", "there is no artifact of that type",
               "one of component_spec, code_patch, outline, fact_pack, source_pack, plan, "
               "dataset, results");
    envelope->content =
        json_is_object(content) ? without_thinking(r, content) : wrap_content(r, content);
}

static void read_need(struct reading *r, const json_t *value, const char *path,
                      struct envelope *envelope)
{
    if (!json_is_string(value) || json_string_has_nul(value)) {
        refuse(r, path, "must be text", "write what the peer is asked for");
        return;
    }
    const char *need = arena_strdup(r->arena, json_string_value(value));
    if (!*need)
        return;
    if (envelope->n_needs == ENVELOPE_MAX_NEEDS)
        refuse(r, path, "more than 3 asks", "ask for the 3 most important things");
    else
        envelope->needs[envelope->n_needs++] = cut_message(r->arena, need);
}

static void read_needs(struct reading *r, const json_t *value, struct envelope *envelope)
{
    const json_t *needs = json_object_get(value, "needs_from_peer");
    if (needs && !json_is_array(needs) && !json_is_null(needs))
        read_need(r, needs, "/needs_from_peer", envelope);
    for (size_t i = 0; i < json_array_size(needs) && i <= ENVELOPE_MAX_NEEDS; i++)
        read_need(r, json_array_get(needs, i), json_path_element(r->arena, "/needs_from_peer", i),
                  envelope);
}

/* "ready to solve" and "need-peer" are spellings, not other words. */
static void read_status(struct reading *r, const json_t *value, struct envelope *envelope)
{
    const json_t *status = json_object_get(value, "status");
    const char *said = json_is_string(status) ? json_string_value(status) : "";
    char upper[STATUS_NAME_MAX];
    size_t n = 0;
    for (; said[n] && n + 1 < sizeof upper; n++)
        upper[n] = said[n] == ' ' || said[n] == '-' ? '_' : (char)toupper((unsigned char)said[n]);
    upper[n] = '\0';
    int known = text_find(upper, status_names, ARRAY_LENGTH(status_names));
    if (known >= 0)
        envelope->status = (enum envelope_status)known;
    else
        refuse(r, "/status", status ? "there is no such status" : "is missing",
               "one of WORKING, NEED_PEER, PROPOSED, READY_TO_SOLVE, SOLVED");
}

/* A number, an object: meant as the text that says it. */
static const char *canonical_of(struct reading *r, const json_t *text)
{
    static const char path[] = "/final_solution/canonical_text";
    if (!text || json_is_null(text))
        return "";
    const char *said = "";
    if (!json_is_string(text))
        said = json_print_in(r->arena, text);
    else if (!json_string_has_nul(text))
        said = arena_strdup(r->arena, json_string_value(text));
    else
        refuse(r, path, "holds U+0000", "leave it out");
    if (strlen(said) <= ENVELOPE_MAX_CANONICAL_BYTES)
        return said;
    refuse(r, path, "longer than 65536 bytes", "give a shorter text");
    return "";
}

static void read_solution(struct reading *r, const json_t *value, struct envelope *envelope)
{
    const json_t *solution = json_object_get(value, "final_solution");
    if (solution && !json_is_object(solution) && !json_is_null(solution))
        refuse(r, "/final_solution", "must be an object", "write {\"canonical_text\":…}");
    envelope->canonical_text = canonical_of(r, json_object_get(solution, "canonical_text"));
    const char *sha256 = json_get_string(solution, "sha256");
    envelope->sha256 = sha256 ? arena_strdup(r->arena, sha256) : "";
}

static void read_meta(struct reading *r, const json_t *value, struct envelope *envelope)
{
    envelope->request = without_thinking(r, json_object_get(value, "request"));
    envelope->meta = without_thinking(r, json_object_get(value, "meta"));
    const char *reason = read_text(r, envelope->meta, "change_reason", "/meta/change_reason");
    reason += strspn(reason, " \t\r\n");
    /* A reason of blanks does not count as one. */
    envelope->change_reason =
        reason[strspn(reason, " \t\r\n")] ? cut_message(r->arena, reason) : "";
    envelope->promoted = json_get_bool(envelope->meta, "promoted", false);
}

bool envelope_from_json(struct arena *arena, const json_t *value, struct envelope *out,
                        struct problems *problems)
{
    struct reading r = { arena, problems };
    struct envelope envelope = { 0 };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        refuse(&r, "", "must be one JSON object", "answer with the envelope and nothing else");
        return false;
    }
    envelope.role = cut_message(arena, read_text(&r, value, "role", "/role"));
    envelope.domain = cut_message(arena, read_text(&r, value, "domain", "/domain"));
    envelope.task_understanding =
        cut_message(arena, read_text(&r, value, "task_understanding", "/task_understanding"));
    envelope.public_message = read_text(&r, value, "public_message", "/public_message");
    envelope.handoff_to = cut_message(arena, read_text(&r, value, "handoff_to", "/handoff_to"));
    read_tags(&r, value, &envelope);
    envelope.public_message = cut_message(arena, envelope.public_message);
    read_artifact(&r, value, &envelope);
    read_needs(&r, value, &envelope);
    read_status(&r, value, &envelope);
    read_solution(&r, value, &envelope);
    read_meta(&r, value, &envelope);
    if (problems->n + problems->dropped != before)
        return false;
    *out = envelope;
    return true;
}

static json_t *tags_of(const struct envelope *envelope)
{
    json_t *tags = json_array();
    if (envelope->contact)
        json_array_append_new(tags, json_string(TAG_CONTACT));
    if (envelope->solved)
        json_array_append_new(tags, json_string(TAG_SOLVED));
    return tags;
}

/* The member as it came, with what the controller knows better; NULL when there is nothing. */
static json_t *meta_of(const struct envelope *envelope)
{
    if (!envelope->meta && !*envelope->change_reason && !envelope->promoted)
        return NULL;
    json_t *meta = json_is_object(envelope->meta) ? json_copy((json_t *)(uintptr_t)envelope->meta)
                                                  : json_object();
    if (*envelope->change_reason)
        json_object_set_new(meta, "change_reason", json_string(envelope->change_reason));
    json_object_del(meta, "promoted");
    if (envelope->promoted)
        json_object_set_new(meta, "promoted", json_true());
    return meta;
}

json_t *envelope_to_json(const struct envelope *envelope, const char *sha256)
{
    json_t *needs = json_from_texts(envelope->needs, envelope->n_needs);
    json_t *content = envelope->content ? json_share(envelope->content) : json_object();
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:{s:s, s:o}, s:o, s:s, s:s, s:{s:s, s:s*}, s:o, s:o*, s:o*}", "role",
        envelope->role, "domain", envelope->domain, "task_understanding",
        envelope->task_understanding, "public_message", envelope->public_message, "artifact",
        "type", envelope_artifact_name(envelope->artifact), "content", content, "needs_from_peer",
        needs, "handoff_to", envelope->handoff_to, "status", envelope_status_name(envelope->status),
        "final_solution", "canonical_text", envelope->canonical_text, "sha256", sha256, "tags",
        tags_of(envelope), "request", envelope->request ? json_share(envelope->request) : NULL,
        "meta", meta_of(envelope));
}

bool envelope_is_candidate_member(const char *key)
{
    return text_is_one_of(key, candidate_members, ARRAY_LENGTH(candidate_members));
}

static const char *only_string(const json_t *content)
{
    const char *key, *only = NULL;
    const json_t *member;
    json_each_member (content, key, member) {
        if (!json_is_string(member))
            continue;
        if (only)
            return NULL;
        only = json_string_value(member);
    }
    return only;
}

const char *envelope_candidate(const struct envelope *envelope)
{
    if (*envelope->canonical_text)
        return envelope->canonical_text;
    if (envelope->status != ENVELOPE_PROPOSED && envelope->status != ENVELOPE_READY_TO_SOLVE)
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(candidate_members); i++) {
        const char *text = json_get_string(envelope->content, candidate_members[i]);
        if (text && *text)
            return text;
    }
    const char *only = only_string(envelope->content);
    return only && *only ? only : NULL;
}
