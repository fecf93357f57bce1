// Whether an exported run is what OpenTelemetry's own writer makes of the same spans. It reads no requests,
// only writes them: so each file is turned into the SDK's spans, these are written by JsonTraceSerializer, and
// every member of ours has to stand there with the same value. ProtobufTraceSerializer has to take them too.
// usage: otlp_writer.mjs FILE…; prints how many spans were alike, or what is not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";

const only = (object, ...allowed) =>
  assert.deepEqual(Object.keys(object).filter((key) => !allowed.includes(key)), [], "members of no message");

function value(any) {
  only(any, "stringValue", "intValue", "doubleValue", "boolValue", "arrayValue");
  assert.equal(Object.keys(any).length, 1);
  if ("arrayValue" in any) return any.arrayValue.values.map(value);
  return "intValue" in any ? Number(any.intValue) : Object.values(any)[0];
}

const attributes = (list) => Object.fromEntries(list.map(({ key, value: any }) => [key, value(any)]));

function time(text) {
  assert.match(text, /^[0-9]{19}$/);
  return [Number(BigInt(text) / 1000000000n), Number(BigInt(text) % 1000000000n)];
}

function sdkSpan(span, resource, instrumentationScope) {
  only(span, "traceId", "spanId", "parentSpanId", "traceState", "name", "kind", "startTimeUnixNano",
    "endTimeUnixNano", "attributes", "status");
  assert.match(span.traceId, /^(?!0+$)[0-9a-f]{32}$/);
  for (const id of [span.spanId, span.parentSpanId ?? span.spanId]) assert.match(id, /^(?!0+$)[0-9a-f]{16}$/);
  const traceState = span.traceState && { serialize: () => span.traceState };
  return {
    name: span.name,
    kind: span.kind - 1, // the SDK counts from INTERNAL
    spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1, traceState }),
    parentSpanContext: span.parentSpanId && { traceId: span.traceId, spanId: span.parentSpanId, traceFlags: 1 },
    startTime: time(span.startTimeUnixNano),
    endTime: time(span.endTimeUnixNano),
    attributes: attributes(span.attributes),
    status: span.status,
    events: [], links: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0,
    resource, instrumentationScope,
  };
}

// Every member of ours, with the same value; 64 bits are text here and may be a number there.
function contains(theirs, ours, path) {
  if (ours === null || typeof ours !== "object")
    return assert.equal(String(theirs), String(ours), `${path}: ${theirs} instead of ${ours}`);
  if (Array.isArray(ours)) assert.equal(theirs?.length, ours.length, path);
  for (const key of Object.keys(ours)) {
    // JavaScript has no doubles that are whole: it writes them as integers.
    if (key === "doubleValue" && Number.isInteger(ours[key])) continue;
    contains(theirs?.[key], ours[key], `${path}/${key}`);
  }
}

let alike = 0;
for (const file of process.argv.slice(2)) {
  const request = JSON.parse(readFileSync(file, "utf8"));
  only(request, "resourceSpans");
  const spans = request.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const sdkResource = { attributes: attributes(resource.attributes) };
    return scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => sdkSpan(span, sdkResource, scope)));
  });
  const written = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)));
  contains(written, request, file);
  assert.ok(ProtobufTraceSerializer.serializeRequest(spans).length > 100);
  alike += spans.length;
}
console.log(`${alike} spans alike`);
