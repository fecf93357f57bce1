#include "presentation/cli/output/offering_output.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>

const char *offering_summary(struct arena *arena, const struct offering *offering)
{
    const char *title = strcmp(offering->title, offering->key) == 0 ? "" : offering->title;
    const char *between = *title && *offering->description ? ": " : "";
    const char *text = arena_printf(arena, "%s%s%s", title, between, offering->description);
    return text_one_line(arena, text, strlen(text), LISTED_SUMMARY_COLUMNS);
}

json_t *offerings_to_json(const struct offering_listing *listing, enum offering_kind kind)
{
    json_t *entries = json_array();
    for (size_t i = 0; i < listing->n; i++) {
        const struct listed_offering *l = &listing->list[i];
        if (l->offering.kind == kind)
            json_array_append_new(entries,
                                  json_pack("{s:s, s:o}", "server", l->server, "definition",
                                            json_share(l->offering.definition)));
    }
    return entries;
}

json_t *offering_failures_to_json(const struct offering_listing *listing)
{
    json_t *failures = json_array();
    for (size_t i = 0; i < listing->n_failures; i++) {
        const struct listed_failure *failure = &listing->failures[i];
        json_array_append_new(failures, output_failure_json(failure->server, &failure->err));
    }
    return failures;
}

void offering_warnings(struct cli *cli, const struct offering_listing *listing, const char *what)
{
    if (listing->n == 0)
        output_note(cli, "no server offers %s", what);
    for (size_t i = 0; i < listing->n_failures; i++)
        output_warning(cli, listing->failures[i].err.message);
}
