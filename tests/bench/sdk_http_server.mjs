// The peer: a server on the npm TypeScript SDK 1.x, stateless as its example has it
// (simpleStatelessStreamableHttp): a server and a transport for each request. Prints its URL.
// "sessions" as its argument keeps both for each session instead. Answers are JSON either way, as mistro's.
import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool('echo', { description: 'Say it again', inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

const keepsSessions = process.argv[2] === 'sessions';
const sessions = new Map();

async function transportFor(request) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) return known;
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: keepsSessions ? randomUUID : undefined,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport;
}

const server = http.createServer(async (request, response) => {
  const transport = await transportFor(request);
  if (!keepsSessions) response.on('close', () => transport.close());
  await transport.handleRequest(request, response);
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', 511, () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
