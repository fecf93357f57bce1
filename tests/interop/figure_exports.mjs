// Exports of figures as the programs read them that they are for: Mermaid draws FOLDER/*.mmd, and
// maxGraph, the library that draw.io is made of, loads FOLDER/*.drawio, both in Chromium. Prints a line
// for each file: its name, how many nodes and edges there are, and each label of NAME.graph.json that
// cannot be read there; or what is wrong.
//   node figure_exports.mjs FOLDER CHROMIUM
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { extname, join, normalize } from 'node:path';

const [folder, chromium] = process.argv.slice(2);
const modules = fileURLToPath(new URL('node_modules/', import.meta.url));
const files = readdirSync(folder).filter((name) => /\.(mmd|drawio)$/.test(name)).sort();
const graphs = Object.fromEntries(files.map((name) =>
  [name, JSON.parse(readFileSync(join(folder, name.replace(/\.\w+$/, '.graph.json')), 'utf8'))]));
const texts = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

async function look() {
  const { ModelXmlSerializer, Graph } = await import('/modules/@maxgraph/core/lib/esm/index.js');
  const { texts, graphs } = await (await fetch('/texts')).json();
  const countOf = (root, selector) => root.querySelectorAll(selector).length;
  const bare = (text) => text.replace(/\s/g, '');
  const labels = (graph) => [...graph.nodes, ...graph.edges, ...(graph.groups ?? [])].flatMap((part) =>
    [part.label ?? '', part.sub_label ?? '']);
  async function readMermaid(text, id) {
    const { svg } = await mermaid.render(id, text);
    const root = new DOMParser().parseFromString(svg, 'text/html');
    const says = root.body.textContent;
    if (text.startsWith('sequence')) return [countOf(root, 'rect.actor-top'), countOf(root, '.messageText'), says];
    return [countOf(root, 'g.node'), countOf(root, 'path.flowchart-link'), says];
  }
  function readDrawio(text) {
    const file = new DOMParser().parseFromString(text, 'text/xml');
    const graph = new Graph(document.createElement('div'));
    const model = file.getElementsByTagName('mxGraphModel')[0];
    new ModelXmlSerializer(graph.getDataModel()).import(new XMLSerializer().serializeToString(model));
    const cells = graph.getDataModel().cells;
    const all = Object.values(cells);
    const ends = all.filter((cell) => cell.isEdge() && cell.getTerminal(true) && cell.getTerminal(false));
    const nodes = all.filter((cell) => cell.isVertex() && cell.id.startsWith('n'));
    return [nodes.length, ends.length, all.map((cell) => cell.value ?? '').join('\n')];
  }
  const lines = [];
  for (const [name, text] of Object.entries(texts)) {
    try {
      const [nodes, edges, says] = name.endsWith('.mmd')
        ? await readMermaid(text, `m${lines.length}`) : readDrawio(text);
      const missing = labels(graphs[name]).filter((label) => !bare(says).includes(bare(label)));
      lines.push([name, nodes, edges, ...missing].join(' '));
    } catch (error) {
      lines.push(`${name} ${String(error).split('\n')[0]}`);
    }
  }
  await fetch('/lines', { method: 'POST', body: lines.join('\n') });
}

const page = `<!doctype html><body><script src="/modules/mermaid/dist/mermaid.min.js"></script>
<script type="module">mermaid.initialize({ startOnLoad: false });
(${look})().catch((error) => fetch('/lines', { method: 'POST', body: String(error) }));</script>`;
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' };

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname;
  if (path === '/') return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  if (path === '/texts') return response.end(JSON.stringify({ texts, graphs }));
  if (path === '/lines') {
    let body = '';
    return request.on('data', (bytes) => (body += bytes)).on('end', () => finish(response, body));
  }
  try {
    const bytes = readFileSync(join(modules, normalize(path).replace(/^\/modules\//, '')));
    response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream').end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});

function finish(response, body) {
  response.end();
  console.log(body);
  server.close();
  server.closeAllConnections();
  browser.kill();
}

let browser;
server.listen(0, '127.0.0.1', () => {
  const profile = join(folder, 'profile');
  browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`,
    '--remote-debugging-port=0', `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
});
