/* The first byte is a kind, the rest a text. Canonical text is canonical, is UTF-8 and keeps its
 * bound; a candidate is judged. The same bytes, read as JSON, are an envelope or are not, and an
 * envelope that was read is read again from what is printed. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/consensus/candidate.h"
#include "domain/consensus/canonical_text.h"
#include "domain/consensus/envelope.h"
#include "tests/fuzz/fuzz.h"
#include <assert.h>
#include <string.h>

static void canonicalise(struct arena *arena, enum canonical_kind kind, const char *text)
{
    const char *once = NULL, *twice = NULL;
    if (canonical_text(arena, kind, text, &once, NULL) != ERR_NONE)
        return;
    size_t length = strlen(once);
    assert(length && length <= ENVELOPE_MAX_CANONICAL_BYTES && text_is_utf8(once, length));
    assert(canonical_text(arena, kind, once, &twice, NULL) == ERR_NONE);
    assert(strcmp(once, twice) == 0);
    assert(*candidate_fault_name(candidate_fault(kind, once, text)));
}

static void read_envelope(struct arena *arena, const char *text, size_t length)
{
    json_t *value = NULL;
    struct problems problems = { .arena = arena };
    struct envelope envelope, again;
    if (json_parse(text, length, JSON_FOREIGN, &value, NULL) != ERR_NONE)
        return;
    if (!envelope_from_json(arena, arena_keep_json(arena, value), &envelope, &problems))
        return;
    assert(envelope.n_needs <= ENVELOPE_MAX_NEEDS);
    json_t *printed = arena_keep_json(arena, envelope_to_json(&envelope, NULL));
    assert(printed && envelope_from_json(arena, printed, &again, &problems));
    assert(again.status == envelope.status && again.solved == envelope.solved &&
           again.contact == envelope.contact);
    assert(strcmp(again.canonical_text, envelope.canonical_text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    if (!size)
        return 0;
    const char *text = arena_strndup(&arena, (const char *)data + 1, size - 1);
    canonicalise(&arena, (enum canonical_kind)(data[0] % (CANONICAL_SQL + 1)), text);
    read_envelope(&arena, (const char *)data + 1, size - 1);
    return 0;
}
