// The peer: a client on the npm TypeScript SDK 1.x, as its documentation shows one.
//   node sdk_client.mjs cold|calls|parallel CONFIG [N] [DELAY_MS]
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [workload, config, n = '0', delay = '0'] = process.argv.slice(2);
const clients = [];
for (const def of Object.values(JSON.parse(readFileSync(config, 'utf8')).mcpServers)) {
  const client = new Client({ name: 'peer', version: '1' });
  await client.connect(new StdioClientTransport({ command: def.command, args: def.args }));
  await client.listTools();
  clients.push(client);
}
const call = (i, extra = {}) =>
  clients[0].callTool({ name: 'echo', arguments: { text: `message ${i}`, ...extra } });
if (workload === 'calls') for (let i = 0; i < Number(n); i++) await call(i);
if (workload === 'parallel')
  await Promise.all(Array.from({ length: Number(n) }, (_, i) => call(i, { delay_ms: Number(delay) })));
await Promise.all(clients.map((client) => client.close()));
