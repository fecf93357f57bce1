/* Full-text search over tools: names, descriptions and parameter names and descriptions. In
 * memory and quick (a rebuild is milliseconds), so nothing here waits. */
#ifndef APPLICATION_PORTS_TOOL_INDEX_H
#define APPLICATION_PORTS_TOOL_INDEX_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/tool/tool.h"

#define TOOL_INDEX_MAX_WORDS 256 /* of one search; further words are not looked for */

struct tool_index;

struct tool_hit {
    size_t tool;  /* index into the array the index was built from */
    double score; /* larger is better; comparable within one search only */
};

struct tool_search {
    const char *const *words; /* the first TOOL_INDEX_MAX_WORDS are looked for */
    size_t n_words;
    size_t max; /* hits, at most */
};

struct tool_index_ops {
    /* All mandatory. */
    enum err_code (*build)(struct tool_index *x, const struct tool *const *tools, size_t n,
                           struct err *err);
    enum err_code (*search)(struct tool_index *x, const struct tool_search *search,
                            struct arena *arena, struct tool_hit **out, size_t *out_n,
                            struct err *err);
    enum err_code (*frequency)(struct tool_index *x, const char *word, size_t *out_tools,
                               struct err *err);
    void (*destroy)(struct tool_index *x);
};

struct tool_index {
    const struct tool_index_ops *ops;
};

/* Replaces the content. The tools are not kept. */
MUST_CHECK
static inline enum err_code tool_index_build(struct tool_index *x, const struct tool *const *tools,
                                             size_t n, struct err *err)
{
    return x->ops->build(x, tools, n, err);
}
/* Tools that hold any of the words (stemmed, any case), best first. The hits are in the arena. */
MUST_CHECK
static inline enum err_code tool_index_search(struct tool_index *x,
                                              const struct tool_search *search, struct arena *arena,
                                              struct tool_hit **out, size_t *out_n, struct err *err)
{
    return x->ops->search(x, search, arena, out, out_n, err);
}
/* In how many tools the word (stemmed) occurs. */
MUST_CHECK
static inline enum err_code tool_index_frequency(struct tool_index *x, const char *word,
                                                 size_t *out_tools, struct err *err)
{
    return x->ops->frequency(x, word, out_tools, err);
}
static inline void tool_index_destroy(struct tool_index *x)
{
    if (x)
        x->ops->destroy(x);
}

#endif
