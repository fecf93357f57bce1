/* Whatever settings of another client hold, reading its servers ends, each is usable or says why
 * not, and what takes the place of their secrets is JSON again. */
#include "domain/base/json.h"
#include "infrastructure/config/clients/client_servers.h"
#include "infrastructure/config/clients/foreign_text.h"
#include "infrastructure/config/clients/secret_text.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static const char *hidden(void *context, const char *name, const char *secret)
{
    (void)context, (void)name;
    if (!*secret)
        abort();
    return "…";
}

static void check(struct arena *arena, const struct client_server *server)
{
    const char **names = NULL;
    if (!server->definition != !!server->why_not || !server->left_out)
        abort();
    json_auto_t *shown = secrets_replaced(arena, server->definition, true, hidden, NULL);
    if (!json_print_in(arena, shown))
        abort();
    (void)client_server_variables(arena, server->definition, true, &names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    struct text_flaw flaw;
    const char *text = arena_strndup(&arena, (const char *)data, size);
    json_t *value = jsonc_read(text, size, &flaw);
    arena_keep_json(&arena, value ? value : (value = toml_read(text, size, &flaw)));
    for (const struct client_place *place = client_places; value && place->client; place++) {
        struct client_servers servers;
        client_servers_read(&arena, place, value, "/folder", &servers);
        for (size_t i = 0; i < servers.n; i++)
            check(&arena, &servers.list[i]);
    }
    return 0;
}
