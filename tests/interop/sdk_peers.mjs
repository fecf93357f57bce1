// The npm SDK clients 1.x and 2.x behind one face, so that what a served server must do is written down
// once. The 2.x client speaks the old era, finds out by itself, or insists on 2026-07-28.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const info = { name: 'peer', version: '1' };

export const peers = [
  { name: 'SDK 1.x', era: 'legacy' },
  { name: 'SDK 2.x as of 2025', era: 'legacy', mode: 'legacy' },
  { name: 'SDK 2.x that asks', era: 'modern', mode: 'auto' },
  { name: 'SDK 2.x of 2026', era: 'modern', mode: { pin: '2026-07-28' } },
];

const notices1 = {
  'notifications/tools/list_changed': types1.ToolListChangedNotificationSchema,
  'notifications/message': types1.LoggingMessageNotificationSchema,
};

const questions1 = {
  'elicitation/create': types1.ElicitRequestSchema,
  'sampling/createMessage': types1.CreateMessageRequestSchema,
};

// The words of a command that is started, or {url, token, fetch} of a server that runs (fetch may be left out).
function transportOf(isOld, server) {
  if (Array.isArray(server)) {
    const [command, ...args] = server;
    return new (isOld ? Stdio1 : Stdio2)({ command, args, stderr: 'ignore' });
  }
  const { url, token, fetch } = server;
  return new (isOld ? Http1 : Http2)(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } }, fetch });
}

// A connected client. call(params, options), list(kind) with all pages, on(notice, handler). Of what a
// server may ask it declares what there is in answers: a function of the params by method.
export async function connect(peer, server, answers = {}) {
  const isOld = !peer.mode;
  const capabilities = {
    ...(answers['elicitation/create'] && { elicitation: { form: {}, url: {} } }),
    ...(answers['sampling/createMessage'] && { sampling: {} }),
  };
  const client = isOld
    ? new Client1(info, { capabilities })
    : new Client2(info, { capabilities, versionNegotiation: { mode: peer.mode } });
  for (const [method, answer] of Object.entries(answers))
    client.setRequestHandler(isOld ? questions1[method] : method, async (request) => answer(request.params));
  await client.connect(transportOf(isOld, server));
  return {
    client,
    era: isOld ? 'legacy' : client.getProtocolEra(),
    call: (params, options) => (isOld ? client.callTool(params, undefined, options) : client.callTool(params, options)),
    on: (notice, handler) => client.setNotificationHandler(isOld ? notices1[notice] : notice, handler),
    list: (method, member) => allPages(client, method, member),
  };
}

// 2.x gathers the pages itself; asked with a cursor it gives one.
async function allPages(client, method, member) {
  const all = new Map();
  let cursor;
  do {
    const page = await client[method](cursor === undefined ? undefined : { cursor });
    for (const entry of page[member]) all.set(entry.name ?? entry.uri, entry);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return [...all.values()];
}
