/* A run of the log as a trace of OpenTelemetry, in OTLP's JSON encoding: one
 * ExportTraceServiceRequest, as a collector takes it by HTTP or from a file of such lines.
 *
 * The run is `invoke_workflow KIND`; below it are `plan`, `chat MODEL` for each request to a model
 * (below `plan` where that is what it was for), `execute_tool SERVER/TOOL` for each call of a step,
 * and below that `tools/call TOOL` for each attempt, under the span id that its server was told.
 * Names and attributes are those of open-telemetry/semantic-conventions-genai at commit
 * e8fc5751506258db1459d1bde47994e01dee922e (docs/gen-ai). What only the wire knew (mcp.session.id,
 * jsonrpc.request.id, gen_ai.provider.name beyond "mistro") is not in the log. */
#ifndef APPLICATION_USE_CASES_RUNS_OTLP_TRACE_H
#define APPLICATION_USE_CASES_RUNS_OTLP_TRACE_H

#include "application/trace.h"
#include "application/use_cases/runs/runs.h"

/* with_texts: prompts, replies, arguments, results and the messages of errors too, as far as the
 * log has them. The object is in the arena. */
const json_t *otlp_trace(struct arena *arena, struct digest *digest,
                         const struct recorded_run *recorded, bool with_texts);

#endif
