/* A plan file, from its text to the arguments of its calls: what is read has the shape that the
 * headers promise and fits the published schema, is read again from what is written of it, and may
 * be checked and bound to results of any shape. Any YAML is read again as it is printed. */
#include "domain/base/json.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/plan_tool.h"
#include "domain/plan/step_conditions.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/config/config.h"
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum { TOOLS_MAX = 32, DEPTH_MAX = 64, FILE_MAX_BYTES = 65536, STEPS_MAX = 100 };

static struct {
    bool is_open;
    const struct tool *tools[TOOLS_MAX];
    size_t n_tools;
    struct json_schema *schema;
} world;

#define must(holds) ((holds) ? (void)0 : fail(#holds))

noreturn static void fail(const char *text)
{
    (void)fprintf(stderr, "it does not hold that %s\n", text);
    abort();
}

static const json_t *read_file(struct arena *arena, const char *path)
{
    struct document document = { 0 };
    char *text = arena_alloc(arena, FILE_MAX_BYTES);
    FILE *file = fopen(path, "rbe");
    must(file);
    size_t length = fread(text, 1, FILE_MAX_BYTES, file);
    fclose(file);
    must(!documents_parse(yaml_documents(), text, length, arena, &document, NULL));
    return document.value;
}

/* The tools of the corpus of plans, and the schema of plans; for as long as the process lives. */
static void open_world(void)
{
    static struct arena arena;
    static struct tool_catalogue *catalogue;
    if (world.is_open)
        return;
    const json_t *tools =
        json_object_get(read_file(&arena, SOURCE_DIR "/tests/data/plans/tools.yml"), "tools");
    const json_t *schema = read_file(&arena, SOURCE_DIR "/data/schemas/plan.json");
    catalogue = tool_catalogue_create("shop");
    for (size_t i = 0; i < json_array_size(tools); i++)
        must(!tool_catalogue_add(catalogue, json_array_get(tools, i), NULL));
    for (world.n_tools = 0; world.n_tools < catalogue->n_tools; world.n_tools++)
        world.tools[world.n_tools] = &catalogue->tools[world.n_tools];
    must(world.n_tools <= TOOLS_MAX);
    must(!json_schema_compile(schema, NULL, 0, &world.schema, NULL));
    world.is_open = true;
}

static void has_its_shape(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        must(step->end > i && step->end <= plan->n_steps && step->body_of <= i && step->unit <= i);
        must(!step->body_of || step->end <= plan->steps[step->body_of - 1].end);
        must(!step->unit || step->end <= plan->steps[step->unit - 1].end);
        must(step->kind == STEP_BLOCK || step->kind == STEP_USE || step->end == i + 1);
        int found = plan_find_step_of(plan, step->unit, step->id);
        must(found >= 0 && (size_t)found <= i);
        size_t guarded = plan_guarded_end(plan, i);
        must(guarded > i && guarded <= plan->n_steps);
    }
}

/* One of a few values, another one for each step. */
static struct step_result *sample(struct arena *arena, size_t i)
{
    static const char *const samples[] = {
        "{\"total\":2,\"items\":[{\"id\":7,\"tags\":[\"x\"]},{\"id\":9}],\"text\":1}",
        "{\"items\":[[1,2],[],null,{\"a\":[]}],\"errors\":[],\"count\":4}",
        "[1,\"two\",null,{\"id\":1}]",
        "{\"id\":1,\"name\":\"n\",\"items\":{\"a\":{\"b\":1}}}",
        "\"text\"",
        "12",
    };
    const char *text = samples[i % ARRAY_LENGTH(samples)];
    struct step_result *result = arena_new(arena, struct step_result);
    json_t *value = NULL;
    must(!json_parse(text, strlen(text), JSON_OURS, &value, NULL));
    step_result_from_text(arena, "some text", value, i % 7 == 6, result);
    return result;
}

/* The frames around the list of a body, innermost last; NULL: it is deeper than is tried. */
static struct frame *frame_of(struct arena *arena, const struct plan *plan, size_t body_of,
                              const struct step_result *const *results, size_t depth)
{
    struct frame *frame = arena_new(arena, struct frame);
    *frame = (struct frame){ .plan = plan, .body_of = body_of, .first = body_of };
    frame->results = results + body_of;
    if (!body_of) {
        frame->vars = plan->vars;
        return frame;
    }
    const struct step *owner = &plan->steps[body_of - 1];
    if (depth == DEPTH_MAX ||
        !(frame->outer = frame_of(arena, plan, owner->body_of, results, depth + 1)))
        return NULL;
    frame->vars = owner->kind == STEP_USE && owner->use ? owner->use->vars : NULL;
    frame->item = step_result_data(arena, results[body_of - 1]);
    frame->index = arena_keep_json(arena, json_integer((json_int_t)body_of));
    return frame;
}

/* Whatever came of it: an error says why. */
static void ends(enum err_code code, const struct err *err)
{
    must(code == ERR_NONE || *err->message);
}

static void bind(struct arena *arena, const struct plan *plan, size_t at, const struct frame *frame,
                 const json_t *value)
{
    const json_t *bound = NULL;
    const struct reference_place place = reference_place_of(plan, at);
    struct err err;
    if (value && !references_bind_value(arena, &place, frame, value, &bound, &err))
        must(bound);
    (void)references_lack_result(arena, &place, frame, value, at % 2);
}

static void goes_through(struct arena *arena, const struct plan *plan, bool is_checked)
{
    const struct step_result **results =
        arena_array(arena, const struct step_result *, plan->n_steps + 1);
    bool *needs = arena_array(arena, bool, plan->n_steps + 1), holds;
    const json_t *outputs;
    struct err err;
    for (size_t i = 0; i < plan->n_steps; i++)
        results[i] = sample(arena, i);
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        struct frame *frame = frame_of(arena, plan, step->body_of, results, 0);
        if (!frame)
            continue;
        plan_step_needs(arena, plan, i, needs);
        must(!is_checked || !needs[i]);
        ends(step_condition_holds(arena, frame, i, &holds, &err), &err);
        ends(step_checks_hold(arena, frame, i, &err), &err);
        if (step->loop && !step->loop->each)
            ends(step_repeat_is_over(arena, frame, i, &holds, NULL, &err), &err);
        else if (step->loop)
            bind(arena, plan, i, frame, step->loop->each);
        bind(arena, plan, i, frame, step->args);
        bind(arena, plan, i, frame, step->show);
        frame->verified = step_result_data(arena, results[i]);
        if (step->verify)
            ends(step_verify_is_done(arena, frame, i, &holds, &err), &err);
        const struct frame *inner = frame_of(arena, plan, i + 1, results, 0);
        if (inner && step->outputs && step->end > i + 1 &&
            !plan_outputs(arena, inner, step->outputs, i + 1, &outputs, &err))
            must(json_is_object(outputs));
    }
    const struct frame *top = frame_of(arena, plan, 0, results, 0);
    if (plan->outputs && !plan_outputs(arena, top, plan->outputs, 0, &outputs, &err))
        must(json_is_object(outputs));
}

static void is_read_again(struct arena *arena, const struct plan *plan)
{
    struct problems problems = { .arena = arena };
    struct plan *again = NULL;
    const json_t *written = arena_keep_json(arena, plan_to_json(plan));
    must(plan_from_json(arena, written, &again, &problems));
    must(again->n_steps == plan->n_steps && again->version == plan->version);
    for (size_t i = 0; i < plan->n_steps; i++)
        must(strcmp(again->steps[i].id, plan->steps[i].id) == 0 &&
             plan_step_at(plan, plan->steps[i].id) == plan_find_step(plan, plan->steps[i].id));
}

static void is_printed_and_read(struct arena *arena, const json_t *value)
{
    struct document again = { 0 };
    const char *text = NULL;
    struct err err;
    if (documents_print_yaml(yaml_documents(), value, arena, &text, &err))
        return;
    must(!documents_parse(yaml_documents(), text, strlen(text), arena, &again, &err));
    must(json_equal(again.value, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena }, unknown = { .arena = &arena };
    struct document document = { 0 };
    struct err err;
    bool is_read = false, is_checked = false;
    int line, column;
    open_world();
    if (documents_parse_all(yaml_documents(), (const char *)data, size, &arena, &problems,
                            &document, &err))
        return 0;
    is_printed_and_read(&arena, document.value);
    struct plan *plan = plan_read(&arena, document.value, &problems, &is_read);
    if (plan) {
        const struct plan_check_input input = { .tools = world.tools,
                                                .n_tools = world.n_tools,
                                                .vars = plan->vars,
                                                .max_steps = STEPS_MAX,
                                                .unknown = &unknown };
        has_its_shape(plan);
        is_checked = plan_check(&arena, plan, &input, &problems);
        /* A plan that stands in `used` and is not used is not read. */
        must(!is_read || json_object_get(document.value, "used") ||
             json_schema_accepts(world.schema, document.value, NULL));
    }
    for (size_t i = 0; i < problems.n; i++)
        if (problems.list[i].at)
            (void)documents_value_place(yaml_documents(), &document, problems.list[i].at, &line,
                                        &column);
    if (is_read && plan->n_steps <= STEPS_MAX) {
        is_read_again(&arena, plan);
        goes_through(&arena, plan, is_checked);
    }
    return 0;
}
