// Drives a server that mistro serves with the npm SDK: node sdk_client_of_mistro.mjs COMMAND ARGS…
// Prints the names of its tools and the text of one call: the last two arguments are TOOL and JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const words = process.argv.slice(2);
const args = JSON.parse(words.pop());
const tool = words.pop();
const client = new Client({ name: 'peer', version: '1' });
await client.connect(new StdioClientTransport({ command: words[0], args: words.slice(1) }));
const { tools } = await client.listTools();
console.log(tools.map((t) => t.name).join(' '));
const result = await client.callTool({ name: tool, arguments: args });
console.log(result.content[0].text);
await client.close();
