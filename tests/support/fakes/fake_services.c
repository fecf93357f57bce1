#include "tests/support/fakes/fake_services.h"
#include "domain/base/json.h"
#include "domain/base/text_words.h"
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_services *fake_of(struct services *services)
{
    return (struct fake_services *)services;
}

static enum err_code servers(struct services *services, struct scope *scope,
                             struct tool_server ***out, size_t *out_n, struct err *err)
{
    (void)scope;
    (void)err;
    *out = fake_of(services)->server_ports;
    *out_n = fake_of(services)->n_servers;
    return ERR_NONE;
}

static enum err_code model(struct services *services, struct scope *scope, struct model **out,
                           enum model_choice *out_choice, struct err *err)
{
    (void)scope;
    struct fake_services *fake = fake_of(services);
    if (fake->model_fails)
        return err_set(err, fake->model_fails, 0, "no model answers");
    *out_choice = fake->choice;
    *out = fake->choice == MODEL_CHOICE_LEXICAL ? NULL : fake->model_port;
    return ERR_NONE;
}

static enum err_code model_of(struct services *services, struct scope *scope, const char *name,
                              const char *base_url, struct model **out, struct err *err)
{
    struct fake_services *fake = fake_of(services);
    enum model_choice choice;
    fake->other_name = name;
    fake->other_url = base_url;
    enum err_code r = model(services, scope, out, &choice, err);
    if (!r && fake->other_port)
        *out = fake->other_port;
    return r;
}

static enum err_code conversations(struct services *services, struct conversation_repository **out,
                                   struct err *err)
{
    (void)err;
    *out = fake_of(services)->conversations_port;
    return ERR_NONE;
}

static enum err_code runs(struct services *services, struct run_repository **out, struct err *err)
{
    (void)err;
    *out = fake_of(services)->settings.runs_enabled ? fake_of(services)->runs_port : NULL;
    return ERR_NONE;
}

static enum err_code approvals(struct services *services, struct approval_repository **out,
                               struct err *err)
{
    (void)err;
    *out = &fake_of(services)->approvals.base;
    return ERR_NONE;
}

static enum err_code tool_index(struct services *services, struct tool_index **out, struct err *err)
{
    (void)err;
    *out = &fake_of(services)->index.base;
    return ERR_NONE;
}

static enum err_code new_index(struct services *services, struct tool_index **out, struct err *err)
{
    if (fake_of(services)->new_index_fails)
        return err_set(err, fake_of(services)->new_index_fails, 0, "no index, said the test");
    *out = fake_index_create();
    return ERR_NONE;
}

static enum err_code renderer(struct services *services, struct renderer **out, struct err *err)
{
    (void)err;
    *out = fake_of(services)->renderer_port;
    return ERR_NONE;
}

static enum err_code pins(struct services *services, struct pin_repository **out, struct err *err)
{
    (void)err;
    *out = fake_of(services)->pins_port;
    return ERR_NONE;
}

static enum err_code queue(struct services *services, struct run_queue **out, struct err *err)
{
    *out = fake_of(services)->queue_port;
    return *out ? ERR_NONE : err_set(err, ERR_INVALID, 0, "there is no queue, said the test");
}

static bool user_is_present(struct user *user)
{
    return ((struct fake_user *)user)->present;
}

static enum err_code ask_user(struct user *user, struct scope *scope, const struct form *form,
                              struct arena *arena, json_t **out_answers, struct err *err)
{
    struct fake_user *fake = (struct fake_user *)user;
    (void)scope;
    snprintf(fake->form_title, sizeof fake->form_title, "%s", form->title ? form->title : "");
    if (fake->form_fails)
        return err_set(err, fake->form_fails, 0, "the fake person fails the form");
    if (fake->form_answers) {
        *out_answers = arena_keep_json(arena, json_share(fake->form_answers));
        return ERR_NONE;
    }
    return err_set(err, ERR_DENIED, 0, "the fake person declines");
}

/* The codes in their order, then the last of them for ever. */
static enum err_code confirm(struct user *user, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    struct fake_user *fake = (struct fake_user *)user;
    size_t at = fake->n_confirmed < FAKE_USER_WORDS ? fake->n_confirmed : FAKE_USER_WORDS - 1;
    struct fake_confirmation *seen = &fake->confirmed[at];
    (void)scope;
    snprintf(seen->title, sizeof seen->title, "%s", confirmation->title ? confirmation->title : "");
    snprintf(seen->message, sizeof seen->message, "%s",
             confirmation->message ? confirmation->message : "");
    snprintf(seen->url, sizeof seen->url, "%s", confirmation->url ? confirmation->url : "");
    snprintf(seen->question, sizeof seen->question, "%s", confirmation->question);
    seen->warnings[0] = '\0';
    for (size_t i = 0; i < confirmation->n_warnings; i++) {
        size_t length = strlen(seen->warnings);
        snprintf(seen->warnings + length, sizeof seen->warnings - length, "%s\n",
                 confirmation->warnings[i]);
    }
    fake->n_confirmed++;
    enum err_code r = fake->words[at];
    return r ? err_set(err, r, 0, "the fake person does not say yes") : ERR_NONE;
}

static enum err_code approve(struct user *user, struct scope *scope,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    struct fake_user *fake = (struct fake_user *)user;
    (void)scope;
    (void)err;
    fake->n_asked++;
    snprintf(fake->always, sizeof fake->always, "%s", request->always ? request->always : "");
    *out = fake->answer;
    return ERR_NONE;
}

static enum err_code read_asset(const char *root, const char *path, struct arena *arena,
                                const char **out, struct err *err)
{
    const char *name = arena_printf(arena, "%s/%s", root, path);
    FILE *file = fopen(name, "rb");
    if (!file)
        return err_set(err, ERR_NOT_FOUND, 0, "no asset %s", path);
    char *text = arena_alloc(arena, 65536);
    size_t length = fread(text, 1, 65535, file);
    fclose(file);
    text[length] = '\0';
    *out = text;
    return ERR_NONE;
}

static enum err_code get_asset(struct assets *assets, const char *path, struct arena *arena,
                               const char **out_text, const char **out_origin, struct err *err)
{
    struct fake_assets *fake = (struct fake_assets *)assets;
    *out_origin = ASSETS_BUILT_IN;
    if (fake->override_path && strcmp(fake->override_path, path) == 0) {
        *out_text = fake->override_text;
        *out_origin = "/home/ann/.config/mistro/prompt.txt";
        return ERR_NONE;
    }
    return read_asset(fake->root, path, arena, out_text, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files of the source tree. */
static enum err_code list_assets(struct assets *assets, const char *folder, struct arena *arena,
                                 const char ***out_names, size_t *out_n, struct err *err)
{
    const struct fake_assets *fake = (const struct fake_assets *)assets;
    DIR *entries = opendir(arena_printf(arena, "%s/%s", fake->root, folder));
    const struct dirent *entry;
    const char **names = arena_array(arena, const char *, ASSETS_MAX_NAMES);
    size_t n = 0;
    (void)err;
    while (entries && n < ASSETS_MAX_NAMES && (entry = readdir(entries)))
        if (entry->d_type == DT_REG && entry->d_name[0] != '.')
            names[n++] = arena_strdup(arena, entry->d_name);
    if (entries)
        closedir(entries);
    qsort(names, n, sizeof *names, by_name);
    *out_names = names;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code build(struct tool_index *index, const struct tool *const *tools, size_t n,
                           struct err *err)
{
    struct fake_index *fake = (struct fake_index *)index;
    if (fake->build_fails)
        return err_set(err, fake->build_fails, 0, "the fake index was told to fail");
    fake->tools = tools;
    fake->n_tools = n;
    return ERR_NONE;
}

static bool has(const struct tool *tool, const char *word)
{
    if (!*word)
        return false;
    return strcasestr(tool->name, word) ||
           (tool->description && strcasestr(tool->description, word));
}

static int by_score(const void *a, const void *b)
{
    const struct tool_hit *left = a, *right = b;
    return (left->score < right->score) - (left->score > right->score);
}

static enum err_code search(struct tool_index *index, const struct tool_search *search,
                            struct arena *arena, struct tool_hit **out, size_t *out_n,
                            struct err *err)
{
    (void)err;
    struct fake_index *fake = (struct fake_index *)index;
    struct tool_hit *hits = arena_array(arena, struct tool_hit, fake->n_tools + 1);
    size_t n = 0;
    for (size_t t = 0; t < fake->n_tools; t++) {
        struct tool_hit hit = { .tool = t };
        hit.matches = arena_array(arena, struct tool_match, search->n_words + 1);
        for (size_t w = 0; w < search->n_words; w++) {
            const struct tool_senses *senses = search->senses ? &search->senses[w] : NULL;
            const char *as = has(fake->tools[t], search->words[w]) ? search->words[w] : NULL;
            for (size_t s = 0; senses && !as && s < senses->n; s++)
                as = has(fake->tools[t], senses->words[s]) ? senses->words[s] : NULL;
            if (as)
                hit.matches[hit.n_matches++] =
                    (struct tool_match){ .word = w, .as = as, .score = 1 };
        }
        hit.score = (double)hit.n_matches;
        if (hit.n_matches)
            hits[n++] = hit;
    }
    qsort(hits, n, sizeof *hits, by_score);
    *out = hits;
    *out_n = n < search->max ? n : search->max;
    return ERR_NONE;
}

/* Lower case, without a final s. */
static const char *stem(struct tool_index *index, const char *language, const char *word,
                        struct arena *arena)
{
    (void)index;
    (void)language;
    size_t length = strlen(word);
    char *stem = text_unaccented(arena, word, length);
    if (length > 3 && stem[length - 1] == 's')
        stem[length - 1] = '\0';
    return stem;
}

static void nothing_to_destroy(struct tool_index *index)
{
    (void)index;
}

static void free_index(struct tool_index *index)
{
    free(index);
}

struct tool_index *fake_index_create(void)
{
    static const struct tool_index_ops ops = { build, search, stem, free_index };
    struct fake_index *index = calloc(1, sizeof *index);
    assert(index);
    index->base.ops = &ops;
    return &index->base;
}

static void fresh(struct ids *ids, char out_id[static ID_SIZE])
{
    snprintf(out_id, ID_SIZE, "id%06u", ++((struct fake_ids *)ids)->n);
}

/* FNV-1a, repeated until the text is as long as a SHA-256. */
static void digest(struct digest *unused, const void *bytes, size_t length,
                   char out_hex[static DIGEST_HEX_SIZE])
{
    (void)unused;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    for (int i = 0; i < 4; i++)
        snprintf(out_hex + 16 * i, 17, "%016llx", (unsigned long long)(hash + (uint64_t)i));
}

static void init_ports(struct fake_services *fake, const char *root)
{
    static const struct user_ops user_ops = { user_is_present, ask_user, confirm, approve };
    static const struct assets_ops assets_ops = { .get = get_asset, .list = list_assets };
    static const struct tool_index_ops index_ops = { build, search, stem, nothing_to_destroy };
    static const struct ids_ops ids_ops = { .fresh = fresh };
    static const struct digest_ops digest_ops = { digest };
    static struct digest fake_digest = { &digest_ops };
    fake->user.base.ops = &user_ops;
    fake->assets = (struct fake_assets){ .base = { .ops = &assets_ops }, .root = root };
    fake->index.base.ops = &index_ops;
    fake->ids.base.ops = &ids_ops;
    fake->base.user = &fake->user.base;
    fake->base.assets = &fake->assets.base;
    fake->base.ids = &fake->ids.base;
    fake->base.digest = &fake_digest;
}

void fake_services_init(struct fake_services *fake, struct runtime *runtime, const char *root)
{
    static const struct services_ops ops = { .servers = servers,
                                             .model = model,
                                             .conversations = conversations,
                                             .runs = runs,
                                             .approvals = approvals,
                                             .index = tool_index,
                                             .pins = pins,
                                             .model_of = model_of,
                                             .new_index = new_index,
                                             .renderer = renderer,
                                             .queue = queue };
    *fake = (struct fake_services){ .base = { .ops = &ops, .runtime = runtime } };
    settings_init(&fake->settings);
    fake->base.settings = &fake->settings;
    fake_model_init(&fake->model, runtime);
    fake->model_port = &fake->model.base;
    fake_conversation_repository_init(&fake->conversations);
    fake->conversations_port = &fake->conversations.base;
    fake_run_repository_init(&fake->runs);
    fake->runs_port = &fake->runs.base;
    fake_approval_repository_init(&fake->approvals);
    fake_pin_repository_init(&fake->pins);
    fake_artifacts_init(&fake->artifacts);
    fake->base.artifacts = &fake->artifacts.base;
    fake->pins_port = &fake->pins.base;
    init_ports(fake, root);
}

void fake_services_finish(struct fake_services *fake)
{
    for (size_t i = 0; i < fake->n_servers; i++)
        fake_tool_server_finish(&fake->servers[i]);
    assets_finish(&fake->assets.base);
    fake_model_finish(&fake->model);
    fake_conversation_repository_finish(&fake->conversations);
    fake_run_repository_finish(&fake->runs);
    fake_approval_repository_finish(&fake->approvals);
    fake_pin_repository_finish(&fake->pins);
    fake_artifacts_finish(&fake->artifacts);
}

struct fake_tool_server *fake_services_add_server(struct fake_services *fake, const char *name,
                                                  const char *definitions)
{
    assert(fake->n_servers < FAKE_SERVICES_SERVERS);
    struct fake_tool_server *server = &fake->servers[fake->n_servers];
    fake_tool_server_init(server, fake->base.runtime, name, definitions);
    fake->server_ports[fake->n_servers++] = &server->base;
    return server;
}

size_t fake_services_count(const struct fake_services *fake, enum event_kind kind)
{
    size_t n = 0;
    while (fake_run_repository_event(&fake->runs, kind, n))
        n++;
    return n;
}
