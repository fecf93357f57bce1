#include "application/finding/word_table.h"
#include "domain/base/buf.h"
#include "domain/base/text_words.h"
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Of the first two letters. A first word of one letter stands apart. */
static size_t bucket_of(const char *word)
{
    unsigned char second = word[0] && word[1] != '_' ? (unsigned char)word[1] : 0;
    return ((unsigned char)word[0] * 31U + second) % WORD_TABLE_BUCKETS;
}

const struct word_entry *word_table_find(const struct word_table *table, const char *word)
{
    uint32_t number = table->first[bucket_of(word)];
    return number ? table->entries + number - 1 : NULL;
}

struct making {
    struct arena *arena;
    struct buf texts;
    struct word_entry *entries;
    size_t n, capacity;
};

/* The text up to one of the ends, which is cut off; NULL behind the last. */
static char *next_part(char **rest, const char *ends)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = part + strcspn(part, ends);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return part;
}

static void append(struct buf *texts, const void *bytes, size_t length)
{
    if (!buf_append(texts, bytes, length))
        abort();
}

static uint32_t add_text(struct making *making, const char *text)
{
    uint32_t offset = (uint32_t)making->texts.length;
    append(&making->texts, text, strlen(text) + 1);
    return offset;
}

/* The words of a line that are marks, or those that are none; 0 where there is none. */
static uint32_t add_list(struct making *making, const char *words, bool marks)
{
    uint32_t offset = (uint32_t)making->texts.length;
    for (size_t n; *(words += strspn(words, BLANKS)); words += n) {
        n = strcspn(words, BLANKS);
        if ((*words == '@') != marks)
            continue;
        append(&making->texts, " ", 1);
        append(&making->texts, words, n);
    }
    if (making->texts.length == offset)
        return 0;
    append(&making->texts, " ", sizeof " ");
    return offset;
}

static bool read_line(struct making *making, char *line)
{
    line += strspn(line, BLANKS);
    char *arrow = strstr(line, "->"), *key;
    if (*line == '#' || !*line)
        return true;
    if (!arrow)
        return false;
    *arrow = '\0';
    const uint32_t meanings = add_list(making, arrow + 2, /* marks */ false);
    const uint32_t marks = strchr(arrow + 2, '@') ? add_list(making, arrow + 2, true) : 0;
    while ((key = next_part(&line, BLANKS))) {
        char *gap = strstr(key, "..");
        if (!*key)
            continue;
        if (gap)
            *gap = '\0';
        struct word_entry entry = { .meanings = meanings, .marks = marks };
        entry.key = add_text(making, key);
        entry.part = gap ? add_text(making, gap + 2) : 0;
        *arena_push(making->arena, making->entries, making->n, making->capacity) = entry;
    }
    return true;
}

static uint32_t *chain(struct making *making)
{
    uint32_t *first = arena_array(making->arena, uint32_t, WORD_TABLE_BUCKETS);
    for (size_t i = making->n; i-- > 0;) {
        struct word_entry *entry = &making->entries[i];
        uint32_t *bucket = &first[bucket_of(making->texts.bytes + entry->key)];
        entry->next = *bucket;
        *bucket = (uint32_t)i + 1;
    }
    return first;
}

bool word_table_make(struct arena *arena, const char *text, struct word_table *out,
                     size_t *out_line)
{
    struct making making = { .arena = arena };
    AUTO(arena) scratch = { 0 };
    char *rest = text_unaccented(&scratch, text, strlen(text)), *line;
    bool is_sound = true;
    buf_init(&making.texts, UINT32_MAX);
    append(&making.texts, "", 1);
    for (*out_line = 1; is_sound && (line = next_part(&rest, "\n")); *out_line += is_sound)
        is_sound = read_line(&making, line);
    if (is_sound)
        *out = (struct word_table){ .first = chain(&making),
                                    .entries = making.entries,
                                    .n = making.n,
                                    .texts_length = making.texts.length };
    if (is_sound)
        out->texts = arena_strndup(arena, making.texts.bytes, making.texts.length);
    buf_finish(&making.texts);
    return is_sound;
}
