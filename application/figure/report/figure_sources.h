/* The files of one round: its picture in every format there is, and what it was made of. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_SOURCES_H
#define APPLICATION_FIGURE_REPORT_FIGURE_SOURCES_H

#include "application/figure/report/figure_files.h"

struct figure_file_list {
    struct arena *arena; /* borrowed, as the rest */
    const struct figure_result *result;
    const struct figure_style *style;
    struct figure_file *files;
    size_t n, capacity;
};

/* Steals value. */
void figure_file_add_json(struct figure_file_list *list, const char *name, json_t *value);
/* The text lives as long as the arena. */
void figure_file_add_text(struct figure_file_list *list, const char *name, const char *text);
/* stem: "round_0", "figure". */
void figure_sources_add(struct figure_file_list *list, size_t round, const char *stem);

#endif
