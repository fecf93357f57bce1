/* Which dialect and which vocabularies a schema is written in. */
#include "domain/schema/json_schema_internal.h"
#include <string.h>

static const struct {
    const char *uri;
    enum dialect dialect;
} dialects[] = {
    { "https://json-schema.org/draft/2020-12/schema", DIALECT_2020_12 },
    { "http://json-schema.org/draft-07/schema", DIALECT_DRAFT_07 },
    { "https://json-schema.org/draft-07/schema", DIALECT_DRAFT_07 },
};

/* Annotations only, as far as this validator goes, have no bit. */
static const struct {
    const char *name;
    unsigned vocabulary;
} vocabularies[] = {
    { "core", VOCABULARY_CORE },
    { "applicator", VOCABULARY_APPLICATOR },
    { "unevaluated", VOCABULARY_UNEVALUATED },
    { "validation", VOCABULARY_VALIDATION },
    { "meta-data", 0 },
    { "format-annotation", 0 },
    { "content", 0 },
};

static bool same_uri(const char *uri, const char *with_optional_hash)
{
    size_t length = strlen(uri);
    return strncmp(uri, with_optional_hash, length) == 0 &&
           (!with_optional_hash[length] || strcmp(with_optional_hash + length, "#") == 0);
}

static bool find_vocabulary(const char *uri, unsigned *out_bits)
{
    static const char prefix[] = "https://json-schema.org/draft/2020-12/vocab/";
    if (strncmp(uri, prefix, sizeof prefix - 1) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(vocabularies); i++)
        if (strcmp(uri + sizeof prefix - 1, vocabularies[i].name) == 0) {
            *out_bits = vocabularies[i].vocabulary;
            return true;
        }
    return false;
}

static enum err_code read_vocabularies(const json_t *metaschema, struct resource *resource,
                                       struct err *err)
{
    const json_t *listed = json_object_get(metaschema, "$vocabulary");
    const char *uri;
    json_t *required;
    if (!json_is_object(listed))
        return ERR_NONE;
    resource->vocabularies = VOCABULARY_CORE;
    json_object_foreach (schema_unconst(listed), uri, required) {
        unsigned bits = 0;
        if (!find_vocabulary(uri, &bits) && json_is_true(required))
            return err_set(err, ERR_INVALID, 0, "unknown vocabulary \"%.120s\"", uri);
        resource->vocabularies |= bits;
    }
    return ERR_NONE;
}

static const json_t *find_document(const struct json_schema *schema, const char *uri)
{
    for (size_t i = 0; i < schema->n_documents; i++)
        if (same_uri(schema->documents[i].uri, uri))
            return schema->documents[i].value;
    return NULL;
}

static enum err_code read_hop(const struct json_schema *schema, const char *uri,
                              struct resource *resource, int hops, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++)
        if (same_uri(dialects[i].uri, uri)) {
            resource->dialect = dialects[i].dialect;
            resource->vocabularies = VOCABULARY_ALL;
            return ERR_NONE;
        }
    const json_t *metaschema = find_document(schema, uri);
    const char *above = json_string_value(json_object_get(metaschema, "$schema"));
    if (!metaschema || !above || hops >= JSON_SCHEMA_MAX_METASCHEMA_HOPS) {
        err_set(err, ERR_INVALID, 0, "unknown dialect \"%.120s\"", uri);
        return err_hint(err, ERR_INVALID, "supported are 2020-12 and draft-07");
    }
    enum err_code r = read_hop(schema, above, resource, hops + 1, err);
    return r ? r : read_vocabularies(metaschema, resource, err);
}

enum err_code schema_dialect_read(const struct json_schema *schema, const char *dialect_uri,
                                  struct resource *resource, struct err *err)
{
    return dialect_uri ? read_hop(schema, dialect_uri, resource, 0, err) : ERR_NONE;
}
