#include "application/structured/attempt_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define NOTE_MAX_COLUMNS 300

void attempt_emit(struct journal *journal, const struct contract *contract,
                  const struct attempt *attempt, const struct verdict *verdict)
{
    json_t *data = json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:s*, s:b, s:b, s:i, s:s*, s:i, s:I, s:I, s:I}", "contract",
        contract->name, "version", contract->version, "attempt", (int)attempt->number, "rung",
        engine_rung_name(attempt->rung), "class", attempt_class_name(verdict->class), "saved_by",
        verdict_saved_by(verdict), "extracted", verdict->extracted, "repaired", verdict->repaired,
        "synonyms", (int)verdict->synonyms, "model", attempt->model, "requests",
        (int)attempt->requests, "ms", (json_int_t)attempt->duration_ms, "prompt_tokens",
        (json_int_t)attempt->prompt_tokens, "tokens", (json_int_t)attempt->completion_tokens);
    journal_emit(journal, EVENT_ATTEMPT, data);
}

void attempt_emit_discarded(struct journal *journal, const struct contract *contract,
                            unsigned number)
{
    journal_emit(journal, EVENT_ATTEMPT_DISCARDED,
                 json_pack("{s:s, s:i}", "contract", contract->name, "attempt", (int)number));
}

/* The one word a member "tool" of this schema allows. */
static const char *tool_of(const json_t *schema)
{
    const json_t *tool = json_object_get(json_object_get(schema, "properties"), "tool");
    const json_t *words = json_object_get(tool, "enum");
    if (json_array_size(words) == 1)
        return json_string_value(json_array_get(words, 0));
    return json_get_string(tool, "const");
}

/* The tool whose step the path lies in: the nearest schema at or above it that names one. */
static const char *tool_at(struct arena *arena, const json_t *schema, const char *path)
{
    char *above = arena_strdup(arena, path);
    for (;;) {
        const char *tool = tool_of(json_path_find(schema, above));
        char *slash = strrchr(above, '/');
        if (tool || !slash)
            return tool;
        *slash = '\0';
    }
}

void attempt_emit_notes(struct journal *journal, struct arena *arena,
                        const struct contract *contract, const struct model_reply *reply)
{
    for (size_t i = 0; i < reply->n_notes && i < ATTEMPT_MAX_NOTES; i++) {
        const struct model_schema_note *note = &reply->notes[i];
        const char *said = note->message ? note->message : "";
        journal_emit(journal, EVENT_SCHEMA_QUARANTINED,
                     json_pack("{s:s, s:s, s:s*, s:s}", "contract", contract->name, "path",
                               note->path, "tool", tool_at(arena, contract->schema, note->path),
                               "message",
                               text_one_line(arena, said, strlen(said), NOTE_MAX_COLUMNS)));
    }
}
