/* The formats that an elicitation may ask of a text (email, uri, date, date-time). JSON Schema
 * leaves them to whoever reads it; here a person gets to know what is wrong before it is sent. */
#ifndef APPLICATION_TOOLS_ELICITATION_FORMAT_H
#define APPLICATION_TOOLS_ELICITATION_FORMAT_H

#include <stdbool.h>

/* "an e-mail address"; NULL for a format that is not known, which is fitted by anything. */
const char *elicitation_format_name(const char *format);
bool elicitation_format_fits(const char *format, const char *text);

#endif
