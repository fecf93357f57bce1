#include "domain/figure/picture_bytes.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/figure/svg_scan.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PNG_HEADER = 8, PNG_CHUNK = 12, IHDR_BYTES = 13, PDF_TAIL = 1024 };

static const char png_header[] = "\x89PNG\r\n\x1a\n";

static bool begins(const char *bytes, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

enum picture_kind picture_kind_of(const char *bytes, size_t length)
{
    if (begins(bytes, length, png_header))
        return PICTURE_KIND_PNG;
    if (begins(bytes, length, "%PDF-"))
        return PICTURE_KIND_PDF;
    return svg_starts(bytes, length) ? PICTURE_KIND_SVG : PICTURE_KIND_NONE;
}

static uint32_t number_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool png_size(const char *bytes, size_t length, uint32_t *out_width, uint32_t *out_height)
{
    if (length < PNG_HEADER + PNG_CHUNK + IHDR_BYTES ||
        number_at(bytes + PNG_HEADER) != IHDR_BYTES ||
        memcmp(bytes + PNG_HEADER + 4, "IHDR", 4) != 0)
        return false;
    *out_width = number_at(bytes + PNG_HEADER + 8);
    *out_height = number_at(bytes + PNG_HEADER + 12);
    return true;
}

static const char *png_fault(const char *bytes, size_t length)
{
    uint32_t width, height;
    bool has_data = false;
    if (!png_size(bytes, length, &width, &height))
        return "a PNG without its header";
    if (!width || !height || width > PICTURE_MAX_PIXELS || height > PICTURE_MAX_PIXELS)
        return "a PNG of an impossible size";
    for (size_t at = PNG_HEADER; length - at >= PNG_CHUNK;) {
        uint32_t size = number_at(bytes + at);
        if (size > length - at - PNG_CHUNK)
            return "a PNG that is cut off";
        has_data |= memcmp(bytes + at + 4, "IDAT", 4) == 0;
        if (memcmp(bytes + at + 4, "IEND", 4) == 0)
            return has_data ? NULL : "a PNG without a picture";
        at += PNG_CHUNK + size;
    }
    return "a PNG that is cut off";
}

static const char *pdf_fault(const char *bytes, size_t length)
{
    size_t tail = length < PDF_TAIL ? length : PDF_TAIL;
    return memmem(bytes + length - tail, tail, "%%EOF", 5) ? NULL : "a PDF that is cut off";
}

const char *picture_fault(const char *bytes, size_t length)
{
    switch (picture_kind_of(bytes, length)) {
    case PICTURE_KIND_PNG:
        return png_fault(bytes, length);
    case PICTURE_KIND_PDF:
        return pdf_fault(bytes, length);
    case PICTURE_KIND_SVG:
        return svg_fault(bytes, length);
    case PICTURE_KIND_NONE:
        break;
    }
    return length ? "neither SVG nor PNG nor PDF" : "empty";
}

bool picture_size(const char *bytes, size_t length, double *out_width, double *out_height)
{
    uint32_t width, height;
    enum picture_kind kind = picture_kind_of(bytes, length);
    if (kind == PICTURE_KIND_SVG)
        return svg_size(bytes, length, out_width, out_height);
    if (kind != PICTURE_KIND_PNG || !png_size(bytes, length, &width, &height))
        return false;
    *out_width = width;
    *out_height = height;
    return true;
}
