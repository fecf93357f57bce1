/* A file of words (word_files.h) made fit for finding a word without reading the rest: its texts
 * one behind the other, and its entries in the order of the file, chained by how they begin. Tables
 * of the files that come with mistro are part of the binary and made when it is built
 * (cmake/make_word_tables.c), since reading these files would be most of what a request costs;
 * those of a person's own files are made when they are first wanted. An entry
 * holds offsets and no addresses: the dynamic linker would have to go through all of them at every
 * start. */
#ifndef APPLICATION_FINDING_WORD_TABLE_H
#define APPLICATION_FINDING_WORD_TABLE_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_FILE_MAX_BYTES 65536
#define WORD_TABLE_BUCKETS 512

/* One word of a line, or words with "_" between them. All but next are offsets into the texts. */
struct word_entry {
    uint32_t key;
    uint32_t part;     /* "off" of "turn..off" */
    uint32_t meanings; /* with a blank around each: " delete edit " */
    uint32_t marks;    /* those that begin with "@", in the same form */
    uint32_t next;     /* number of the next entry that begins alike, counted from 1 */
};

struct word_table {
    const char *texts; /* begins with an empty one: 0 is no text */
    const struct word_entry *entries;
    const uint32_t *first; /* WORD_TABLE_BUCKETS numbers of entries, counted from 1; 0: none */
    size_t n, texts_length;
};

/* A table by the path of its file in the tree. */
struct named_word_table {
    const char *path;
    struct word_table table;
};
extern const struct named_word_table word_tables[]; /* generated; ends with a path of NULL */

/* In the arena. False: a line has no "->", and *out_line is its number. */
bool word_table_make(struct arena *arena, const char *text, struct word_table *out,
                     size_t *out_line);

/* NULL for 0. */
static inline const char *word_table_text(const struct word_table *table, uint32_t offset)
{
    return offset ? table->texts + offset : NULL;
}

/* The first entry that may begin with the word or with its first two letters; NULL: none does. */
const struct word_entry *word_table_find(const struct word_table *table, const char *word);
/* The next one behind it; NULL behind the last. */
static inline const struct word_entry *word_table_next(const struct word_table *table,
                                                       const struct word_entry *entry)
{
    return entry->next ? table->entries + entry->next - 1 : NULL;
}

#endif
