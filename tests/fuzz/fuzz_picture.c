/* Any bytes as a picture: looking at them ends and reads nothing beyond them, and an SVG that is
 * taken is not taken any more once a script, a handler or an address stands in it. */
#include "domain/base/attributes.h"
#include "domain/figure/picture_bytes.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

#define END "</svg>"

static void insist(bool holds)
{
    if (!holds)
        abort();
}

static void check_with(const char *bytes, size_t length, const char *bad)
{
    size_t before = length - strlen(END);
    char *worse = malloc(length + strlen(bad));
    insist(worse);
    memcpy(worse, bytes, before);
    memcpy(worse + before, bad, strlen(bad));
    memcpy(worse + before + strlen(bad), END, strlen(END));
    insist(picture_fault(worse, length + strlen(bad)));
    free(worse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const bad[] = { "<script/>", "<x:script/>", "<g onload=''/>",
                                       "<a href = 'javascript:x'/>", "<g fill='url(http://x)'/>" };
    const char *bytes = (const char *)data;
    double width, height;
    (void)picture_size(bytes, size, &width, &height);
    if (picture_fault(bytes, size) || picture_kind_of(bytes, size) != PICTURE_KIND_SVG)
        return 0;
    if (size < strlen(END) || memcmp(bytes + size - strlen(END), END, strlen(END)) != 0)
        return 0;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        check_with(bytes, size, bad[i]);
    return 0;
}
