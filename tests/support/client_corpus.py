"""Runs mistro over the cases of tests/data/clients and compares with what each expects: python3
client_corpus.py MISTRO FOLDER. Prints what differs, a line each, and how many cases are right."""
import json, os, re, shutil, subprocess, sys, tempfile

mistro, corpus = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
wrong = {}


def differ(case, text):
    wrong.setdefault(case, []).append(text)


class Place:
    """A home folder and a project, copied from a case."""

    def __init__(self, case):
        self.root = tempfile.mkdtemp(prefix='mistro_clients.')
        self.home, self.project = self.root + '/home', self.root + '/project'
        for name in ('home', 'project'):
            source = os.path.join(corpus, case, name)
            if os.path.isdir(source):
                shutil.copytree(source, self.root + '/' + name)
            else:
                os.mkdir(self.root + '/' + name)
        self.shown = b''
        self.mcp = self.home + '/.config/mistro/mcp.json'

    def run(self, *words):
        env = {'HOME': self.home, 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8'}
        done = subprocess.run([mistro, 'servers', *words], cwd=self.project, env=env, capture_output=True, timeout=60)
        self.shown += done.stdout + done.stderr
        if done.returncode < 0:
            differ(case, f'{words} was ended by signal {-done.returncode}')
        return done

    def written(self):
        with open(self.mcp, 'rb') as file:
            return file.read()

    def remove(self):
        shutil.rmtree(self.root)


def variable(text):
    return re.sub(r'\W', '_', text, flags=re.ASCII).upper()


def references(text, name, client, project, is_remote):
    """As mcp.json has them. What a client asks for or reads from a file is the server's own variable."""
    own = re.sub(r'^(?=\d)', '_', variable(name))
    if client in ('vscode', 'cursor', 'lm-studio'):
        text = text.replace('${workspaceFolderBasename}', os.path.basename(project) if project else '${workspaceFolder}')
        text = text.replace('${workspaceFolder}', project or '${workspaceFolder}').replace('${userHome}', '${HOME}')
        text = text.replace('${pathSeparator}', '/').replace('${/}', '/')
        text = re.sub(r'\$\{input:([^}]*)\}', lambda m: '${%s_INPUT_%s}' % (own, variable(m[1])), text)
    if client in ('vscode', 'cursor', 'lm-studio', 'windsurf'):
        text = text.replace('${env:', '${')
    if client == 'windsurf':
        text = re.sub(r'\$\{file:([^}]*)\}', lambda m: '${%s_FILE_%s}' % (own, variable(os.path.basename(m[1]))), text)
    if client == 'opencode':
        text = re.sub(r'\{env:([^}]*)\}', r'${\1}', text)
        text = re.sub(r'\{file:([^}]*)\}', lambda m: '${%s_FILE_%s}' % (own, variable(os.path.basename(m[1]))), text)
    if client == 'gemini-cli' or (client == 'goose' and is_remote):
        text = re.sub(r'\$([A-Za-z_]\w*)', r'${\1}', text)
    return text


def plain(value, name, client, project, is_remote):
    if isinstance(value, dict):
        return {key: plain(member, name, client, project, is_remote) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(element, name, client, project, is_remote) for element in value]
    return references(value, name, client, project, is_remote) if isinstance(value, str) else value


def ours(value):
    return json.loads(json.dumps(value).replace('${:-$}{', '${'))


def compare_copy(case, expected, server, copy, place):
    client = expected['client']
    project = place.project if expected['file'].startswith('project/') else (server.get('extra') or {}).get('project')
    extra = server.get('extra') or {}
    env = dict(server.get('env') or {}, **{name: '${%s}' % name for name in extra.get('env_names', []) if name not in (server.get('env') or {})})
    wanted = {'command': server.get('command'), 'args': server.get('args') or [], 'env': env, 'cwd': server.get('cwd'),
              'url': server.get('url'), 'headers': server.get('headers') or {}}
    wanted = plain(wanted, server['name'], client, project, server['url'] is not None)
    for header, how in (extra.get('env_headers') or {}).items():
        wanted['headers'][header] = how['format'].replace('{value}', '${%s}' % how['env'])
    if project and wanted['cwd'] and not re.match(r'[/~$]', wanted['cwd']):
        wanted['cwd'] = project + '/' + wanted['cwd']
    wanted['env'] = {name: value for name, value in wanted['env'].items() if value is not None}
    if server['url']:
        wanted['env'] = {}
    copy = ours(copy)
    for key, value in wanted.items():
        if (copy.get(key) or (type(value)() if value is not None else None)) != value:
            differ(case, f"{server['name']}: {key}: {copy.get(key)!r} instead of {value!r}")


def check_broken(case, expected, listing):
    broken = expected['broken']
    found = [file['problem'] for file in listing if file['problem']]
    found += [server['problem'] for file in listing for server in file['servers'] if server['problem']]
    if not broken or broken['kind'] == 'client-rejects':
        if found:
            differ(case, f'is not broken, but {found}')
    elif not found:
        differ(case, f'broken at {broken["line"]}:{broken["column"]}, which find does not say')
    elif broken['line'] and abs(found[0]['line'] - broken['line']) > 1:
        differ(case, f'broken at {broken["line"]}:{broken["column"]}, but {found[0]}')
    elif broken['column'] and found[0]['column'] != broken['column']:
        print(f'{case}: note: column {broken["column"]} expected, {found[0]["column"]} said')


def check_list(case, expected, listing):
    found = [server for file in listing for server in file['servers'] if server['state'] != 'unusable']
    # A server behind a local socket is found, but mistro cannot use it; one that its client refuses may be taken.
    sockets = [server['name'] for server in expected['servers'] if (server['url'] or '').startswith('unix:')]
    names = [server['name'] for server in expected['servers'] if server['name'] not in sockets]
    for name in sockets:
        if name not in [server['name'] for file in listing for server in file['servers']]:
            differ(case, f'{name} is not found')
    if expected['broken'] and expected['broken']['kind'] == 'client-rejects':
        found = [server for server in found if server['name'] in names]
    if sorted(server['name'] for server in found) != sorted(names):
        differ(case, f'servers {[s["name"] for s in found]} instead of {names}')
        return
    if [server['name'] for server in found] != names:
        differ(case, f'order {[s["name"] for s in found]} instead of {names}')
    left = list(found)
    for server in [server for server in expected['servers'] if server['name'] not in sockets]:
        extra = server.get('extra') or {}
        mine = next(s for s in left if s['name'] == server['name'])
        left.remove(mine)
        if mine['transport'] not in [server['transport'], *extra.get('transport_also', [])]:
            differ(case, f"{server['name']}: transport {mine['transport']} instead of {server['transport']}")
        if (mine['state'] == 'disabled') == server.get('enabled', True):
            differ(case, f"{server['name']}: {mine['state']}, enabled: {server.get('enabled')}")
    variables = {re.sub(r'^input:(.*)', lambda m: re.sub(r'\W', '_', m[1]).upper(), name) for name in expected['variables']}
    others = set(expected.get('look_alikes') or []) | ({'HOME'} if 'userHome' in (expected.get('other_references') or []) else set())
    others = {re.sub(r'[${}%]', '', name) for name in others}
    for reference in expected.get('other_references') or []:
        others.add(re.sub(r'\W', '_', os.path.basename(reference[5:])).upper() if reference.startswith('file:') else reference)
    said = {re.sub(r'^\w+_(INPUT|FILE)_', '', name) for server in found for name in server['variables']}
    if not variables <= said or not said <= variables | others:
        differ(case, f'variables {sorted(said)} instead of {sorted(variables)}')


def check_copies(case, expected, rows, place):
    names = {row['name'] if row['was'] is None else row['was']: row['name'] for row in rows}
    copied = json.loads(place.written())['mcpServers'] if os.path.exists(place.mcp) else {}
    seen = set()
    for server in expected['servers']:
        if server['name'] in seen or (server['url'] or '').startswith('unix:'):
            continue
        seen.add(server['name'])
        twice = [s for s in expected['servers'] if s['name'] == server['name']]
        copy = copied.get(names.get(server['name']))
        if copy:
            compare_copy(case, expected, server, copy, place)
        elif len(twice) == 1:
            differ(case, f"{server['name']} was not imported")


def check(case, expected):
    place = Place(case)
    secrets = [s.encode() for s in expected['secrets'] + expected.get('secrets_decoded', [])]
    listing = json.loads(place.run('find', '--json').stdout)['clients']
    place.run('find'), place.run('find', '-v')
    check_broken(case, expected, listing)
    check_list(case, expected, listing)
    named = list(dict.fromkeys(server['name'] for server in expected['servers']))
    place.run('import', '--dry-run'), place.run('import', '--dry-run', '--json', *named)
    if os.path.exists(place.mcp):
        differ(case, '--dry-run wrote a file')
    place.run('import', '-v', *named), place.run('import', '--json', *named), place.run('find', '--json')
    shown = place.shown + (place.written() if os.path.exists(place.mcp) else b'')
    for secret in secrets:
        if secret in shown or json.dumps(secret.decode())[1:-1].encode() in shown:
            line = next(l for l in shown.splitlines() if secret in l)
            differ(case, f'secret {secret.decode()} is shown: {line[:200]}')
    place.remove()
    place = Place(case)
    done = place.run('import', '--json', '--with-secrets', *named)
    check_copies(case, expected, json.loads(done.stdout).get('servers', []) if named else [], place)
    place.remove()


cases = sorted(name for name in os.listdir(corpus) if re.match(r'\d\d-', name))
for case in cases:
    with open(f'{corpus}/{case}/expected.json', encoding='utf-8') as file:
        check(case, json.load(file))
for case, texts in wrong.items():
    for text in texts:
        print(f'{case}: {text}')
print(f'{len(cases) - len(wrong)} of {len(cases)} cases are right')
sys.exit(1 if wrong or not cases else 0)
