#include "infrastructure/mock/mock_reply.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mock/mock_members.h"
#include <string.h>

enum { SAMPLE_MAX_TOKENS = 100 };

static const struct mock_member elicit_members[] = {
    { "message", MOCK_STRING }, { "schema", MOCK_OBJECT },    { "url", MOCK_STRING },
    { "key", MOCK_STRING },     { "optional", MOCK_BOOLEAN }, { 0 }
};

static enum err_code check_elicitation(const char *path, const json_t *elicit, struct err *err)
{
    bool has_schema = json_object_get(elicit, "schema"), has_url = json_object_get(elicit, "url");
    enum err_code r = mock_check_members(path, elicit, elicit_members, err);
    if (r)
        return r;
    if (!json_object_get(elicit, "message"))
        return err_set(err, ERR_INVALID, 0, "%s/message: a question needs words", path);
    if (has_schema == has_url)
        return err_set(err, ERR_INVALID, 0, "%s: needs either schema or url", path);
    return ERR_NONE;
}

/* A question, or a list of them; NULL is none. */
static const json_t *question_at(const json_t *elicit, size_t i)
{
    return json_is_array(elicit) ? json_array_get(elicit, i) : i == 0 ? elicit : NULL;
}

enum err_code mock_check_questions(struct arena *arena, const char *path, const json_t *spec,
                                   struct err *err)
{
    const json_t *elicit = json_object_get(spec, "elicit"), *question;
    const json_t *sample = json_object_get(spec, "sample");
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && (question = question_at(elicit, i)); i++)
        r = check_elicitation(json_is_array(elicit) ? arena_printf(arena, "%s/elicit/%zu", path, i)
                                                    : json_path_member(arena, path, "elicit"),
                              question, err);
    if (!r && sample && !json_is_string(json_object_get(sample, "prompt")) &&
        !json_is_array(json_object_get(sample, "messages")))
        r = err_set(err, ERR_INVALID, 0, "%s/sample: needs a prompt (text) or messages", path);
    return r;
}

static const char *string_of(struct arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_has_nul(value))
        return NULL;
    return arena_strdup(arena, json_string_value(value));
}

awaits MUST_CHECK static enum err_code elicit(const struct mock_asking *asking, const json_t *spec,
                                              const char **out_refusal, struct err *err)
{
    const struct answerer *answerer = asking->answerer;
    struct arena *arena = asking->arena;
    static const char *const refusals[] = { NULL, "the person declined",
                                            "the person left the question" };
    json_t *wanted = arena_keep_json(arena, mock_reply_expand(spec, asking->known));
    const char *message = string_of(arena, wanted, "message");
    if (!wanted)
        return mock_too_long(err);
    const struct elicitation question = { .message = message ? message : "",
                                          .schema = json_object_get(wanted, "schema"),
                                          .url = string_of(arena, wanted, "url"),
                                          .key = string_of(arena, wanted, "key") };
    struct elicitation_answer answer = { 0 };
    if (!answerer || !answerer->on_question)
        return answerer_lacks(question.url ? "elicitation.url" : "elicitation.form", err);
    enum err_code r =
        answerer->on_question(answerer->context, asking->scope, &question, arena, &answer, err);
    if (r)
        return r;
    *out_refusal = refusals[answer.action];
    if (answer.content && !json_object_get(asking->known, "elicited"))
        json_object_set_new(asking->known, "elicited", json_object());
    if (answer.content)
        json_object_update(json_object_get(asking->known, "elicited"), answer.content);
    return ERR_NONE;
}

/* `prompt` stands for one message of the user. Owned by the caller; NULL: a text grew too long. */
static json_t *sampling_params(const json_t *spec, const json_t *known)
{
    json_t *params = mock_reply_expand(spec, known);
    if (!params)
        return NULL;
    json_auto_t *prompt = json_share(json_object_get(params, "prompt"));
    json_object_del(params, "prompt");
    if (prompt)
        json_object_set_new(params, "messages",
                            json_pack("[{s:s, s:{s:s, s:O}}]", "role", "user", "content", "type",
                                      "text", "text", prompt));
    if (!json_object_get(params, "maxTokens"))
        json_object_set_new(params, "maxTokens", json_integer(SAMPLE_MAX_TOKENS));
    return params;
}

awaits MUST_CHECK static enum err_code sample(const struct mock_asking *asking, const json_t *spec,
                                              struct err *err)
{
    const struct answerer *answerer = asking->answerer;
    struct arena *arena = asking->arena;
    json_t *params = arena_keep_json(arena, sampling_params(spec, asking->known)), *result = NULL;
    if (!params)
        return mock_too_long(err);
    if (!answerer || !answerer->on_sampling)
        return answerer_lacks("sampling", err);
    enum err_code r =
        answerer->on_sampling(answerer->context, asking->scope, params, arena, &result, err);
    if (r)
        return r;
    /* The content of an answer is a block or a list of them. */
    const json_t *content = json_object_get(result, "content");
    const json_t *block = json_is_array(content) ? json_array_get(content, 0) : content;
    const char *text = json_get_string(block, "text");
    json_object_set_new(asking->known, "sampled", json_string(text ? text : ""));
    return ERR_NONE;
}

/* One that its client cannot be asked, and that is optional, is passed over. */
awaits MUST_CHECK static enum err_code elicit_all(const struct mock_asking *asking,
                                                  const json_t *list, const char **out_refusal,
                                                  struct err *err)
{
    const json_t *question;
    for (size_t i = 0; !*out_refusal && (question = question_at(list, i)); i++) {
        bool is_optional = json_get_bool(question, "optional", false);
        enum err_code r = elicit(asking, question, out_refusal, err);
        if (r && !(is_optional && err->origin == ANSWERER_LACKS_ORIGIN))
            return r;
    }
    return ERR_NONE;
}

enum err_code mock_ask(const struct mock_asking *asking, const json_t *spec,
                       const char **out_refusal, struct err *err)
{
    const json_t *to_model = json_object_get(spec, "sample");
    struct err why = { 0 };
    *out_refusal = NULL;
    enum err_code r = elicit_all(asking, json_object_get(spec, "elicit"), out_refusal, &why);
    if (!r && !*out_refusal && to_model)
        r = sample(asking, to_model, &why);
    if (r == ERR_DENIED || r == ERR_UNAVAILABLE)
        *out_refusal = arena_strdup(asking->arena, why.message);
    else if (r && err)
        *err = why;
    return *out_refusal ? ERR_NONE : r;
}

static bool value_fits(const json_t *wanted, const json_t *value)
{
    if (!value)
        return false;
    if (json_is_string(wanted) && json_is_string(value))
        return text_matches_glob(json_string_value(wanted), json_string_value(value));
    if (json_is_number(wanted) && json_is_number(value))
        return json_number_value(wanted) == json_number_value(value);
    return json_equal(wanted, value);
}

static bool reply_fits(const struct mock_reply *reply, const json_t *arguments)
{
    const char *key;
    json_t *wanted, *when = json_object_get(reply->spec, "when");
    json_object_foreach (when, key, wanted) {
        if (!value_fits(wanted, json_object_get(arguments, key)))
            return false;
    }
    return true;
}

struct mock_reply *mock_reply_pick(struct mock_tool *tool, const json_t *arguments)
{
    for (size_t i = 0; i < tool->n_replies; i++) {
        struct mock_reply *reply = &tool->replies[i];
        if (reply->times_left == 0 || !reply_fits(reply, arguments))
            continue;
        if (reply->times_left > 0)
            reply->times_left--;
        return reply;
    }
    return NULL;
}

/* What a template names ("args.a.b", without braces), or NULL. */
static const json_t *value_at(const json_t *known, const char *path, size_t length)
{
    char name[128];
    if (length == 0 || length >= sizeof name)
        return NULL;
    memcpy(name, path, length);
    name[length] = '\0';
    const json_t *value = known;
    char *rest = name;
    for (char *part; value && (part = strsep(&rest, "."));)
        value = json_object_get(value, part);
    return value;
}

static bool append_value(struct buf *text, const json_t *value)
{
    if (json_is_string(value))
        return buf_append(text, json_string_value(value), json_string_length(value));
    auto_str printed = json_print(value);
    return buf_puts(text, printed);
}

enum err_code mock_too_long(struct err *err)
{
    return err_set(err, ERR_LIMIT, 0, "a text of the fixture grew to more than %d bytes",
                   MOCK_MAX_EXPANDED_BYTES);
}

/* A template that is the whole string keeps the type of what it names. */
static json_t *expand_string(const json_t *string, const json_t *known)
{
    const char *at = json_string_value(string), *end = at + json_string_length(string);
    AUTO(buf) text;
    buf_init(&text, MOCK_MAX_EXPANDED_BYTES);
    while (at < end) {
        const char *open = memchr(at, '{', (size_t)(end - at));
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        const json_t *value = close ? value_at(known, open + 1, (size_t)(close - open - 1)) : NULL;
        bool is_whole = value && open == json_string_value(string) && close + 1 == end;
        if (is_whole)
            return json_deep_copy(value);
        const char *literal_end = value ? open : open ? open + 1 : end;
        if (!buf_append(&text, at, (size_t)(literal_end - at)) ||
            (value && !append_value(&text, value)))
            return NULL;
        at = value ? close + 1 : literal_end;
    }
    return json_stringn_nocheck(buf_string(&text), text.length);
}

json_t *mock_reply_expand(const json_t *value, const json_t *known)
{
    if (json_is_string(value))
        return expand_string(value, known);
    json_auto_t *copy = json_copy((json_t *)(uintptr_t)value);
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value))
        json_array_foreach (value, i, member) {
            if (json_array_set_new(copy, i, mock_reply_expand(member, known)))
                return NULL;
        }
    if (json_is_object(value))
        json_object_foreach ((json_t *)(uintptr_t)value, key, member) {
            if (json_object_set_new(copy, key, mock_reply_expand(member, known)))
                return NULL;
        }
    return json_share(copy);
}

/* A list of one text block with the value, which is printed where it is not text. */
static json_t *text_block(json_t *value)
{
    auto_str printed = json_is_string(value) ? NULL : json_print(value);
    return json_pack("[{ssso}]", "type", "text", "text",
                     printed ? json_string(printed) : json_share(value));
}

/* NULL: a text grew too long. */
static json_t *result_of(const struct mock_reply *reply, const json_t *known)
{
    const json_t *spec = reply->spec, *raw = json_object_get(spec, "result");
    const json_t *structured = json_object_get(spec, "structured");
    const json_t *content = json_object_get(spec, "content"), *text = json_object_get(spec, "text");
    const json_t *error = json_object_get(spec, "error");
    const json_t *body = content ? content : text ? text : error;
    if (raw)
        return mock_reply_expand(raw, known);
    json_auto_t *value = structured ? mock_reply_expand(structured, known) : NULL;
    json_auto_t *said = body          ? mock_reply_expand(body, known)
                        : !structured ? json_string("ok")
                                      : json_share(value);
    if ((structured && !value) || !said)
        return NULL;
    json_t *result = json_object();
    json_object_set_new(result, "content", content ? json_share(said) : text_block(said));
    if (value)
        json_object_set(result, "structuredContent", value);
    if (error)
        json_object_set_new(result, "isError", json_true());
    return result;
}

enum err_code mock_reply_render(const struct mock_reply *reply, const json_t *known,
                                struct arena *arena, struct step_result *out, struct err *err)
{
    const json_t *error = json_object_get(reply->spec, "error");
    if (json_is_object(error)) {
        const char *message = json_get_string(error, "message");
        int code = (int)json_get_int(error, "code", -32603);
        return err_set(err, code == -32602 ? ERR_INVALID : ERR_PROTOCOL, code, "%.200s",
                       message ? message : "scripted error");
    }
    json_auto_t *result = result_of(reply, known);
    if (!result)
        return mock_too_long(err);
    auto_str bytes = json_print(result);
    return step_result_init(arena, bytes, strlen(bytes), out, err);
}
