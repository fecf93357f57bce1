/* JSON text: whatever parses prints to text that parses to an equal value and prints the same. */
#include "domain/base/json.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static void round_trip(const char *text, size_t length, enum json_source source)
{
    json_t *value, *again;
    const char *member;
    size_t member_length;
    if (json_parse(text, length, source, &value, NULL))
        return;
    auto_str printed = json_print(value);
    if (json_parse(printed, strlen(printed), source, &again, NULL))
        abort();
    auto_str reprinted = json_print(again);
    if (strcmp(printed, reprinted) != 0)
        abort();
    bool found = json_member_text(printed, strlen(printed), "a", &member, &member_length);
    if (found && (member < printed || member + member_length > printed + strlen(printed)))
        abort();
    json_decref(again);
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *member;
    size_t length;
    round_trip(text, size, JSON_OURS);
    round_trip(text, size, JSON_FOREIGN);
    if (json_member_text(text, size, "a", &member, &length) &&
        (member < text || member + length > text + size))
        abort();
    return 0;
}
