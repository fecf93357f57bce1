/* What a file that should be a picture is, told by its bytes and never by its name. Reads headers
 * and structure, and decodes nothing. Pure; takes any bytes. */
#ifndef DOMAIN_FIGURE_PICTURE_BYTES_H
#define DOMAIN_FIGURE_PICTURE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#define PICTURE_MAX_PIXELS 65535 /* on a side */
#define PICTURE_MAX_DEPTH 64     /* of elements of an SVG */

enum picture_kind { PICTURE_KIND_NONE, PICTURE_KIND_SVG, PICTURE_KIND_PNG, PICTURE_KIND_PDF };

enum picture_kind picture_kind_of(const char *bytes, size_t length);
/* Why it cannot be shown, as one phrase; NULL when nothing was found that is wrong. A PNG
 * is whole to its last chunk, a PDF to its last line, an SVG has matching tags and nothing in it
 * that runs or reaches out of it. */
const char *picture_fault(const char *bytes, size_t length);
/* Pixels of a PNG, points of an SVG. False where it does not say. */
bool picture_size(const char *bytes, size_t length, double *out_width, double *out_height);

#endif
