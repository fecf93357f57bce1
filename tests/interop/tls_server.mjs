// A modern MCP server over HTTP/2 and TLS, without any library: node tls_server.mjs KEY CERT.
// Prints its port, then a line for each session (connection) and for each stream the client reset.
import fs from "node:fs";
import http2 from "node:http2";

const [key, cert] = process.argv.slice(2).map((path) => fs.readFileSync(path));
const server = http2.createSecureServer({ key, cert });
const schema = { type: "object" };

function resultOf(message, stream) {
  switch (message.method) {
    case "server/discover":
      return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "tools/list":
      return { tools: [{ name: "version", inputSchema: schema }, { name: "hang", inputSchema: schema }], ttlMs: 60000 };
    default:
      return { content: [{ type: "text", text: `${stream.session.alpnProtocol} ${stream.session.encrypted}` }] };
  }
}

server.on("session", () => console.log("session"));
server.on("stream", (stream) => {
  let text = "";
  stream.on("error", () => {});
  stream.on("aborted", () => console.log(`reset ${stream.rstCode}`));
  stream.on("data", (bytes) => (text += bytes));
  stream.on("end", () => {
    const message = JSON.parse(text);
    if (message.params?.name === "hang") return;
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message, stream) }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
