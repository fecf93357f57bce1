// A small server of 2026-07-28 on the npm SDK 2.x: a tool that asks before it answers.
import { McpServer, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const requestedSchema = {
  type: 'object',
  properties: { ok: { type: 'boolean', default: true }, why: { type: 'string' } },
  required: ['ok'],
};

serveStdio(() => {
  const server = new McpServer({ name: 'asking', version: '1' });
  server.registerTool('confirm', { inputSchema: z.object({}) }, async (_arguments, context) => {
    const answer = context?.mcpReq?.inputResponses?.sure;
    if (answer) return { content: [{ type: 'text', text: `got ${JSON.stringify(answer)}` }] };
    const sure = inputRequired.elicit({ message: 'Are you sure?', requestedSchema });
    return inputRequired({ inputRequests: { sure }, requestState: 'opaque "state"' });
  });
  return server;
});
