// Prints "server/tool" for every tool of every server of a configuration, with the npm SDK.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

for (const [name, def] of Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')).mcpServers)) {
  const client = new Client({ name: 'peer', version: '1' });
  await client.connect(new StdioClientTransport({ command: def.command, args: def.args, stderr: 'ignore' }));
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    for (const tool of page.tools) console.log(`${name}/${tool.name}`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await client.close();
}
