// modern_tools.mjs on a loopback port: /mcp speaks both eras, /strict only that of 2026-07-28. Prints
// the port, then a line for each request: method, Mcp-Method, and what came in Mcp-Param-*. A call that
// its client gave up is told as "gone". The list of tools and a resource are said to have changed again
// and again.
import http from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { modernServer } from './modern_tools.mjs';

const both = createMcpHandler(modernServer, { legacy: 'stateless', keepAliveMs: 500 });
const strict = createMcpHandler(modernServer, { legacy: 'reject', keepAliveMs: 500 });

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return pieces.length ? Buffer.concat(pieces) : undefined;
}

function note(request) {
  const params = Object.entries(request.headers).filter(([name]) => name.startsWith('mcp-param-'));
  console.log([request.method, request.headers['mcp-method'] ?? '-', ...params.map((p) => p.join('='))].join(' '));
}

const server = http.createServer(async (request, response) => {
  const body = await bodyOf(request);
  const gone = new AbortController();
  note(request);
  response.on('close', () => {
    if (!response.writableFinished) console.log('gone', request.headers['mcp-method'] ?? '-');
    gone.abort();
  });
  const url = `http://127.0.0.1:${server.address().port}${request.url}`;
  const handler = request.url.startsWith('/strict') ? strict : both;
  const answer = await handler.fetch(
    new Request(url, { method: request.method, headers: request.headers, body, signal: gone.signal }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) Readable.fromWeb(answer.body).on('error', () => {}).pipe(response);
  else response.end();
});
server.listen(0, '127.0.0.1', () => console.log('port', server.address().port));
setInterval(() => {
  for (const { notify } of [both, strict]) {
    notify.toolsChanged();
    notify.resourceUpdated('count:///n');
  }
}, 300);
