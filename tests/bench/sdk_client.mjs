// The peer: a client on the npm TypeScript SDK 1.x, as its documentation shows one.
//   node sdk_client.mjs cold|calls|parallel CONFIG [N] [DELAY_MS]
//   node sdk_client.mjs results CONFIG N BYTES      N results of so many bytes, one after the other
// With SDK=2 in the environment it is the SDK 2.x.
import { readFileSync } from 'node:fs';

const second = process.env.SDK === '2';
const { Client } = await import(
  second ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await import(
  second ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/sdk/client/stdio.js');

const { StreamableHTTPClientTransport } = await import(
  second ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/streamableHttp.js');

const [workload, config, n = '0', delay = '0'] = process.argv.slice(2);
const clients = [];
for (const def of Object.values(JSON.parse(readFileSync(config, 'utf8')).mcpServers)) {
  const client = new Client({ name: 'peer', version: '1' });
  await client.connect(def.url ? new StreamableHTTPClientTransport(new URL(def.url))
    : new StdioClientTransport({ command: def.command, args: def.args }));
  await client.listTools();
  clients.push(client);
}
const call = (i, extra = {}) =>
  clients[0].callTool({ name: 'echo', arguments: { text: `message ${i}`, ...extra } });
if (workload === 'calls') for (let i = 0; i < Number(n); i++) await call(i);
if (workload === 'results')
  for (let i = 0; i < Number(n); i++)
    process.stdout.write(JSON.stringify(await call(i, { size: Number(delay) })) + '\n');
if (workload === 'parallel')
  await Promise.all(Array.from({ length: Number(n) }, (_, i) => call(i, { delay_ms: Number(delay) })));
await Promise.all(clients.map((client) => client.close()));
