#include "application/structured/plain_text.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define WRAPPINGS 3        /* one within the other */
#define TOKEN_MAX_BYTES 40 /* of a control token */
#define FENCE "```"
#define BLANKS " \t\r\n"

/* How a made up turn begins. The words of our own prompt do at any line, a single name only behind
 * an empty one, or where a line for the assistant follows: "User: ann" may be a line of a file. */
static const char *const turns[] = { "User request:",
                                     "History of the conversation:",
                                     "What the user wants:",
                                     "\nUser:",
                                     "\nHuman:",
                                     "User:",
                                     "Human:" };
#define UNSURE_TURNS 2 /* the last ones */

size_t plain_text_begin(const char *reply)
{
    size_t at = strspn(reply, BLANKS), n;
    for (; (n = control_token_length(reply + at)); at += strspn(reply + at, BLANKS))
        at += n;
    return at;
}

/* Whether a turn begins at the line break, or may when the reply goes on. */
static bool begins_turn(const char *at, bool may_go_on)
{
    for (size_t i = 0; i < ARRAY_LENGTH(turns); i++) {
        size_t length = strlen(turns[i]), left = strlen(at + 1);
        if (strncmp(at + 1, turns[i], may_go_on && left < length ? left : length) == 0)
            return may_go_on || i + UNSURE_TURNS < ARRAY_LENGTH(turns) ||
                   strstr(at, "\nAssistant:") || strstr(at, "\nAI:");
    }
    return false;
}

static bool may_become_token(const char *at)
{
    return strchr("[<", *at) && strcspn(at, "]>\n") == strlen(at) && strlen(at) < TOKEN_MAX_BYTES;
}

static size_t end_of(const char *reply, size_t from, bool may_go_on, bool *out_ended)
{
    for (size_t at = from; reply[at]; at++) {
        *out_ended = control_token_length(reply + at) ||
                     (reply[at] == '\n' && begins_turn(reply + at, false));
        if (*out_ended || (may_go_on && (may_become_token(reply + at) ||
                                         (reply[at] == '\n' && begins_turn(reply + at, true)))))
            return at;
    }
    return strlen(reply);
}

size_t plain_text_end(const char *reply, size_t begin, size_t from, bool *out_ended)
{
    const char *at = reply + begin;
    size_t length = strlen(at), fence = strlen(FENCE);
    *out_ended = false;
    if (*at == '{' || strncmp(at, FENCE, length < fence ? length : fence) == 0)
        return from;
    return end_of(reply, from, true, out_ended);
}

/* Within a fence around everything, or the text that an object is about; NULL when it is neither.
 */
static const char *unwrap(struct arena *arena, const char *text)
{
    static const char *const names[] = { "answer", "response", "reply", "final_answer", "message" };
    size_t length = strlen(text), line = strcspn(text, "\n"), fence = strlen(FENCE);
    const char *close = text_starts_with(text, FENCE) ? strstr(text + fence, FENCE) : NULL,
               *inner = NULL;
    json_t *value = NULL;
    if (close && !close[fence] && text + line < close)
        return arena_strndup(arena, text + line, (size_t)(close - text) - line);
    if (*text != '{' || json_parse(text, length, JSON_FOREIGN, &value, NULL))
        return NULL;
    arena_keep_json(arena, value);
    for (size_t i = 0; json_object_size(value) == 1 && !inner && i < ARRAY_LENGTH(names); i++)
        inner = json_get_string(value, names[i]);
    return inner;
}

const char *plain_text(struct arena *arena, const char *reply)
{
    const char *text = NULL;
    bool ended;
    for (int i = 0; reply && i <= WRAPPINGS; i++, reply = unwrap(arena, text)) {
        size_t begin = plain_text_begin(reply), end = end_of(reply, begin, false, &ended);
        while (end > begin && strchr(BLANKS, reply[end - 1]))
            end--;
        text = arena_strndup(arena, reply + begin, end - begin);
    }
    return text;
}
