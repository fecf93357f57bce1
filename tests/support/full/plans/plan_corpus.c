#include "tests/support/full/plans/plan_corpus.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config.h"
#include "infrastructure/mock/mock_server.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/files.h"
#include "presentation/cli/plan_files.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS SOURCE_DIR "/tests/data/plans"
#define PLANS CORPUS "/valid"

struct reading {
    struct services services;
    struct scope scope;
    struct cli cli;
};

static enum err_code read_file(const struct reading *reading, const char *path, const char **out,
                               struct err *err)
{
    const struct file_reader reader = { NULL, reading->cli.scope, reading->cli.arena,
                                        PLAN_FILES_MAX_BYTES };
    size_t length = 0;
    return files_read(&reader, path, out, &length, err);
}

static enum err_code read_tools(struct plan_corpus *corpus, const struct reading *reading,
                                struct err *err)
{
    const char *text = NULL;
    struct document document = { 0 };
    enum err_code r = read_file(reading, CORPUS "/tools.yml", &text, err);
    if (!r)
        r = documents_parse(reading->services.documents, text, strlen(text), &corpus->arena,
                            &document, err);
    corpus->fixture = document.value;
    return r;
}

static enum err_code read_plan(struct reading *reading, const char *file, struct corpus_plan *out,
                               struct err *err)
{
    struct arena *arena = reading->cli.arena;
    struct problems faults = { .arena = arena };
    const char *text = NULL;
    const char *path = arena_printf(arena, PLANS "/%s", file);
    size_t length = (size_t)(strrchr(file, '.') - file);
    *out = (struct corpus_plan){ .name = file };
    enum err_code r = plan_linked_read(&reading->cli, path, &out->linked, &faults, err);
    if (!r && faults.n)
        r = err_set(err, ERR_BAD_PLAN, 0, "%s: %s", file, problem_print(&faults, faults.list));
    if (!r)
        r = read_file(reading, arena_printf(arena, PLANS "/%.*s.out", (int)length, file), &text,
                      err);
    if (!r)
        out->expected = arena_strndup(arena, text, strlen(text) - text_ends_with(text, "\n"));
    return r;
}

enum err_code plan_corpus_init(struct plan_corpus *corpus, struct err *err)
{
    static const char *const endings[] = { ".json", ".yml" };
    struct reading reading = { .services.documents = yaml_documents(),
                               .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    const char **names = NULL;
    reading.cli = (struct cli){ .services = &reading.services,
                                .scope = &reading.scope,
                                .arena = &corpus->arena };
    *corpus = (struct plan_corpus){ 0 };
    enum err_code r = read_tools(corpus, &reading, err);
    if (!r)
        r = files_list(&corpus->arena, PLANS, endings, ARRAY_LENGTH(endings), &names, &corpus->n,
                       err);
    corpus->plans = arena_array(&corpus->arena, struct corpus_plan, corpus->n + 1);
    for (size_t i = 0; !r && i < corpus->n; i++)
        r = read_plan(&reading, names[i], &corpus->plans[i], err);
    return r;
}

void plan_corpus_finish(struct plan_corpus *corpus)
{
    arena_finish(&corpus->arena);
}

struct tool_server *plan_corpus_server(const struct plan_corpus *corpus, struct runtime *runtime,
                                       const char *name)
{
    struct tool_server *server = NULL;
    json_t *fixture = json_share(corpus->fixture);
    if (mock_server_create(runtime, name, fixture, &server, NULL))
        abort();
    json_decref(fixture);
    return server;
}

bool plan_corpus_only_reads(struct tool_server *server, const char *tool)
{
    struct tool_catalogue *catalogue = NULL;
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    if (tool_server_list(server, &scope, &catalogue, NULL))
        abort();
    const struct tool *found = tool_catalogue_find(catalogue, tool);
    bool only_reads = found && found->read_only == HINT_YES;
    tool_catalogue_unref(catalogue);
    return only_reads;
}

/* A step without an id is called by its number. */
static bool is_called(const json_t *step, size_t at, const char *path, struct arena *arena)
{
    const char *id = json_get_string(step, "id");
    if (!id)
        id = arena_printf(arena, "s%zu", at + 1);
    return text_starts_with(path, id) && strchr("[.", path[strlen(id)]);
}

const json_t *corpus_plan_step(const struct corpus_plan *plan, const char *path)
{
    static const char *const lists[] = { "steps", "finally" };
    AUTO(arena) scratch = { 0 };
    for (size_t k = 0; k < ARRAY_LENGTH(lists); k++) {
        const json_t *steps = json_object_get(plan->linked.value, lists[k]);
        for (size_t i = 0; i < json_array_size(steps); i++)
            if (is_called(json_array_get(steps, i), i, path, &scratch))
                return json_array_get(steps, i);
    }
    return NULL;
}
