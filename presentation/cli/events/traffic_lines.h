/* The traffic with servers as lines on stderr (-vv): `  > files {"jsonrpc":…}` goes out,
 * `  < files …` came in. Secrets are redacted, the rest is escaped and cut. */
#ifndef PRESENTATION_CLI_EVENTS_TRAFFIC_LINES_H
#define PRESENTATION_CLI_EVENTS_TRAFFIC_LINES_H

#include "application/ports/traffic.h"
#include "presentation/cli/events/event_lines.h"

#define TRAFFIC_LINES_COLUMNS 4000 /* shown of one message */
/* Of larger messages only the beginning is looked at, as running text. */
#define TRAFFIC_LINES_MAX_JSON_BYTES (1024 * 1024)

struct traffic_lines {
    struct traffic base;
    struct event_lines *lines; /* borrowed */
};

void traffic_lines_init(struct traffic_lines *traffic, struct event_lines *lines);

#endif
