#include "infrastructure/mcp/server/replay.h"
#include <stdlib.h>
#include <string.h>

void replay_init(struct replay *replay, struct replay_store *store, size_t max_events)
{
    *replay = (struct replay){ .next = store->sessions, .store = store, .max_events = max_events };
    replay->last = &replay->first;
    store->sessions = replay;
}

static void drop_oldest(struct replay *replay)
{
    struct replay_event *oldest = replay->first;
    replay->first = oldest->next;
    if (!replay->first)
        replay->last = &replay->first;
    replay->n--;
    replay->bytes -= oldest->size;
    replay->store->bytes -= oldest->size;
    free(oldest);
}

void replay_finish(struct replay *replay)
{
    struct replay **at = &replay->store->sessions;
    while (*at != replay)
        at = &(*at)->next;
    *at = replay->next;
    while (replay->n)
        drop_oldest(replay);
}

static struct replay *largest(const struct replay_store *store)
{
    struct replay *found = store->sessions;
    for (struct replay *at = found->next; at; at = at->next)
        found = at->bytes > found->bytes ? at : found;
    return found;
}

void replay_keep(struct replay *replay, int64_t stream, int64_t number, const char *text)
{
    struct replay_store *store = replay->store;
    size_t length = strlen(text) + 1, size = sizeof(struct replay_event) + length;
    if (!replay->max_events || size > REPLAY_SESSION_BYTES)
        return;
    while (replay->n == replay->max_events || replay->bytes + size > REPLAY_SESSION_BYTES)
        drop_oldest(replay);
    while (store->bytes + size > REPLAY_STORE_BYTES)
        drop_oldest(largest(store));
    struct replay_event *event = malloc(size);
    if (!event)
        abort();
    *event = (struct replay_event){ .stream = stream, .number = number, .size = size };
    memcpy(event->text, text, length);
    *replay->last = event;
    replay->last = &event->next;
    replay->n++;
    replay->bytes += size;
    store->bytes += size;
}
