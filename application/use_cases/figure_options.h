/* What a person asks of a figure, checked before any work is done. */
#ifndef APPLICATION_USE_CASES_FIGURE_OPTIONS_H
#define APPLICATION_USE_CASES_FIGURE_OPTIONS_H

#include "application/figure/references/reference_pool.h"
#include "application/use_cases/make_figure.h"

#define FIGURE_MAX_CAPTION_BYTES 4096
#define FIGURE_CASE_NAME_BYTES 60

/* ERR_INVALID: an empty or binary text, plot_code without data, more refs or rounds than there may
 * be; ERR_LIMIT: a text that is too long. */
MUST_CHECK
enum err_code figure_request_check(const struct services *services,
                                   const struct figure_request *request, struct err *err);
/* ERR_NOT_FOUND with the nearest id. */
MUST_CHECK
enum err_code figure_refs_check(struct arena *arena, const struct reference_pool *pool,
                                const struct figure_request *request, struct err *err);
/* name NULL: settings.figure_style. ERR_NOT_FOUND with the nearest, ERR_INVALID: what is wrong with
 * the file. */
MUST_CHECK
enum err_code figure_style_load(struct arena *arena, const struct services *services,
                                const char *name, struct figure_style *out, struct err *err);
/* The page of a width that figure_request_check lets through: so many inches, and as high as it
 * gets; "slides", a slide; "column", one of two on a page. NULL: a slide for the style "slides",
 * else the text of a page. */
struct figure_page figure_page_of(const char *width, const char *style);
/* "How TCP begins" as "how_tcp_begins": a plain name for a folder; "figure" where nothing of the
 * caption can stand in one. In the arena. */
const char *figure_case_name(struct arena *arena, const char *caption);
/* There is a picture or code, and nothing critical stands against it. */
bool figure_is_usable(const struct figure_result *result);

#endif
