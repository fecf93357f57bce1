/* A ranking of tools by words: names, titles, descriptions, parameters and the server's name.
 * Words are compared by their stems, in any case and without accents. In memory and quick (a
 * thousand tools are indexed in milliseconds), so nothing here waits. */
#ifndef APPLICATION_PORTS_TOOL_INDEX_H
#define APPLICATION_PORTS_TOOL_INDEX_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/tool/tool.h"

#define TOOL_INDEX_MAX_WORDS 256        /* of one search; further words are not looked for */
#define TOOL_INDEX_MAX_SENSES 32        /* of one word */
#define TOOL_INDEX_MAX_FIELD_WORDS 4096 /* of one text of a tool; further ones are not indexed */
#define TOOL_INDEX_ENGLISH "en"         /* the language of most tools */

struct tool_index;

/* The words that tools use for a word of a request; they weigh less than the word itself. */
struct tool_senses {
    const char *const *words;
    size_t n;
};

struct tool_search {
    const char *const *words; /* the first TOOL_INDEX_MAX_WORDS are looked for */
    size_t n_words;
    size_t max;                       /* hits, at most */
    const struct tool_senses *senses; /* one for each word, or NULL */
    const char *language;             /* of the words, "de"; NULL: English */
};

/* What a word of the search says for a tool. */
struct tool_match {
    size_t word;    /* index into the words searched for */
    const char *as; /* the word itself, or the sense of it that the tool has */
    double score;
};

struct tool_hit {
    size_t tool;                /* index into the array the index was built from */
    double score;               /* larger is better; comparable within one search only */
    struct tool_match *matches; /* their scores add up to the hit's */
    size_t n_matches;
};

struct tool_index_ops {
    /* All mandatory. */
    enum err_code (*build)(struct tool_index *x, const struct tool *const *tools, size_t n,
                           struct err *err);
    enum err_code (*search)(struct tool_index *x, const struct tool_search *search,
                            struct arena *arena, struct tool_hit **out, size_t *out_n,
                            struct err *err);
    const char *(*stem)(struct tool_index *x, const char *language, const char *word,
                        struct arena *arena);
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
/* Tools that hold any of the words, best first; tools of equal score in their order. Everything is
 * in the arena. */
MUST_CHECK
static inline enum err_code tool_index_search(struct tool_index *x,
                                              const struct tool_search *search, struct arena *arena,
                                              struct tool_hit **out, size_t *out_n, struct err *err)
{
    return x->ops->search(x, search, arena, out, out_n, err);
}
/* What two words have in common that are forms of one ("mails", "mailed"): in lower case, without
 * accents and endings. language: "de"; of an unknown one, or NULL, the word keeps its ending. In
 * the arena. */
static inline const char *tool_index_stem(struct tool_index *x, const char *language,
                                          const char *word, struct arena *arena)
{
    return x->ops->stem(x, language, word, arena);
}
static inline void tool_index_destroy(struct tool_index *x)
{
    if (x)
        x->ops->destroy(x);
}

#endif
