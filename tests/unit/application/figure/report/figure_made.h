/* A figure of two rounds, the second of which the critic approved, for what is made of it. */
#ifndef TESTS_UNIT_APPLICATION_FIGURE_REPORT_FIGURE_MADE_H
#define TESTS_UNIT_APPLICATION_FIGURE_REPORT_FIGURE_MADE_H

#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define MAX_ROUNDS 3

struct figure_made {
    struct arena arena;
    struct figure_result result;
    struct figure_round rounds[MAX_ROUNDS];
    struct picture pictures[MAX_ROUNDS];
    struct figure_stage_record stages[3];
    struct figure_style style;
    const json_t *request;
    const struct figure_folder *before; /* NULL: the folder is a new one */
};

static const struct figure_finding lost = { "entity_lost",    true, false, "\"ACK\" was lost",
                                            "write it again", 1 };
static const struct figure_finding crowded = { "label_long",   false,        true,
                                               "a long label", "shorten it", 1 };

static inline const json_t *parsed(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

static inline struct figure_round round_of(struct figure_made *made, unsigned at, bool approved)
{
    return (struct figure_round){
        .round = at,
        .description_t = at ? "A, B and ACK" : "A and B",
        .artifact = { FIGURE_ARTIFACT_IMAGE_PATH,
                      at ? "runs/x/round_1.png" : "runs/x/round_0.png" },
        .drawn =
            parsed(&made->arena, "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},"
                                 "{\"id\":\"b\",\"label\":\"B\"}],\"edges\":[{\"from\":\"a\","
                                 "\"to\":\"b\",\"label\":\"ACK\"}]}"),
        .critique = { approved ? "No changes needed." : "Name the ACK.", "A, B and ACK", approved,
                      approved, true, true },
        .findings = approved ? NULL : &lost,
        .n_findings = approved ? 0 : 1,
        .rendered = true,
    };
}

static inline int setup(void **state)
{
    static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    struct figure_made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->rounds[0] = round_of(made, 0, false);
    made->rounds[1] = round_of(made, 1, true);
    for (size_t i = 0; i < 2; i++)
        made->pictures[i] = (struct picture){ .bytes = { svg, "\x89PNG", NULL },
                                              .lengths = { sizeof svg - 1, 4, 0 },
                                              .renderer = "dot 2" };
    made->stages[0] = (struct figure_stage_record){
        .stage = STAGE_RETRIEVER,
        .output = parsed(&made->arena, "{\"top_refs\":[\"r1\"],\"selection_rationale\":\"close\","
                                       "\"retrieval_confidence\":\"low\"}"),
        .by_rules = true,
        .note = "a small pool",
    };
    made->stages[1] = (struct figure_stage_record){
        .stage = STAGE_PLANNER,
        .output = parsed(&made->arena, "{\"initial_description\":\"A and B\"}"),
        .model = "mistral",
        .duration_ms = 12,
    };
    made->style = (struct figure_style){ .name = "plain",
                                         .font = "DejaVu Sans",
                                         .font_size = 11,
                                         .edge_font_size = 9,
                                         .wrap = 20,
                                         .dpi = 96,
                                         .node_gap = 0.3,
                                         .rank_gap = 0.5,
                                         .line_width = 1 };
    for (size_t i = 0; i < ARRAY_LENGTH(made->style.roles); i++)
        made->style.roles[i].shape = "box";
    made->result = (struct figure_result){
        .end = FIGURE_END_APPROVED,
        .input = { .source_context = "A sends ACK to B.",
                   .communicative_intent = "show it",
                   .caption = "An <b>acknowledgement</b>" },
        .log = { .max_rounds = 3,
                 .terminated_early = true,
                 .termination_reason = "approved",
                 .rounds = made->rounds,
                 .n_rounds = 2 },
        .stages = made->stages,
        .n_stages = 2,
        .best = 1,
        .pictures = made->pictures,
        .unresolved = "",
        .retrieval_confidence = "low",
        .duration_ms = 40,
        .model_calls = 4,
    };
    made->request = parsed(&made->arena, "{\"caption\":\"An acknowledgement\"}");
    *state = made;
    return 0;
}

static inline int teardown(void **state)
{
    struct figure_made *made = *state;
    arena_finish(&made->arena);
    free(made);
    return 0;
}

static inline const struct figure_file *find_file(struct figure_made *made, const char *name)
{
    size_t n = 0;
    const struct figure_file *files =
        figure_files(&made->arena, &made->result, &made->style, made->request, made->before, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

static inline const json_t *read_file(struct figure_made *made, const char *name)
{
    const struct figure_file *file = find_file(made, name);
    assert_non_null(file);
    return parsed(&made->arena, file->bytes);
}

#endif
