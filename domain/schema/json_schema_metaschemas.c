/* The metaschemas of the two dialects: data of the specification (titles and comments left out),
 * so that "$ref" to them needs no network. */
#include "domain/schema/json_schema_internal.h"
#include <string.h>

static const struct {
    const char *uri, *text;
} metaschemas[] = {
    { "https://json-schema.org/draft/2020-12/schema",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/schema\",\"$vocabulary\":{\"https://json-schema.org/draft/"
      "2020-12/vocab/core\":true,\"https://json-schema.org/draft/2020-12/vocab/applicator\""
      ":true,\"https://json-schema.org/draft/2020-12/vocab/unevaluated\":true,\"https://jso"
      "n-schema.org/draft/2020-12/vocab/validation\":true,\"https://json-schema.org/draft/2"
      "020-12/vocab/meta-data\":true,\"https://json-schema.org/draft/2020-12/vocab/format-a"
      "nnotation\":true,\"https://json-schema.org/draft/2020-12/vocab/content\":true},\"$dy"
      "namicAnchor\":\"meta\",\"allOf\":[{\"$ref\":\"meta/core\"},{\"$ref\":\"meta/applicat"
      "or\"},{\"$ref\":\"meta/unevaluated\"},{\"$ref\":\"meta/validation\"},{\"$ref\":\"met"
      "a/meta-data\"},{\"$ref\":\"meta/format-annotation\"},{\"$ref\":\"meta/content\"}],\""
      "type\":[\"object\",\"boolean\"],\"properties\":{\"definitions\":{\"type\":\"object\""
      ",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"deprecated\":true,\"default"
      "\":{}},\"dependencies\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{"
      "\"$dynamicRef\":\"#meta\"},{\"$ref\":\"meta/validation#/$defs/stringArray\"}]},\"dep"
      "recated\":true,\"default\":{}},\"$recursiveAnchor\":{\"$ref\":\"meta/core#/$defs/anc"
      "horString\",\"deprecated\":true},\"$recursiveRef\":{\"$ref\":\"meta/core#/$defs/uriR"
      "eferenceString\",\"deprecated\":true}}}" },
    { "https://json-schema.org/draft/2020-12/meta/core",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/core\",\"$vocabulary\":{\"https://json-schema.org/dra"
      "ft/2020-12/vocab/core\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boo"
      "lean\"],\"properties\":{\"$id\":{\"$ref\":\"#/$defs/uriReferenceString\",\"pattern\""
      ":\"^[^#]*#?$\"},\"$schema\":{\"$ref\":\"#/$defs/uriString\"},\"$ref\":{\"$ref\":\"#/"
      "$defs/uriReferenceString\"},\"$anchor\":{\"$ref\":\"#/$defs/anchorString\"},\"$dynam"
      "icRef\":{\"$ref\":\"#/$defs/uriReferenceString\"},\"$dynamicAnchor\":{\"$ref\":\"#/$"
      "defs/anchorString\"},\"$vocabulary\":{\"type\":\"object\",\"propertyNames\":{\"$ref"
      "\":\"#/$defs/uriString\"},\"additionalProperties\":{\"type\":\"boolean\"}},\"$commen"
      "t\":{\"type\":\"string\"},\"$defs\":{\"type\":\"object\",\"additionalProperties\":{"
      "\"$dynamicRef\":\"#meta\"}}},\"$defs\":{\"anchorString\":{\"type\":\"string\",\"patt"
      "ern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"},\"uriString\":{\"type\":\"string\",\"format\":"
      "\"uri\"},\"uriReferenceString\":{\"type\":\"string\",\"format\":\"uri-reference\"}}}" },
    { "https://json-schema.org/draft/2020-12/meta/applicator",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/applicator\",\"$vocabulary\":{\"https://json-schema.o"
      "rg/draft/2020-12/vocab/applicator\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"ob"
      "ject\",\"boolean\"],\"properties\":{\"prefixItems\":{\"$ref\":\"#/$defs/schemaArray"
      "\"},\"items\":{\"$dynamicRef\":\"#meta\"},\"contains\":{\"$dynamicRef\":\"#meta\"},"
      "\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"properties\":{\"type\":\"obje"
      "ct\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"default\":{}},\"patternP"
      "roperties\":{\"type\":\"object\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\""
      "},\"propertyNames\":{\"format\":\"regex\"},\"default\":{}},\"dependentSchemas\":{\"t"
      "ype\":\"object\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"default\":{}"
      "},\"propertyNames\":{\"$dynamicRef\":\"#meta\"},\"if\":{\"$dynamicRef\":\"#meta\"},"
      "\"then\":{\"$dynamicRef\":\"#meta\"},\"else\":{\"$dynamicRef\":\"#meta\"},\"allOf\":"
      "{\"$ref\":\"#/$defs/schemaArray\"},\"anyOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"on"
      "eOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"not\":{\"$dynamicRef\":\"#meta\"}},\"$def"
      "s\":{\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$dynamicRef\":"
      "\"#meta\"}}}}" },
    { "https://json-schema.org/draft/2020-12/meta/unevaluated",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/unevaluated\",\"$vocabulary\":{\"https://json-schema."
      "org/draft/2020-12/vocab/unevaluated\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\""
      "object\",\"boolean\"],\"properties\":{\"unevaluatedItems\":{\"$dynamicRef\":\"#meta"
      "\"},\"unevaluatedProperties\":{\"$dynamicRef\":\"#meta\"}}}" },
    { "https://json-schema.org/draft/2020-12/meta/validation",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/validation\",\"$vocabulary\":{\"https://json-schema.o"
      "rg/draft/2020-12/vocab/validation\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"ob"
      "ject\",\"boolean\"],\"properties\":{\"type\":{\"anyOf\":[{\"$ref\":\"#/$defs/simpleT"
      "ypes\"},{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/simpleTypes\"},\"minItems"
      "\":1,\"uniqueItems\":true}]},\"const\":true,\"enum\":{\"type\":\"array\",\"items\":t"
      "rue},\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},\"maximum\":{\"type"
      "\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},\"minimum\":{\"type\":\"nu"
      "mber\"},\"exclusiveMinimum\":{\"type\":\"number\"},\"maxLength\":{\"$ref\":\"#/$defs"
      "/nonNegativeInteger\"},\"minLength\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0"
      "\"},\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},\"maxItems\":{\"$ref\":\""
      "#/$defs/nonNegativeInteger\"},\"minItems\":{\"$ref\":\"#/$defs/nonNegativeIntegerDef"
      "ault0\"},\"uniqueItems\":{\"type\":\"boolean\",\"default\":false},\"maxContains\":{"
      "\"$ref\":\"#/$defs/nonNegativeInteger\"},\"minContains\":{\"$ref\":\"#/$defs/nonNega"
      "tiveInteger\",\"default\":1},\"maxProperties\":{\"$ref\":\"#/$defs/nonNegativeIntege"
      "r\"},\"minProperties\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0\"},\"required"
      "\":{\"$ref\":\"#/$defs/stringArray\"},\"dependentRequired\":{\"type\":\"object\",\"a"
      "dditionalProperties\":{\"$ref\":\"#/$defs/stringArray\"}}},\"$defs\":{\"nonNegativeI"
      "nteger\":{\"type\":\"integer\",\"minimum\":0},\"nonNegativeIntegerDefault0\":{\"$ref"
      "\":\"#/$defs/nonNegativeInteger\",\"default\":0},\"simpleTypes\":{\"enum\":[\"array"
      "\",\"boolean\",\"integer\",\"null\",\"number\",\"object\",\"string\"]},\"stringArray"
      "\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true,\"defaul"
      "t\":[]}}}" },
    { "https://json-schema.org/draft/2020-12/meta/meta-data",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/meta-data\",\"$vocabulary\":{\"https://json-schema.or"
      "g/draft/2020-12/vocab/meta-data\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"obje"
      "ct\",\"boolean\"],\"properties\":{\"title\":{\"type\":\"string\"},\"description\":{"
      "\"type\":\"string\"},\"default\":true,\"deprecated\":{\"type\":\"boolean\",\"default"
      "\":false},\"readOnly\":{\"type\":\"boolean\",\"default\":false},\"writeOnly\":{\"typ"
      "e\":\"boolean\",\"default\":false},\"examples\":{\"type\":\"array\",\"items\":true}}"
      "}" },
    { "https://json-schema.org/draft/2020-12/meta/format-annotation",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/format-annotation\",\"$vocabulary\":{\"https://json-s"
      "chema.org/draft/2020-12/vocab/format-annotation\":true},\"$dynamicAnchor\":\"meta\","
      "\"type\":[\"object\",\"boolean\"],\"properties\":{\"format\":{\"type\":\"string\"}}}" },
    { "https://json-schema.org/draft/2020-12/meta/content",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://json"
      "-schema.org/draft/2020-12/meta/content\",\"$vocabulary\":{\"https://json-schema.org/"
      "draft/2020-12/vocab/content\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"object\""
      ",\"boolean\"],\"properties\":{\"contentEncoding\":{\"type\":\"string\"},\"contentMed"
      "iaType\":{\"type\":\"string\"},\"contentSchema\":{\"$dynamicRef\":\"#meta\"}}}" },
    { "http://json-schema.org/draft-07/schema",
      "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"http://json-schem"
      "a.org/draft-07/schema#\",\"definitions\":{\"schemaArray\":{\"type\":\"array\",\"minI"
      "tems\":1,\"items\":{\"$ref\":\"#\"}},\"nonNegativeInteger\":{\"type\":\"integer\",\""
      "minimum\":0},\"nonNegativeIntegerDefault0\":{\"allOf\":[{\"$ref\":\"#/definitions/no"
      "nNegativeInteger\"},{\"default\":0}]},\"simpleTypes\":{\"enum\":[\"array\",\"boolean"
      "\",\"integer\",\"null\",\"number\",\"object\",\"string\"]},\"stringArray\":{\"type\""
      ":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true,\"default\":[]}},\"t"
      "ype\":[\"object\",\"boolean\"],\"properties\":{\"$id\":{\"type\":\"string\",\"format"
      "\":\"uri-reference\"},\"$schema\":{\"type\":\"string\",\"format\":\"uri\"},\"$ref\":"
      "{\"type\":\"string\",\"format\":\"uri-reference\"},\"$comment\":{\"type\":\"string\""
      "},\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},\"default\":"
      "true,\"readOnly\":{\"type\":\"boolean\",\"default\":false},\"examples\":{\"type\":\""
      "array\",\"items\":true},\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
      "\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},\"minim"
      "um\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},\"maxLength\":"
      "{\"$ref\":\"#/definitions/nonNegativeInteger\"},\"minLength\":{\"$ref\":\"#/definiti"
      "ons/nonNegativeIntegerDefault0\"},\"pattern\":{\"type\":\"string\",\"format\":\"rege"
      "x\"},\"additionalItems\":{\"$ref\":\"#\"},\"items\":{\"anyOf\":[{\"$ref\":\"#\"},{\""
      "$ref\":\"#/definitions/schemaArray\"}],\"default\":true},\"maxItems\":{\"$ref\":\"#/"
      "definitions/nonNegativeInteger\"},\"minItems\":{\"$ref\":\"#/definitions/nonNegative"
      "IntegerDefault0\"},\"uniqueItems\":{\"type\":\"boolean\",\"default\":false},\"contai"
      "ns\":{\"$ref\":\"#\"},\"maxProperties\":{\"$ref\":\"#/definitions/nonNegativeInteger"
      "\"},\"minProperties\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0\"},\"requ"
      "ired\":{\"$ref\":\"#/definitions/stringArray\"},\"additionalProperties\":{\"$ref\":"
      "\"#\"},\"definitions\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\""
      "},\"default\":{}},\"properties\":{\"type\":\"object\",\"additionalProperties\":{\"$r"
      "ef\":\"#\"},\"default\":{}},\"patternProperties\":{\"type\":\"object\",\"additionalP"
      "roperties\":{\"$ref\":\"#\"},\"propertyNames\":{\"format\":\"regex\"},\"default\":{}"
      "},\"dependencies\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{\"$ref"
      "\":\"#\"},{\"$ref\":\"#/definitions/stringArray\"}]}},\"propertyNames\":{\"$ref\":\""
      "#\"},\"const\":true,\"enum\":{\"type\":\"array\",\"items\":true},\"type\":{\"anyOf\""
      ":[{\"$ref\":\"#/definitions/simpleTypes\"},{\"type\":\"array\",\"items\":{\"$ref\":"
      "\"#/definitions/simpleTypes\"},\"minItems\":1,\"uniqueItems\":true}]},\"format\":{\""
      "type\":\"string\"},\"contentMediaType\":{\"type\":\"string\"},\"contentEncoding\":{"
      "\"type\":\"string\"},\"if\":{\"$ref\":\"#\"},\"then\":{\"$ref\":\"#\"},\"else\":{\"$"
      "ref\":\"#\"},\"allOf\":{\"$ref\":\"#/definitions/schemaArray\"},\"anyOf\":{\"$ref\":"
      "\"#/definitions/schemaArray\"},\"oneOf\":{\"$ref\":\"#/definitions/schemaArray\"},\""
      "not\":{\"$ref\":\"#\"}},\"default\":true}" },
};

const char *schema_metaschema_text(const char *uri)
{
    for (size_t i = 0; i < ARRAY_LENGTH(metaschemas); i++)
        if (strcmp(metaschemas[i].uri, uri) == 0)
            return metaschemas[i].text;
    return NULL;
}
