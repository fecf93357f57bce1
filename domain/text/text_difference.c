#include "domain/text/text_difference.h"
#include <stdint.h>
#include <string.h>

struct lines {
    struct difference_line *list;
    size_t n, capacity;
};

static struct lines split(struct arena *arena, const char *text)
{
    struct lines lines = { 0 };
    while (text) {
        size_t length = strcspn(text, "\n");
        *arena_push(arena, lines.list, lines.n, lines.capacity) =
            (struct difference_line){ .text = text, .length = length };
        text = text[length] ? text + length + 1 : NULL;
    }
    return lines;
}

static bool same(const struct difference_line *a, const struct difference_line *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void add(struct text_difference *out, char mark, const struct difference_line *line)
{
    out->lines[out->n] = *line;
    out->lines[out->n++].mark = mark;
    out->is_same = out->is_same && mark == ' ';
}

/* length[i][j]: how many lines the rests from i and j have in common at most. */
static const uint32_t *common_lengths(struct arena *arena, const struct lines *a,
                                      const struct lines *b)
{
    size_t width = b->n + 1;
    uint32_t *length = arena_array(arena, uint32_t, (a->n + 1) * width);
    for (size_t i = a->n; i-- > 0;) {
        for (size_t j = b->n; j-- > 0;) {
            uint32_t down = length[(i + 1) * width + j], right = length[i * width + j + 1];
            length[i * width + j] = same(&a->list[i], &b->list[j])
                                        ? length[(i + 1) * width + j + 1] + 1
                                        : (down > right ? down : right);
        }
    }
    return length;
}

static void compare(const struct lines *a, const struct lines *b, struct text_difference *out)
{
    AUTO(arena) scratch = { 0 };
    const uint32_t *length = common_lengths(&scratch, a, b);
    size_t width = b->n + 1, i = 0, j = 0;
    while (i < a->n || j < b->n) {
        if (i < a->n && j < b->n && same(&a->list[i], &b->list[j])) {
            add(out, ' ', &a->list[i++]);
            j++;
        } else if (i < a->n &&
                   (j == b->n || length[(i + 1) * width + j] >= length[i * width + j + 1])) {
            add(out, '-', &a->list[i++]);
        } else {
            add(out, '+', &b->list[j++]);
        }
    }
}

/* What both begin and end with is kept out of the comparison, which takes a table. */
struct text_difference text_difference(struct arena *arena, const char *before, const char *after)
{
    struct lines a = split(arena, before), b = split(arena, after);
    struct text_difference out = { .lines =
                                       arena_array(arena, struct difference_line, a.n + b.n + 1),
                                   .is_same = true };
    while (a.n && b.n && same(&a.list[0], &b.list[0])) {
        add(&out, ' ', a.list++);
        b.list++;
        a.n--;
        b.n--;
    }
    size_t end = 0;
    while (end < a.n && end < b.n && same(&a.list[a.n - 1 - end], &b.list[b.n - 1 - end]))
        end++;
    a.n -= end;
    b.n -= end;
    if (b.n == 0 || a.n <= TEXT_DIFFERENCE_MAX_CELLS / b.n) {
        compare(&a, &b, &out);
    } else { /* all of the one is gone, all of the other is new */
        for (size_t i = 0; i < a.n; i++)
            add(&out, '-', &a.list[i]);
        for (size_t i = 0; i < b.n; i++)
            add(&out, '+', &b.list[i]);
    }
    for (size_t i = 0; i < end; i++)
        add(&out, ' ', &a.list[a.n + i]);
    return out;
}
