/* What of an SVG would run something or reach out of the file, once somebody opens it. An element
 * is known here or it is refused: the list of what browsers run has grown before. Attributes are
 * read as XML reads them, with blanks around the '=' and references like &#106; in the value, and
 * an escape of CSS hides nothing. Private to svg_scan.c; pure. */
#ifndef DOMAIN_FIGURE_SVG_HARM_H
#define DOMAIN_FIGURE_SVG_HARM_H

#include <stdbool.h>
#include <stddef.h>

struct svg_span {
    const char *at;
    size_t length;
};

/* attributes: all of the tag behind its name. */
bool svg_tag_is_harmless(struct svg_span name, struct svg_span attributes);
/* What stands between <style> and </style>. */
bool svg_css_is_harmless(struct svg_span text);
/* What stands behind the namespace in the name of an element or attribute. */
struct svg_span svg_local_name(struct svg_span name);
bool svg_span_is(struct svg_span span, const char *text);

#endif
