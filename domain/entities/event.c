#include "domain/entities/event.h"
#include "domain/base/attributes.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include <string.h>

static const struct {
    const char *name;
    bool kept;
} kinds[] = {
#define X(kind, name, kept) [EVENT_##kind] = { name, kept },
    EVENT_KINDS(X)
#undef X
};

const char *event_kind_name(enum event_kind kind)
{
    return kinds[kind].name;
}

bool event_kind_parse(const char *name, enum event_kind *out_kind)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *out_kind = (enum event_kind)i;
            return true;
        }
    }
    return false;
}

bool event_is_kept(enum event_kind kind)
{
    return kinds[kind].kept;
}

json_t *event_to_json(const struct event *event)
{
    char time[RFC3339_SIZE];
    json_t *object = json_object();
    json_object_set_new(object, "v", json_integer(EVENT_VERSION));
    json_object_set_new(object, "run", json_string(event->run_id ? event->run_id : ""));
    json_object_set_new(object, "n", json_integer((json_int_t)event->number));
    json_object_set_new(object, "time", json_string(rfc3339_print(event->time_ms, time)));
    json_object_set_new(object, "event", json_string(event_kind_name(event->kind)));
    json_auto_t *data = json_share(event->data);
    json_object_update_missing(object, data);
    return object;
}
