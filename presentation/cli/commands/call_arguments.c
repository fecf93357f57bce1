#include "presentation/cli/commands/call_arguments.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/files.h"
#include <string.h>

static bool allows_type(const json_t *schema, const char *type)
{
    const json_t *types = json_object_get(schema, "type"), *one;
    size_t i;
    if (json_is_string(types))
        return strcmp(json_string_value(types), type) == 0;
    json_array_foreach ((json_t *)(uintptr_t)types, i, one)
        if (text_equal(json_string_value(one), type))
            return true;
    return false;
}

json_t *call_argument_value(const json_t *schema, const char *text)
{
    int64_t whole;
    double number;
    json_t *string = json_string(text);
    if (!schema || !json_object_get(schema, "type") || allows_type(schema, "string"))
        return string;
    json_t *value = NULL;
    if ((allows_type(schema, "integer") || allows_type(schema, "number")) &&
        text_to_int64(text, &whole))
        value = json_integer(whole);
    else if (allows_type(schema, "number") && text_to_double(text, &number))
        value = json_real(number);
    else if (allows_type(schema, "boolean") && strcmp(text, "true") == 0)
        value = json_true();
    else if (allows_type(schema, "boolean") && strcmp(text, "false") == 0)
        value = json_false();
    else if ((text[0] == '[' && allows_type(schema, "array")) ||
             (text[0] == '{' && allows_type(schema, "object")))
        (void)!json_parse(text, strlen(text), JSON_OURS, &value, NULL);
    else if (allows_type(schema, "array") && string)
        value = json_pack("[O]", string);
    if (!value)
        return string;
    json_decref(string);
    return value;
}

static enum err_code merge_object(const char *text, size_t length, json_t *into, struct err *err)
{
    json_auto_t *object = NULL;
    enum err_code r = json_parse(text, length, JSON_OURS, &object, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "arguments");
    if (!json_is_object(object))
        return err_set(err, ERR_INVALID, 0, "arguments: not a JSON object");
    json_object_update(into, object);
    return ERR_NONE;
}

static enum err_code merge_input(struct cli *cli, json_t *into, struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    enum err_code r = files_read(
        &(struct file_reader){ cli->console, cli->scope, cli->arena, CALL_ARGUMENTS_MAX_BYTES },
        "-", &text, &length, err);
    return r ? r : merge_object(text, length, into, err);
}

static enum err_code set_from_file(struct cli *cli, const char *key, const char *path, json_t *into,
                                   struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    enum err_code r = files_read(
        &(struct file_reader){ cli->console, cli->scope, cli->arena, CALL_ARGUMENTS_MAX_BYTES },
        path, &text, &length, err);
    if (r)
        return err_prefix(err, r, "argument %s", key);
    json_t *value = json_stringn(text, length);
    if (!value)
        return err_set(err, ERR_INVALID, 0, "argument %s: %.200s is not UTF-8 text", key, path);
    json_object_set_new(into, key, value);
    return ERR_NONE;
}

static enum err_code set_from_json(const char *key, const char *text, json_t *into, struct err *err)
{
    json_t *value = NULL;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "argument %s", key);
    json_object_set_new(into, key, value);
    return ERR_NONE;
}

static enum err_code parse_word(struct cli *cli, const char *word, const json_t *properties,
                                json_t *into, struct err *err)
{
    if (strcmp(word, "-") == 0)
        return merge_input(cli, into, err);
    if (word[0] == '{')
        return merge_object(word, strlen(word), into, err);
    size_t length = strcspn(word, "=:@");
    bool as_json = word[length] == ':' && word[length + 1] == '=';
    if (!length || (!as_json && word[length] != '=' && word[length] != '@')) {
        enum err_code r = err_set(err, ERR_INVALID, 0, "\"%.60s\" is not an argument", word);
        return err_hint(err, r, "write name=value, name:=JSON, name@FILE or '{…}'");
    }
    const char *key = arena_strndup(cli->arena, word, length);
    if (as_json)
        return set_from_json(key, word + length + 2, into, err);
    if (word[length] == '@')
        return set_from_file(cli, key, word + length + 1, into, err);
    json_t *value = call_argument_value(json_object_get(properties, key), word + length + 1);
    if (!value)
        return err_set(err, ERR_INVALID, 0, "argument %s: not UTF-8 text", key);
    json_object_set_new(into, key, value);
    return ERR_NONE;
}

enum err_code call_arguments_parse(struct cli *cli, const char *const *words, size_t n_words,
                                   const json_t *input_schema, json_t **out, struct err *err)
{
    json_t *object = arena_keep_json(cli->arena, json_object());
    const json_t *properties = json_object_get(input_schema, "properties");
    for (size_t i = 0; i < n_words; i++) {
        enum err_code r = parse_word(cli, words[i], properties, object, err);
        if (r)
            return r;
    }
    *out = object;
    return ERR_NONE;
}
