#include "presentation/cli/terminal/prompt_pane.h"
#include "domain/base/text.h"
#include <string.h>

/* Corner, edge and blank on both sides, and the last column, which stays free. */
enum { FRAME_COLUMNS = 5, MOST_INNER_COLUMNS = 96 };

static const char title[] = " prompt ", no_prompt[] = "(none yet)";

/* The text in its lines, and the box around them. */
struct pane {
    struct arena *arena;
    const struct style *style;
    const char **lines;
    size_t n, capacity;
    size_t inner; /* columns between the edges' blanks */
};

const char *prompt_pane_settings(struct arena *arena, const struct image_prompt *image)
{
    const char *seed = image->seed == IMAGE_SEED_RANDOM
                           ? "random seed"
                           : arena_printf(arena, "seed %lld", (long long)image->seed);
    return arena_printf(arena, "%lld step%s, cfg %g, %s", (long long)image->steps,
                        image->steps == 1 ? "" : "s", image->cfg, seed);
}

static const char *made_safe(struct arena *arena, const char *text)
{
    AUTO(buf) shown;
    buf_init(&shown, strlen(text) * 8 + 16);
    if (!text_append_escaped(&shown, text, strlen(text)))
        return "";
    char *safe = arena_strdup(arena, buf_string(&shown));
    for (char *tab = safe; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    return safe;
}

/* Length of the part of a paragraph that fits one line: whole words where there is a blank. */
static size_t line_length(const char *text, size_t length, size_t columns)
{
    size_t at = 0, used = 0, blank = 0;
    while (at < length) {
        char one[5] = { 0 };
        size_t size = text_utf8_next(text + at, length - at, NULL);
        memcpy(one, text + at, size ? size : 1);
        used += text_columns(one);
        if (used > columns)
            return blank ? blank : at ? at : size ? size : 1;
        if (*one == ' ')
            blank = at;
        at += size ? size : 1;
    }
    return length;
}

static void add_lines(struct pane *pane, const char *text, size_t columns)
{
    while (*text) {
        size_t paragraph = strcspn(text, "\n");
        size_t length = line_length(text, paragraph, columns);
        const char *line = arena_strndup(pane->arena, text, length);
        size_t width = text_columns(line);
        *arena_push(pane->arena, pane->lines, pane->n, pane->capacity) = line;
        pane->inner = width > pane->inner ? width : pane->inner;
        text += length;
        text += *text == ' ' || *text == '\n';
    }
}

static const char *repeated(struct arena *arena, const char *sign, size_t n)
{
    AUTO(buf) text;
    buf_init(&text, n * strlen(sign) + 1);
    while (n-- && buf_puts(&text, sign))
        continue;
    return arena_strdup(arena, buf_string(&text));
}

/* "┌─ prompt ──────┐" */
static const char *edge(const struct pane *pane, const char *left, const char *word,
                        const char *right)
{
    size_t rest = pane->inner + 1 - text_columns(word);
    return arena_printf(pane->arena, "%s%s─%s%s%s%s%s\n", pane->style->dim, left,
                        pane->style->reset, word, pane->style->dim,
                        arena_printf(pane->arena, "%s%s", repeated(pane->arena, "─", rest), right),
                        pane->style->reset);
}

static const char *draw(const struct pane *pane, const char *settings)
{
    const char *text = edge(pane, "┌", title, "┐");
    for (size_t i = 0; i < pane->n; i++) {
        int padding = (int)(pane->inner - text_columns(pane->lines[i]));
        text = arena_printf(pane->arena, "%s%s│%s %s%s%s%*s %s│%s\n", text, pane->style->dim,
                            pane->style->reset, pane->style->bold, pane->lines[i],
                            pane->style->reset, padding, "", pane->style->dim, pane->style->reset);
    }
    return arena_printf(pane->arena, "%s%s", text, edge(pane, "└", settings, "┘"));
}

const char *prompt_pane_text(struct arena *arena, const struct style *style, unsigned columns,
                             const struct image_prompt *image)
{
    const char *prompt = *image->prompt ? made_safe(arena, image->prompt) : no_prompt;
    const char *settings = prompt_pane_settings(arena, image);
    const char *footer = arena_printf(arena, " %s ", settings);
    struct pane pane = { .arena = arena, .style = style, .inner = text_columns(footer) - 1 };
    if (!style->moves_cursor || columns < pane.inner + FRAME_COLUMNS)
        return arena_printf(arena, "[prompt: %s; %s]\n", prompt, settings);
    size_t room = columns - FRAME_COLUMNS;
    add_lines(&pane, prompt, room < MOST_INNER_COLUMNS ? room : MOST_INNER_COLUMNS);
    return draw(&pane, footer);
}
