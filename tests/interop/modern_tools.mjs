// What the small servers of 2026-07-28 on the npm SDK 2.x offer, whatever carries it: a tool for each
// thing that can happen in a call. modern_server.mjs and modern_http_server.mjs serve it.
import { McpServer, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

const form = {
  type: 'object',
  properties: { ok: { type: 'boolean', default: true }, why: { type: 'string' } },
  required: ['ok'],
};

async function slow(_arguments, context) {
  const progressToken = context?.mcpReq?._meta?.progressToken;
  for (let progress = 1; progress <= 3; progress++) {
    await pause(100);
    await context.mcpReq.log?.('info', `step ${progress}`);
    if (progressToken !== undefined)
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 3, message: `part ${progress}` },
      });
  }
  return text('done');
}

async function confirm(_arguments, context) {
  const answer = context?.mcpReq?.inputResponses?.sure;
  if (answer) return text(`got ${JSON.stringify(answer)}`);
  const sure = inputRequired.elicit({ message: 'Are you sure?', requestedSchema: form });
  return inputRequired({ inputRequests: { sure }, requestState: 'opaque "state"' });
}

let n_readings = 0;

export function modernServer() {
  const server = new McpServer(
    { name: 'modern', version: '1' },
    {
      capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: 'be brief',
    },
  );
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool('slow', { inputSchema: z.object({}) }, slow);
  server.registerTool('confirm', { inputSchema: z.object({}) }, confirm);
  server.registerTool('fail', { inputSchema: z.object({}) }, async () => ({ ...text('no luck'), isError: true }));
  server.registerTool(
    'region',
    {
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, urgent: { type: 'boolean', 'x-mcp-header': 'Urgent' } },
        required: ['region'],
      }),
    },
    async ({ region }) => text(`in ${region}`),
  );
  server.registerTool('grow', { inputSchema: z.object({}) }, async () => {
    server.registerTool('grown', { inputSchema: z.object({}) }, async () => text('I am new'));
    await pause(500); // somebody who gathers notices has gathered them
    return text('there is one more tool');
  });
  server.registerResource('count', 'count:///n', {}, async (uri) => {
    setTimeout(() => server.server.sendResourceUpdated({ uri: uri.href }).catch(() => {}), 200);
    return { contents: [{ uri: uri.href, text: `reading ${++n_readings}` }] };
  });
  return server;
}
