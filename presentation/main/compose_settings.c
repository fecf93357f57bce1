#include "domain/base/text.h"
#include "infrastructure/config/config.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/process_places.h"
#include "presentation/cli/output.h"
#include "presentation/main/composition.h"
#include <string.h>

#define HASH_PREFIX "sha256:"

static enum err_code apply_flag(struct composition *c, enum setting_id id, const char *value,
                                const char *flag, struct err *err)
{
    if (!value)
        return ERR_NONE;
    enum err_code r = settings_set_text(&c->settings, &c->arena, id, value, ORIGIN_FLAG, flag, err);
    return r ? err_prefix(err, r, "%s", flag) : ERR_NONE;
}

/* A command that goes on until the person leaves: its runs have the bound of the settings, each for
 * itself, and only --timeout ends the command. */
static bool has_many_runs(const struct command *command)
{
    return strcmp(command->name, "serve") == 0 || strcmp(command->name, "chat") == 0 ||
           strcmp(command->name, "studio") == 0;
}

static enum err_code apply_timeout(struct composition *c, struct err *err)
{
    const char *text = c->arguments->timeout;
    int64_t seconds = has_many_runs(c->command) ? 0 : c->settings.limits_run_seconds;
    if (text && (!text_to_int64(text, &seconds) || seconds < 1 || seconds > INT32_MAX))
        return err_set(err, ERR_INVALID, 0, "--timeout %.40s: not a number of seconds", text);
    if (seconds)
        c->scope.deadline_ms = runtime_now_ms(c->services.runtime) + seconds * 1000;
    return ERR_NONE;
}

static enum err_code apply_flags(struct composition *c, struct err *err)
{
    const struct arguments *args = c->arguments;
    enum err_code r = apply_flag(c, SETTING_model_name, args->model, "--model", err);
    if (!r)
        r = apply_flag(c, SETTING_max_plan_steps, args->max_steps, "--max-steps", err);
    return r ? r : apply_timeout(c, err);
}

static size_t split_servers(struct composition *c, const char ***out)
{
    const char *at = c->arguments->servers;
    const char **names = NULL;
    size_t n = 0, capacity = 0;
    while (at && *at) {
        size_t length = strcspn(at, ",");
        if (length)
            *arena_push(&c->arena, names, n, capacity) = arena_strndup(&c->arena, at, length);
        at += length + (at[length] == ',');
    }
    *out = names;
    return n;
}

static bool does_with_servers(const struct arguments *arguments, const char *what)
{
    return text_equal(arguments->command, "servers") && arguments->n_operands &&
           strcmp(arguments->operands[0], what) == 0;
}

static enum err_code load(struct composition *c, struct err *err)
{
    const char **only = NULL;
    struct config_request request = { .settings_file = c->arguments->config,
                                      .mcp_file = c->arguments->mcp_config,
                                      .base_url = c->arguments->base_url,
                                      .no_builtin = c->arguments->no_builtin,
                                      .approved_items = c->approved_items,
                                      .n_approved_items = c->n_approved_items,
                                      .no_servers = does_with_servers(c->arguments, "find") ||
                                                    does_with_servers(c->arguments, "import") ||
                                                    strcmp(c->command->name, "setup") == 0,
                                      .n_only_servers = split_servers(c, &only) };
    request.only_servers = only;
    enum err_code r = config_load(&request, c->services.documents, c->services.project_approved,
                                  &c->arena, &c->settings, &c->paths, err);
    return r ? r : apply_flags(c, err);
}

static const char *hash_of_risk(struct composition *c)
{
    char hex[DIGEST_HEX_SIZE];
    digest_sha256(c->services.digest, c->paths.project_risk, strlen(c->paths.project_risk), hex);
    return arena_printf(&c->arena, HASH_PREFIX "%s", hex);
}

struct approval composition_project_approval(const struct composition *c)
{
    return (struct approval){ .kind = APPROVAL_OF_PROJECT,
                              .subject = c->paths.project_file ? c->paths.project_file : "folder",
                              .hash = c->project_hash + strlen(HASH_PREFIX) };
}

/* Without a home folder nothing can have been approved before. */
static enum err_code find_review(struct composition *c, struct err *err)
{
    struct approval approval = composition_project_approval(c);
    struct approval_repository *approvals = NULL;
    if (!c->paths.approvals)
        return ERR_NONE;
    enum err_code r = services_approvals(&c->services, &approvals, err);
    return r ? r
             : approval_repository_has(approvals, &c->scope, &approval, &c->project_reviewed, err);
}

const char *composition_item_file(struct composition *c, const struct config_item *item)
{
    char hex[DIGEST_HEX_SIZE];
    const char *subject = arena_printf(&c->arena, "%s#%s", item->file ? item->file : "folder",
                                       item->name ? item->name : "");
    digest_sha256(c->services.digest, subject, strlen(subject), hex);
    return c->paths.approvals ? arena_printf(&c->arena, "%s.d/%s", c->paths.approvals, hex) : NULL;
}

struct approval composition_item_approval(struct composition *c, const struct config_item *item)
{
    char *hex = arena_alloc(&c->arena, DIGEST_HEX_SIZE);
    digest_sha256(c->services.digest, item->text, strlen(item->text), hex);
    return (struct approval){ .kind = APPROVAL_OF_SERVER,
                              .subject = arena_printf(&c->arena, "%s#%s", item->file, item->name),
                              .hash = hex };
}

/* Servers that a person approved one by one, or that an edit of their file left as they were. */
static enum err_code find_approved_items(struct composition *c, struct err *err)
{
    struct approval_repository *approvals = NULL;
    size_t capacity = 0;
    enum err_code r =
        c->paths.approvals ? services_approvals(&c->services, &approvals, err) : ERR_NONE;
    for (size_t i = 0; !r && approvals && i < c->paths.n_project_items; i++) {
        const struct config_item *item = &c->paths.project_items[i];
        struct approval approval = composition_item_approval(c, item);
        bool is_approved = false;
        if (item->name)
            r = approval_repository_has(approvals, &c->scope, &approval, &is_approved, err);
        if (is_approved)
            *arena_push(&c->arena, c->approved_items, c->n_approved_items, capacity) = item->text;
    }
    return r || !c->n_approved_items ? r : load(c, err);
}

static bool has_waiting_items(const struct composition *c)
{
    bool waits = c->paths.project_risk_is_cut;
    for (size_t i = 0; i < c->paths.n_project_items; i++)
        waits = waits || !c->paths.project_items[i].counts;
    return waits;
}

static enum err_code check_given_hash(const struct composition *c, struct err *err)
{
    const char *given = c->arguments->approve_folder;
    enum err_code r = ERR_NONE;
    if (!given || text_equal(given, c->project_hash))
        return ERR_NONE;
    if (!c->project_hash) {
        r = err_set(err, ERR_INVALID, 0,
                    "--approve-folder: this folder brings nothing that needs approval");
        return err_hint(err, r, "leave it out, or change to the folder that was meant");
    }
    r = err_set(err, ERR_INVALID, 0, "--approve-folder: the hash of what this folder brings is %s",
                c->project_hash);
    return err_hint(err, r, "read what it brings with: mistro servers review; then give this hash");
}

static void warn_of_risk(struct composition *c)
{
    const char *what = "this folder's configuration starts programs, or changes where requests go "
                       "or what they say; that part is ignored until it is approved: for good "
                       "with mistro servers review, for one run with --approve-folder";
    output_warning(&c->cli, arena_printf(&c->arena, "%s %s", what, c->project_hash));
}

/* The files are read once more for what was approved, and may have been exchanged meanwhile. */
static enum err_code load_approved(struct composition *c, struct err *err)
{
    enum err_code r = load(c, err);
    if (r || (c->paths.project_brings_risk && text_equal(hash_of_risk(c), c->project_hash)))
        return r;
    r = err_set(err, ERR_DENIED, 0, "this folder's configuration changed while it was read");
    return err_hint(err, r, "see what it brings with: mistro servers review");
}

/* What a folder brings is approved by a review or by its hash, never by --yes: that is about calls
 * that the policy asks about. */
static enum err_code trust_project(struct composition *c, struct err *err)
{
    if (c->paths.project_brings_risk)
        c->project_hash = hash_of_risk(c);
    enum err_code r = check_given_hash(c, err);
    if (r || !c->project_hash)
        return r;
    r = find_review(c, err);
    if (r)
        return r;
    c->project_reviewed = c->project_reviewed && !c->paths.project_risk_is_cut;
    c->services.project_approved =
        c->project_reviewed || (c->arguments->approve_folder && !c->paths.project_risk_is_cut);
    if (c->services.project_approved)
        return load_approved(c, err);
    r = find_approved_items(c, err);
    c->project_reviewed = !r && !has_waiting_items(c);
    if (!c->project_reviewed &&
        (strcmp(c->command->name, "servers") != 0 || !c->arguments->n_operands))
        warn_of_risk(c);
    return r;
}

/* Of a server that is being added they are what it is added with. */
static bool adds_server(const struct arguments *arguments)
{
    return does_with_servers(arguments, "add");
}

/* Where the database cannot be named, whoever asks for the log or a conversation hears why. */
void composition_open_state(struct composition *c)
{
    struct composition *process = c->process;
    struct postgres_database *db;
    c->services.run_states = NULL;
    enum err_code r = composition_database(c, &db, NULL);
    if (!process->services.places)
        process->services.places = db ? postgres_places_create(c->runtime, db)
                                      : process_places_create(process->services.runtime);
    if (r)
        return;
    if (db && !process->known_process)
        process->known_process =
            postgres_process_create(c->runtime, db, c->settings.worker_lease_seconds);
    c->services.run_states =
        db ? postgres_run_states_create(c->runtime, process->known_process, c->person)
           : sqlite_run_states_create(c->runtime,
                                      arena_printf(&c->arena, "%s/runs", c->paths.state_dir),
                                      c->services.assets);
}

enum err_code composition_configure(struct composition *c, struct err *err)
{
    settings_init(&c->settings); /* an error before the files are read finds the defaults */
    c->services.settings = &c->settings;
    enum err_code r = output_check(c->arguments, err);
    if (!r)
        r = load(c, err);
    if (!r)
        r = trust_project(c, err);
    if (!r && !adds_server(c->arguments))
        r = server_headers_add(&c->arena, &c->settings, c->arguments->headers.values,
                               c->arguments->headers.n, err);
    if (!r)
        c->services.assets = config_assets_create(c->services.project_approved);
    if (!r)
        composition_open_state(c);
    return r ? r : composition_open_cassette(c, err);
}
