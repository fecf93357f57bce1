#include "domain/base/problem.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_COLUMNS 400

static bool is_there(const struct problems *problems, const char *at, const char *message)
{
    for (size_t i = 0; i < problems->n; i++)
        if (text_equal(problems->list[i].at, at) && strcmp(problems->list[i].message, message) == 0)
            return true;
    return false;
}

struct problem *problems_add(struct problems *problems, const char *step, const char *path,
                             const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_trim_broken_end(text);

    struct arena *arena = problems->arena;
    const char *at =
        problems->at ? arena_printf(arena, "%s%s", problems->at, path ? path : "") : NULL;
    const char *message = text_one_line(arena, text, strlen(text), MESSAGE_COLUMNS);
    struct problem *problem;
    if (at && is_there(problems, at, message)) {
        problem = arena_new(arena, struct problem);
    } else if (problems->n < PROBLEMS_MAX) {
        problem = arena_push(arena, problems->list, problems->n, problems->capacity);
    } else { /* not listed, but made all the same, so that its fix can be set */
        problems->dropped++;
        problem = arena_new(arena, struct problem);
    }
    *problem = (struct problem){
        .step = arena_strdup(arena, step),
        .path = arena_strdup(arena, path),
        .message = message,
        .at = at,
    };
    return problem;
}

void problems_refuse_unknown(struct problems *problems, const char *step, const char *path,
                             const json_t *object, const char *const *names, size_t n)
{
    const char *key;
    const json_t *member;
    json_each_member (object, key, member) {
        if (text_is_one_of(key, names, n))
            continue;
        size_t nearest;
        struct problem *problem =
            problems_add(problems, step, json_path_member(problems->arena, path, key),
                         "there is no member of that name");
        problem->is_name = true;
        problem->fix = text_nearest(key, names, n, &nearest, 1)
                           ? arena_printf(problems->arena, "write \"%s\" instead", names[nearest])
                           : "remove it";
    }
}

const char *problem_print(struct problems *problems, const struct problem *problem)
{
    const char *step = problem->step ? problem->step : "";
    const char *path = problem->path ? problem->path : "";
    const char *blank = *step && *path ? " " : "";
    const char *colon = *step || *path ? ": " : "";
    return arena_printf(problems->arena, "%s%s%s%s%s", step, blank, path, colon, problem->message);
}

static bool stands_before(const struct problem *a, const struct problem *b)
{
    bool is_known = a->line && b->line;
    int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    return order                ? order < 0
           : !is_known          ? a->line && !b->line
           : a->line != b->line ? a->line < b->line
                                : a->column < b->column;
}

void problems_sort(struct problems *problems)
{
    for (size_t i = 1; i < problems->n; i++) {
        struct problem one = problems->list[i];
        size_t at = i;
        for (; at && stands_before(&one, &problems->list[at - 1]); at--)
            problems->list[at] = problems->list[at - 1];
        problems->list[at] = one;
    }
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

json_t *problems_to_json(const struct problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < problems->n; i++) {
        const struct problem *problem = &problems->list[i];
        json_t *object = json_object();
        set_text(object, "file", problem->file);
        if (problem->line) {
            json_object_set_new(object, "line", json_integer(problem->line));
            json_object_set_new(object, "column", json_integer(problem->column));
        }
        set_text(object, "step", problem->step);
        set_text(object, "path", problem->path);
        set_text(object, "message", problem->message);
        set_text(object, "fix", problem->fix);
        json_array_append_new(list, object);
    }
    return list;
}
