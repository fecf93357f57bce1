/* What the official conformance suite starts for each of its scenarios (./dev ci, run.sh): mistro's
 * MCP client against the URL of a mock server, `conformance_client URL`. It does not know which
 * scenario it is in: it finds out what the server speaks as it always does, does what the server's
 * own lists offer (exercise.h), and identifies itself with what the scenario hands out. Ends with 0
 * when the server was served to the end, else with 1 and the reason on stderr; and with 1 in any
 * case after twenty seconds, since the suite ends nobody. */
#include "domain/base/cleanup.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/runtime/system_ports.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/conformance/exercise.h"
#include "tests/support/full/uv_subject.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_SECONDS 20
#define GRACE_SECONDS 2 /* before the deadline, so that the session is ended as well */
/* The suite knows this document without fetching it. */
#define CLIENT_METADATA_URL "https://conformance-test.local/client-metadata.json"
#define MACHINE_SCENARIOS "auth/client-credentials-"

static void give_up(int signal)
{
    static const char words[] = "conformance_client: out of time\n";
    (void)signal;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(1);
}

/* Nothing of one scenario may be known in the next, and nothing of the person who runs this. */
static void live_in(const char *folder)
{
    static const char *const homes[] = { "HOME",           "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                         "XDG_STATE_HOME", "XDG_CACHE_HOME",  "XDG_RUNTIME_DIR" };
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        setenv(homes[i], folder, 1);
}

/* A new reference, or NULL. */
static json_t *read_context(void)
{
    const char *text = getenv("MCP_CONFORMANCE_CONTEXT");
    json_t *context = NULL;
    struct err err;
    if (text && json_parse(text, strlen(text), JSON_OURS, &context, &err)) {
        fprintf(stderr, "conformance_client: the context: %s\n", err.message);
        exit(1);
    }
    return context;
}

/* Whom the scenario says we are. That no person is there to log in is known by its name only. */
static struct server_oauth identity(const json_t *context)
{
    const char *scenario = json_get_string(context, "name");
    return (struct server_oauth){
        .client_id = json_get_string(context, "client_id"),
        .client_secret = json_get_string(context, "client_secret"),
        .client_metadata_url = CLIENT_METADATA_URL,
        .is_machine =
            scenario && strncmp(scenario, MACHINE_SCENARIOS, strlen(MACHINE_SCENARIOS)) == 0,
        .private_key = json_get_string(context, "private_key_pem"),
        .algorithm = json_get_string(context, "signing_algorithm"),
    };
}

static enum err_code exercise_and_close(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct exercise *exercise = argument;
    struct scope closing = runtime_scope(runtime, NULL, GRACE_SECONDS * 1000);
    struct err err;
    exercise->runtime = runtime;
    enum err_code r = exercise_run(exercise, scope, &err);
    if (r)
        fprintf(stderr, "conformance_client: %s: %s\n", err_name(r), err.message);
    tool_server_close(exercise->server, &closing);
    return r;
}

static enum err_code serve(const char *url, const json_t *context, const char *folder)
{
    struct settings settings;
    settings_init(&settings);
    struct server_config config = {
        .name = "suite", .url = url, .enabled = true, .file = "", .oauth = identity(context)
    };
    struct uv_runtime *runtime = uv_runtime_create();
    struct mcp_context shared = { .runtime = runtime,
                                  .settings = &settings,
                                  .http = http_client_create(runtime),
                                  .logins = token_store_create(runtime, TOKEN_STORE_FILE, folder),
                                  .digest = system_digest(),
                                  .has_person = true,
                                  .has_model = true,
                                  .has_consent = true };
    struct exercise exercise = { .server = mcp_client_create(&shared, &config),
                                 .http = shared.http,
                                 .context = context };
    int64_t now_ms = runtime_now_ms(uv_runtime_port(runtime));
    struct scope scope = scope_child(NULL, now_ms + (DEADLINE_SECONDS - GRACE_SECONDS) * 1000);
    enum err_code r = uv_runtime_run(runtime, &scope, exercise_and_close, &exercise);
    tool_server_destroy(exercise.server);
    arena_finish(&exercise.arena);
    token_store_destroy(shared.logins);
    http_client_destroy(shared.http);
    uv_runtime_destroy(runtime);
    return r;
}

int main(int n_arguments, char **arguments)
{
    char folder[64];
    if (n_arguments != 2) {
        fputs("usage: conformance_client URL\n", stderr);
        return 2;
    }
    signal(SIGALRM, give_up);
    alarm(DEADLINE_SECONDS);
    temporary_folder_create(folder);
    live_in(folder);
    json_auto_t *context = read_context();
    enum err_code r = serve(arguments[1], context, folder);
    temporary_folder_remove(folder);
    printf("%s\n", r ? err_name(r) : "done");
    return r ? 1 : 0;
}
