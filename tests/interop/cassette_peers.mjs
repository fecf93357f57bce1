// Cassettes of mistro in mcporter, and the other way round.
//   node cassette_peers.mjs replay FILE SERVER     the recorded requests of the server, through mcporter's own replay
//   node cassette_peers.mjs record FILE COMMAND…   one call of a server, recorded by mcporter
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

// mcporter does not export its transports.
const here = path.dirname(fileURLToPath(import.meta.url));
const runtime = (name) => import(pathToFileURL(path.join(here, 'node_modules/mcporter/dist/runtime', name)).href);
const [what, file, ...words] = process.argv.slice(2);

async function replay(server) {
  const { ReplayTransport } = await runtime('replay-transport.js');
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const of = (dir) => lines.filter((line) => line._meta?.server === server && line._meta.dir === dir);
  const bare = ({ _meta, ...message }) => message;
  const transport = new ReplayTransport({ recordPath: file, server });
  let answer;
  transport.onmessage = (message) => { answer = message; };
  let requests = 0;
  for (const sent of of('send').map(bare).filter((message) => message.method)) {
    answer = undefined;
    await transport.send(sent);
    await new Promise(setImmediate);
    const recorded = of('recv').map(bare).find((message) => message.id === sent.id);
    assert.deepEqual(answer, recorded);
    requests++;
  }
  await transport.close(); // throws where a recorded request is left over
  console.log(`${requests} requests`);
}

async function record() {
  const { RecordTransport } = await runtime('record-transport.js');
  const inner = new StdioClientTransport({ command: words[0], args: words.slice(1) });
  const client = new Client({ name: 'peer', version: '1' });
  await client.connect(new RecordTransport({ inner, recordPath: file, server: 'dev' }));
  await client.listTools();
  console.log((await client.callTool({ name: 'greet', arguments: { name: 'ada' } })).content[0].text);
  await client.close();
}

await (what === 'replay' ? replay(words[0]) : record());
