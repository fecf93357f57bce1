#include "application/studio/studio.h"
#include "application/structured/contracts.h"
#include "application/structured/extract.h"
#include "application/structured/sanitize.h"
#include "application/studio/studio_prompt.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum {
    SHORTEST_WORD = 3, /* shorter words are in every request */
    KEPT_COLUMNS = 300
};

/* What an answer is held against beside its schema. A weak model copies the prompt of the example
 * it is shown: in the prompt pane anyone can correct that, but no image is made of it unless the
 * words are also the person's. A prompt that is too long is worth one reminder and not the turn. */
struct prompt_check {
    const char *example;            /* the good answer of the contract */
    const struct ask_prompt *asked; /* all that the person said, and the prompt as it was */
    const struct ask_outcome *outcome;
    bool may_be_long;    /* the prompt was before: it may be the person's own */
    unsigned long_first; /* the attempt that was too long; 0: none was */
};

static bool is_said(const struct ask_prompt *asked, const char *word)
{
    if (asked->state && strcasestr(asked->state, word))
        return true;
    for (size_t i = 0; i < asked->n_wishes; i++)
        if (strcasestr(asked->wishes[i], word))
            return true;
    return false;
}

static bool has_own_word(struct arena *arena, const struct ask_prompt *asked, const char *prompt)
{
    while (*prompt) {
        size_t length = strcspn(prompt, " ");
        if (length >= SHORTEST_WORD && is_said(asked, arena_strndup(arena, prompt, length)))
            return true;
        prompt += length;
        prompt += strspn(prompt, " ");
    }
    return false;
}

static bool is_copied(const struct prompt_check *check, struct arena *arena, const json_t *value)
{
    const char *prompt = json_get_string(value, "prompt");
    json_auto_t *example = NULL;
    if (!check->example || !prompt || !json_get_bool(value, "generate_image", false))
        return false;
    (void)extract_json(check->example, strlen(check->example), &example);
    return text_equal(prompt, json_get_string(example, "prompt")) &&
           !has_own_word(arena, check->asked, prompt);
}

static size_t characters_of(const char *text)
{
    size_t n = 0;
    for (; text && *text; text++)
        n += ((unsigned char)*text & 0xc0u) != 0x80u; /* the first byte of each */
    return n;
}

/* Only while a reminder is left: what saves a turn at last is not refused for its length. */
static bool is_too_long(struct prompt_check *check, const json_t *value)
{
    if (check->may_be_long || check->outcome->attempts > ENGINE_REMINDERS ||
        characters_of(json_get_string(value, "prompt")) <= IMAGE_PROMPT_ADVISED_CHARACTERS)
        return false;
    if (!check->long_first)
        check->long_first = check->outcome->attempts;
    return check->long_first == check->outcome->attempts;
}

static bool check_prompt(void *context, const json_t *value, struct problems *problems)
{
    struct prompt_check *check = context;
    if (is_copied(check, problems->arena, value))
        problems_add(problems, NULL, "/prompt", "it is the prompt of the example")->fix =
            "write the prompt of the image that this person wants, not the example's";
    else if (is_too_long(check, value))
        problems_add(problems, NULL, "/prompt", "it is too long")->fix =
            "say the same in a prompt of under 200 characters";
    else
        return true;
    return false;
}

/* One turn on its way. */
struct studio_talk {
    struct studio *studio;
    struct arena *arena;
    struct conversation *conversation;
    const char *message;
    struct studio_history history;
    struct studio_state before;
    struct studio_result *result;
};

static struct journal *journal_of(const struct studio_talk *talk)
{
    return &talk->studio->session->journal;
}

static json_t *settings_to_json(const struct image_prompt *image)
{
    json_t *settings = image_prompt_to_json(image);
    json_object_del(settings, "prompt");
    json_object_del(settings, "generate_image");
    return settings;
}

/* With the run, by which a turn that is resumed knows what it stored. */
static json_t *metadata(const struct studio_talk *talk, json_t *mark)
{
    return json_pack("{s:o, s:s}", STUDIO_METADATA_KEY, mark, "run_id", journal_of(talk)->run_id);
}

static json_t *user_metadata(const struct studio_talk *talk)
{
    json_t *mark = json_object();
    if (talk->before.edited)
        json_object_set_new(mark, "edited_prompt", json_string(talk->before.image.prompt));
    return metadata(talk, mark);
}

/* Text from its first character on, one line "---" with the object right behind it, and nothing
 * after that. */
static bool is_exemplary(const char *raw)
{
    const char *end = raw + strlen(raw), *delimiter = strstr(raw, "\n---\n");
    while (end > raw && strchr(" \t\r\n", end[-1]))
        end--;
    return delimiter && !strchr(" \t\r\n", *raw) && delimiter[strlen("\n---\n")] == '{' &&
           end[-1] == '}';
}

/* The answer as later prompts show it: as it came where it has the form that is asked for. What was
 * mended, saved by a lower rung, brought into range or not taken is written anew, since a bad
 * example breeds more of its kind. */
static const char *example_of(const struct studio_talk *talk, const struct ask_outcome *outcome)
{
    const struct studio_result *result = talk->result;
    if (outcome->raw && is_exemplary(outcome->raw) && !outcome->repaired && !result->adjusted &&
        !result->kept)
        return outcome->raw;
    json_auto_t *image = image_prompt_to_json(&result->state.image);
    return arena_printf(talk->arena, "%s\n---\n%s", result->text,
                        json_print_in(talk->arena, image));
}

/* The line break before the delimiter is none of the text's. */
static const char *trimmed(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

/* Question and answer are stored together, so that there is never one without the other. */
static void store_exchange(struct studio_talk *talk, const struct ask_outcome *outcome)
{
    int64_t now_ms = runtime_wall_ms(talk->studio->session->services->runtime);
    json_t *mark = json_pack("{s:s, s:o}", "raw", example_of(talk, outcome), "image",
                             image_prompt_to_json(&talk->result->state.image));
    conversation_add(talk->arena, talk->conversation, MESSAGE_USER, talk->message,
                     user_metadata(talk), now_ms);
    conversation_add(talk->arena, talk->conversation, MESSAGE_ASSISTANT, talk->result->text,
                     metadata(talk, mark), now_ms);
    studio_state_store(talk->conversation, &talk->result->state);
}

static void emit_state(const struct studio_talk *talk, bool has_prompt)
{
    const struct image_prompt *image = &talk->result->state.image;
    if (has_prompt)
        journal_emit(journal_of(talk), EVENT_PROMPT_UPDATE,
                     json_pack("{s:s, s:s, s:s*}", "prompt", image->prompt, "by",
                               talk->result->kept ? "user" : "model", "text", talk->result->kept));
    journal_emit(journal_of(talk), EVENT_SETTINGS_UPDATE,
                 json_pack("{s:o, s:s*}", "settings", settings_to_json(image), "text",
                           talk->result->adjusted));
}

static void emit_done(const struct studio_talk *talk)
{
    const struct image_prompt *image = &talk->result->state.image;
    journal_emit(journal_of(talk), EVENT_DONE,
                 json_pack("{s:o, s:s, s:b, s:o}", "text",
                           journal_text(journal_of(talk), talk->result->text), "prompt",
                           image->prompt, "generate_image", (int)image->generate_image, "settings",
                           settings_to_json(image)));
}

static void emit_error(const struct studio_talk *talk)
{
    journal_emit(journal_of(talk), EVENT_ERROR,
                 json_pack("{s:o, s:s}", "error", err_to_json(&talk->result->err), "text",
                           talk->result->text));
}

/* The ladder is spent. The prompt stays as it is: it is the person's as much as the model's,
 * and the fresh start goes on from it. */
static void reset(struct studio_talk *talk)
{
    struct studio_result *result = talk->result;
    int64_t now_ms = runtime_wall_ms(talk->studio->session->services->runtime);
    result->end = STUDIO_RESET;
    result->text = STUDIO_RESET_TEXT;
    conversation_add(talk->arena, talk->conversation, MESSAGE_USER, talk->message,
                     user_metadata(talk), now_ms);
    size_t start = conversation_live_start(talk->conversation);
    json_t *messages = json_array();
    for (size_t i = start; i < talk->conversation->n_messages; i++) {
        const struct message *message = &talk->conversation->messages[i];
        json_array_append_new(messages,
                              json_pack("{s:s, s:o}", "role", message_role_name(message->role),
                                        "text", journal_text(journal_of(talk), message->content)));
    }
    journal_emit(journal_of(talk), EVENT_CONTEXT_RESET,
                 json_pack("{s:s, s:o}", "text", STUDIO_RESET_TEXT, "messages", messages));
    conversation_add(talk->arena, talk->conversation, MESSAGE_SYSTEM, STUDIO_RESET_TEXT,
                     metadata(talk, json_pack("{s:b}", "reset", 1)), now_ms);
    conversation_start_fresh(talk->conversation);
}

/* What the model asked for is asked of a tool; that this does not work leaves the answer as it is.
 */
static void make_image(struct studio_talk *talk)
{
    struct studio_result *result = talk->result;
    const struct image_prompt *image = &result->state.image;
    if (!image->generate_image)
        return;
    if (!*image->prompt) {
        result->not_generated = "there is no prompt to make an image of yet";
        return;
    }
    struct err why = { 0 };
    if (!studio_generate(talk->studio->session, image, result, &why))
        return;
    result->err = why;
    result->not_generated = arena_strdup(talk->arena, why.message);
}

/* An answer of metadata alone, as a compaction gives it, says this. */
static const char *words_for(const struct image_prompt *before, const struct image_prompt *now)
{
    if (!*now->prompt)
        return "Tell me more about the image.";
    return text_equal(before->prompt, now->prompt) ? "The prompt stays as it is."
                                                   : "The prompt is updated.";
}

/* What the person is told where their prompt stays against the answer's; NULL where it need not. */
static const char *kept_text(const struct studio_talk *talk, const char *prompt)
{
    if (!studio_state_overrides(talk->arena, &talk->before, prompt, talk->message))
        return NULL;
    return arena_printf(
        talk->arena,
        "Your prompt stays: the answer replaced words of yours that you had not asked "
        "to change (\"%s\"); /prompt TEXT writes another one",
        text_one_line(talk->arena, prompt, strlen(prompt), KEPT_COLUMNS));
}

/* The model's metadata becomes the state. An empty prompt says that it is not ready yet: what was
 * there stays, for it may be the person's own. */
static void accept(struct studio_talk *talk, const struct ask_outcome *outcome)
{
    struct studio_result *result = talk->result;
    struct image_prompt image = image_prompt_from_json(talk->arena, outcome->value);
    bool has_prompt = *image.prompt;
    result->kept = has_prompt ? kept_text(talk, image.prompt) : NULL;
    if (!has_prompt || result->kept)
        image.prompt = talk->before.image.prompt;
    result->end = STUDIO_ANSWERED;
    result->text = trimmed(talk->arena, outcome->text ? outcome->text : "");
    result->adjusted = image_prompt_clamp(talk->arena, &image);
    result->state = (struct studio_state){ .image = image, .edit = talk->before.edit };
    if (!*result->text) {
        result->text = words_for(&talk->before.image, &image);
        journal_emit(
            journal_of(talk), EVENT_TOKEN,
            json_pack("{s:i, s:s}", "attempt", (int)outcome->attempts, "text", result->text));
    }
    store_exchange(talk, outcome);
    emit_state(talk, has_prompt);
    make_image(talk);
    emit_done(talk);
}

/* The ladder is spent (the only ERR_FAILED of an asking), or the transport gave up: then nothing
 * was said, and the same message may be sent again. */
static void end_badly(struct studio_talk *talk, const struct err *why)
{
    struct studio_result *result = talk->result;
    result->err = *why;
    if (why->code == ERR_FAILED) {
        reset(talk);
    } else {
        result->end = STUDIO_FAILED;
        result->text = arena_strdup(talk->arena, why->message);
    }
    emit_error(talk);
}

/* What a reminder shows: a copy of it changes nothing and makes no image. */
static const char *example_now(const struct studio_talk *talk)
{
    struct image_prompt image = talk->before.image;
    image.generate_image = false;
    json_auto_t *value = image_prompt_to_json(&image);
    const char *object = sanitize_text(talk->arena, json_print_in(talk->arena, value));
    return arena_printf(talk->arena, "What should I change?\n---\n%s", object);
}

static enum err_code ask(struct studio_talk *talk, struct ask_outcome *out, bool *out_was_asked,
                         struct err *err)
{
    struct contract contract;
    struct ask_prompt prompt;
    const char *before = talk->before.image.prompt;
    struct prompt_check check = { .asked = &prompt,
                                  .outcome = out,
                                  .may_be_long =
                                      characters_of(before) > IMAGE_PROMPT_ADVISED_CHARACTERS };
    struct run_session *session = talk->studio->session;
    struct assets *assets = session->services->assets;
    enum err_code r = contract_load(talk->arena, assets, "image_chat", &contract, err);
    if (!r)
        r = studio_prompt_make(talk->arena, assets, &talk->history, &talk->before, talk->message,
                               &prompt, err);
    *out_was_asked = !r;
    if (r)
        return r;
    check.example = contract.good;
    contract.good = example_now(talk);
    contract.cross_check = check_prompt;
    contract.context = &check;
    return engine_ask(talk->studio->engine, &session->scope, talk->arena, &contract, &prompt, out,
                      err);
}

enum err_code studio_turn(struct studio *studio, struct conversation *conversation,
                          const char *message, struct studio_result *out, struct err *err)
{
    struct run_session *session = studio->session;
    struct arena *arena = session->arena;
    const struct settings *settings = session->services->settings;
    struct ask_outcome outcome = { 0 };
    struct studio_result result = { 0 };
    struct studio_talk talk = { .studio = studio,
                                .arena = arena,
                                .conversation = conversation,
                                .message = message,
                                .history = studio_history_of(arena, settings, conversation),
                                .before = studio_state_of(arena, conversation),
                                .result = &result };
    result.state = talk.before;
    bool was_asked = false;
    struct err why = { 0 };
    enum err_code r = ask(&talk, &outcome, &was_asked, &why);
    result.attempts = outcome.attempts;
    if (r && (!was_asked || run_session_check(session, NULL))) {
        if (err)
            *err = why;
        return r;
    }
    if (r)
        end_badly(&talk, &why);
    else
        accept(&talk, &outcome);
    *out = result;
    return ERR_NONE;
}
