// Servers with whose TLS something is wrong, each on a port of its own: node odd_tls_servers.mjs FOLDER,
// which has NAME.key and NAME.pem. Prints "NAME PORT" for each, and "NAME connection" for each connection.
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import net from "node:net";

const pair = (name) => ({
  key: fs.readFileSync(`${process.argv[2]}/${name}.key`),
  cert: fs.readFileSync(`${process.argv[2]}/${name}.pem`),
});

function resultOf(message) {
  switch (message.method) {
    case "server/discover":
      return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "tools/list":
      return { tools: [{ name: "version", inputSchema: { type: "object" } }], ttlMs: 60000 };
    default:
      return { content: [{ type: "text", text: "fine" }] };
  }
}

// An MCP server, and as much of a model's endpoint as it takes to be asked for its models.
function answer(request, response) {
  let text = "";
  request.on("data", (bytes) => (text += bytes));
  request.on("end", () => {
    response.setHeader("content-type", "application/json");
    response.setHeader("connection", "close");
    if (request.url.endsWith("/models")) return response.end('{"data":[{"id":"m"}]}');
    const message = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) }));
  });
}

function listen(name, server) {
  server.on("connection", () => console.log(`${name} connection`));
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1", () => console.log(`${name} ${server.address().port}`));
}

for (const name of ["good", "expired", "elsewhere", "selfsigned"])
  listen(name, https.createServer(pair(name), answer));
listen("plain", http.createServer(answer));
listen("cut", net.createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => socket.destroy());
}));
const changing = https.createServer(pair("good"), (request, response) => {
  changing.setSecureContext(pair("selfsigned"));
  answer(request, response);
});
listen("changing", changing);
