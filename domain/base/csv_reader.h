/* Separated values as people and programs write them (RFC 4180 and its relatives): fields in
 * quotes may hold separators, newlines and doubled quotes; lines end with \n, \r\n or \r; a BOM
 * and empty lines are skipped; what breaks the rules is taken as it stands. Reads from memory. */
#ifndef DOMAIN_BASE_CSV_READER_H
#define DOMAIN_BASE_CSV_READER_H

#include "domain/base/buf.h"

#define CSV_MAX_FIELDS 500 /* of one record */

struct csv_field {
    const char *text; /* NUL-terminated; until the next record */
    size_t length;
};

struct csv_reader {
    const char *at, *end;
    char delimiter;
    struct buf record; /* the decoded fields of the present record, one NUL after each */
    struct csv_field fields[CSV_MAX_FIELDS];
    size_t n_fields;
    bool has_too_many; /* a record had more fields than fit */
};

/* bytes are borrowed. delimiter 0: the one of , ; | and tab that the first line has most of. */
void csv_reader_init(struct csv_reader *reader, const char *bytes, size_t length, char delimiter);
void csv_reader_finish(struct csv_reader *reader);
/* The next record, in fields and n_fields; false at the end. */
bool csv_reader_next(struct csv_reader *reader);

#endif
