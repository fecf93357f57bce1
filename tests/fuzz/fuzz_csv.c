/* Any bytes give records within the bounds, every field ends with a NUL, and reading ends. */
#include "domain/base/csv_reader.h"
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char delimiters[] = { 0, ',', ';', '\t' };
    AUTO(csv_reader) reader = { 0 };
    size_t n_records = 0, n_bytes = 0;
    if (length < 1)
        return 0;
    csv_reader_init(&reader, (const char *)bytes + 1, length - 1, delimiters[bytes[0] % 4]);
    while (csv_reader_next(&reader)) {
        assert(reader.n_fields >= 1 && reader.n_fields <= CSV_MAX_FIELDS);
        for (size_t i = 0; i < reader.n_fields; i++) {
            assert(reader.fields[i].text[reader.fields[i].length] == '\0');
            n_bytes += reader.fields[i].length;
        }
        n_records++;
    }
    assert(n_records <= length && n_bytes <= length);
    return 0;
}
