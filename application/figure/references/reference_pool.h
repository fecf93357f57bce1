/* The pool of references: figures that read well, one file each in data/references, to which a
 * settings folder can add its own. The Planner is shown the nearest of them.
 *
 * A file that cannot be used becomes a warning with its name and the reason, and the others count.
 * The nearest are found by the full-text index of the tools, in an index of their own, and come in
 * this order: of the same type and topic, of the same type, and only then of another type. Nothing
 * here waits or asks a model. */
#ifndef APPLICATION_FIGURE_REFERENCES_REFERENCE_POOL_H
#define APPLICATION_FIGURE_REFERENCES_REFERENCE_POOL_H

#include "application/ports/assets.h"
#include "application/ports/tool_index.h"
#include "domain/figure/figure_stage.h"

#define REFERENCE_FOLDER "data/references"
#define REFERENCE_MAX_FILE_BYTES 262144
#define REFERENCE_MAX_SUMMARY_BYTES 1000
#define REFERENCE_MAX_WORD_BYTES 100 /* of domain and diagram_type */
#define REFERENCE_MAX_WARNINGS 20    /* further ones are only counted */

struct reference_pool {
    struct figure_reference *entries; /* in the order of their ids; at most FIGURE_MAX_POOL */
    size_t n;
    const char **warnings; /* one line each, with the file */
    size_t n_warnings;
    size_t n_passed_over; /* files that do not count, with or without a warning */
};

struct reference_hit {
    size_t reference; /* index into the pool */
    double score;     /* 0 … 2: topic 0 … 1, and 1 for the type; larger is better */
};

/* The whole pool, in the arena. Fails only when the folder cannot be listed. */
MUST_CHECK
enum err_code reference_pool_load(struct assets *assets, struct arena *arena,
                                  struct reference_pool *out, struct err *err);
/* The nearest of input's pool, best first, at most max; at least one where the pool has any. The
 * content of the index is replaced. */
MUST_CHECK
enum err_code reference_pool_search(struct tool_index *index, struct arena *arena,
                                    const struct figure_input *input, size_t max,
                                    struct reference_hit **out, size_t *out_n, struct err *err);
/* The type of diagram that caption and intent ask for, in the words of data/references: by name
 * ("as a state machine"), else by what they speak of ("handshake"); NULL when neither tells. */
const char *reference_type_of(const struct figure_input *input);

#endif
