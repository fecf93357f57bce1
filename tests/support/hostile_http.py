#!/usr/bin/env python3
"""Sends the hostile corpus to a server and checks what comes back.

  hostile_http.py --host 127.0.0.1 --port 8080 --placeholders ph.json
  hostile_http.py --check-only           only check that the corpus is well formed

Fields and placeholders of the corpus: tests/data/http/README.md."""
import argparse, collections, json, os, re, select, socket, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = set("smuggling head slow origin host rebinding token session json path csrf markup protocol sse bounds".split())
NEEDED = ["TOKEN_A", "TOKEN_B", "SESSION_A", "SESSION_B", "RUN_A", "RUN_B", "COOKIE_A", "CSRF_A"]
DEFAULTS = {"CSRF_B": "0123456789abcdef0123456789abcdef", "CSRF_FIELD": "csrf", "EVENT_A": "1", "EVENT_B": "1",
            "EXPIRED_TOKEN": "expired-00000000000000000000", "TOOL": "run", "QUESTION_A": "q1", "QUESTION_B": "q1", "COOKIE_B": "none=none",
            "SECRET_A": "", "SECRET_B": ""}
NAMES = NEEDED + list(DEFAULTS) + ["HOST", "PORT"]
VAR = re.compile(r"\{(" + "|".join(sorted(NAMES, key=len, reverse=True)) + r")\}")
REP = re.compile(r"\{REPEAT:(.*?):(\d+)\}", re.S)
REFUSALS = {400, 408, 413, 414, 431, 501, 505}      # a second answer of these kinds says "no request", not "ran"
EXPECT_KEYS = {"status", "closed", "never_contains", "never_contains_in_html", "never_in_head", "never_header", "second_request_must_not_run",
               "each", "seen_status", "must_close", "rpc_code", "pending"}
CASE_KEYS = {"name", "family", "send", "chunks", "as", "then", "limit_ms", "half_close", "last", "expect", "why", "unsure"}
TIMEOUT = 3.0

def expand(text, ph):
    text = REP.sub(lambda m: m.group(1) * int(m.group(2)), text)
    text = VAR.sub(lambda m: ph[m.group(1)], text)
    if "{CONTENT_LENGTH}" in text[:200000]:
        n = len(text) - (text.index("\r\n\r\n") + 4)
        text = text.replace("{CONTENT_LENGTH}", str(n))
    return text.encode("latin-1")

def check_corpus(cases):
    bad, seen = [], set()
    ph = dict(DEFAULTS, HOST="127.0.0.1", PORT="1", **{n: "x" for n in NEEDED})
    for i, c in enumerate(cases, 1):
        def err(t): bad.append("line %d (%s): %s" % (i, c.get("name"), t))
        if not isinstance(c, dict): bad.append("line %d: no object" % i); continue
        if set(c) - CASE_KEYS: err("unknown keys %s" % (set(c) - CASE_KEYS))
        if c.get("family") not in FAMILIES: err("family")
        if not c.get("name") or not c.get("why"): err("name or why missing")
        if (c.get("family"), c.get("name")) in seen: err("name twice")
        seen.add((c.get("family"), c.get("name")))
        if c.get("as") not in ("A", "B", "nobody"): err("as")
        if ("send" in c) == ("chunks" in c): err("send or chunks, one of them")
        if "chunks" in c and sum(x["wait_ms"] for x in c["chunks"]) > 500: err("waits too long")
        e = c.get("expect", {})
        if set(e) - EXPECT_KEYS: err("unknown expectations %s" % (set(e) - EXPECT_KEYS))
        if not e.get("status") and not e.get("each") and not e.get("closed"): err("nothing expected")
        for s in e.get("status", []) + sum(e.get("each", []), []):
            if not (isinstance(s, int) and 100 <= s <= 599): err("status %r" % s)
        texts = [c["send"]] if "send" in c else [x["bytes"] for x in c.get("chunks", [])]
        texts += [t["send"] for t in c.get("then", [])]
        for t in texts:
            try: b = expand(t, ph)
            except Exception as x: err("cannot expand: %r" % x); continue
            for left in re.findall(rb"\{[A-Z][A-Z_]*(?::|\})", b[:100000]): err("unknown placeholder %r" % left)
    return bad

class Answer:
    def __init__(self): self.status = None; self.head = ""; self.headers = []; self.body = b""; self.complete = False; self.fault = None
    def get(self, name): return [v for k, v in self.headers if k == name]

def parse(raw, heads):
    """Answers in raw; heads = for the n-th answer, was it asked by HEAD. Returns list and whether the rest is an unfinished answer."""
    out, pos = [], 0
    while pos < len(raw):
        end = raw.find(b"\r\n\r\n", pos)
        a = Answer()
        if end < 0:
            a.head = raw[pos:].decode("latin-1")
            m = re.match(r"HTTP/1\.[01] (\d{3})", a.head)
            a.status = int(m.group(1)) if m else None
            if not m and len(a.head) > 12: a.fault = "answer does not begin with a status line: %r" % a.head[:60]
            out.append(a); return out
        a.head = raw[pos:end + 2].decode("latin-1")
        lines = a.head[:-2].split("\r\n")
        m = re.fullmatch(r"HTTP/1\.[01] (\d{3})(?: .*)?", lines[0])
        if not m:
            a.fault = "answer does not begin with a status line: %r" % lines[0][:60]; out.append(a); return out
        a.status = int(m.group(1))
        for l in lines[1:]:
            h = re.fullmatch(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*)", l)
            if not h: a.fault = "malformed header line in the answer: %r" % l[:80]
            else: a.headers.append((h.group(1).lower(), h.group(2).strip()))
        pos = end + 4
        if 100 <= a.status < 200 and a.status != 101:
            continue
        is_head = heads[len(out)] if len(out) < len(heads) else False
        cl, te = a.get("content-length"), [t.lower() for t in a.get("transfer-encoding")]
        if len(set(cl)) > 1 or (cl and te): a.fault = "answer with ambiguous length"
        if is_head or a.status in (204, 304): a.complete = True
        elif te:
            while True:
                e = raw.find(b"\r\n", pos)
                if e < 0: break
                try: n = int(raw[pos:e].split(b";")[0].strip(), 16)
                except ValueError: a.fault = "broken chunk in the answer"; break
                if n == 0:
                    t = raw.find(b"\r\n", e + 2)
                    while t > e + 2 and t >= 0:            # trailers
                        e, t = t, raw.find(b"\r\n", t + 2)
                        if t == e + 2: break
                    if raw[e + 2:e + 4] == b"\r\n": a.complete = True; pos = e + 4
                    break
                if len(raw) < e + 2 + n + 2: a.body += raw[e + 2:e + 2 + n]; break
                a.body += raw[e + 2:e + 2 + n]; pos = e + 2 + n + 2
        elif cl:
            try: n = int(cl[0])
            except ValueError: a.fault = "Content-Length of the answer is no number"; n = 0
            a.body = raw[pos:pos + n]
            if len(raw) >= pos + n: a.complete = True; pos += n
        elif a.status == 101: a.body = raw[pos:]; a.complete = True; pos = len(raw)
        else: a.body = raw[pos:]; pos = len(raw)                 # until close
        out.append(a)
        if not a.complete or a.fault: return out
    return out

class Result:
    def __init__(self): self.answers = []; self.closed = False; self.raw = b""; self.refused = None; self.sock = None

def talk(host, port, pieces, want=1, limit=TIMEOUT, linger=0.0, half_close=False, heads=(), many=False):
    """Sends pieces [(bytes, wait seconds)] and reads at the same time. The socket stays open in Result.sock."""
    r = Result()
    try:
        s = socket.create_connection((host, port), timeout=TIMEOUT)
    except OSError as x:
        r.refused = str(x); r.closed = True; return r
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.setblocking(False)
    r.sock = s
    raw = bytearray()
    queue = [(memoryview(b), w) for b, w in pieces]
    now = time.monotonic()
    deadline = now + limit + sum(w for _, w in pieces)
    next_send, last_data, shut, parsed_len, done_at = now, None, False, -1, None
    while True:
        now = time.monotonic()
        if now >= deadline: break
        writing = bool(queue) and now >= next_send
        wake = deadline
        if queue and not writing: wake = min(wake, next_send)
        if done_at is not None: wake = min(wake, done_at)
        if last_data is not None: wake = min(wake, now + 0.05)
        try: rd, wr, _ = select.select([s], [s] if writing else [], [], max(0.0, wake - now))
        except OSError: r.closed = True; break
        if wr:
            b, w = queue[0]
            try:
                n = s.send(b[:262144]) if len(b) else 0
                if n == len(b):
                    queue.pop(0); next_send = time.monotonic() + w
                    if not queue and half_close and not shut:
                        s.shutdown(socket.SHUT_WR); shut = True
                else: queue[0] = (b[n:], w)
            except BlockingIOError: pass
            except OSError: queue = []                     # the peer closed; read what is left
        if rd:
            try: d = s.recv(1 << 18)
            except BlockingIOError: d = None
            except OSError: r.closed = True; break
            if d == b"": r.closed = True; break
            if d: raw += d; last_data = time.monotonic()
            done_at = None
        now = time.monotonic()
        if raw and len(raw) != parsed_len and not (many and len(raw) > 4096 and now - last_data < 0.3) and (len(raw) < 65536 or now - last_data > 0.01):
            r.answers = parse(bytes(raw), heads); parsed_len = len(raw)
        if r.answers and parsed_len == len(raw):
            n = sum(a.complete for a in r.answers)
            tail = r.answers[-1]
            stream = tail.status is not None and any("event-stream" in v for v in tail.get("content-type")) and not tail.complete
            if tail.fault: break
            if many:
                if not queue and now - last_data > 1.5: break
            elif n >= want:
                if done_at is None: done_at = now + (linger if not queue else max(linger, 0.2))
                if now >= done_at: break
            elif stream and now - last_data > 0.3: break
        elif many and last_data and not queue and now - last_data > 1.5: break
    r.raw = bytes(raw)
    r.answers = parse(r.raw, heads)
    if r.closed and r.answers and not r.answers[-1].complete:
        a = r.answers[-1]
        if not a.get("content-length") and not a.get("transfer-encoding") and a.headers: a.complete = True
    return r

def shut(r):
    if r.sock is not None:
        try: r.sock.close()
        except OSError: pass

def show(t): return t if len(t) < 60 else t[:57] + "..."

def invariants(ans, who, ph):
    f = []
    for a in ans:
        if a.fault: f.append(a.fault)
        if a.status is None: f.append("answer without a status"); continue
        if a.status in (500, 502, 504): f.append("status %d" % a.status)
        if a.headers:
            if a.status == 401 and not a.get("www-authenticate"): f.append("401 without WWW-Authenticate")
            if a.status == 405 and not a.get("allow"): f.append("405 without Allow")
            if a.status == 429 and not a.get("retry-after"): f.append("429 without Retry-After")
        text = a.head + a.body.decode("latin-1")
        for p in {"A": "B", "B": "A", "nobody": "AB"}[who]:
            sec = ph["SECRET_" + p]
            if sec and sec in text: f.append("the answer to %s holds the text of %s" % (who, p))
    return f

def judge(c, r, ph):
    e, f = c["expect"], []
    ans = r.answers
    if r.refused: return ["no connection: " + r.refused]
    if not ans:
        if r.closed:
            return [] if e.get("closed") else ["closed without an answer, wanted %s" % (e.get("status") or e.get("each"))]
        return [] if e.get("pending") else ["no answer in time, wanted %s" % (e.get("status") or e.get("each"))]
    if ans[-1].status is None and r.closed and len(ans) == 1 and e.get("closed") and len(r.raw) < 12: return []
    f += invariants(ans, c["as"], ph)
    sts = [a.status for a in ans]
    if e.get("each"):
        if len(sts) < len(e["each"]) and not (e.get("closed") and r.closed): f.append("%d answers %s, wanted %d" % (len(sts), sts, len(e["each"])))
        for i, (s, ok) in enumerate(zip(sts, e["each"])):
            if s not in ok: f.append("answer %d is %s, wanted %s" % (i + 1, s, ok))
        if len(sts) > len(e["each"]): f.append("%d answers, wanted %d" % (len(sts), len(e["each"])))
    elif "status" in e:
        for s in (sts if e.get("seen_status") or c["family"] != "smuggling" and len(sts) > 1 and c["family"] == "bounds" else sts[:1]):
            if s not in e["status"]: f.append("status %s, wanted %s" % (s, e["status"])); break
    for s in e.get("seen_status", []):
        if s not in sts: f.append("status %d never seen in %d answers" % (s, len(sts)))
    if e.get("must_close") and not r.closed: f.append("the connection was kept open")
    if e.get("second_request_must_not_run"):
        for s in sts[1:]:
            if s not in REFUSALS: f.append("a second request ran (answers %s)" % sts); break
    for a in ans:
        text = (a.head + "\r\n" + a.body.decode("latin-1"))
        low = text.lower()
        for key in ("never_contains", "never_contains_in_html"):
            if key.endswith("html") and a.headers and a.get("content-type") and "html" not in a.get("content-type")[0].lower() and "xml" not in a.get("content-type")[0].lower() : continue
            for n in e.get(key, []):
                n = VAR.sub(lambda m: ph[m.group(1)], n)
                if n and n.lower() in low: f.append("answer holds %r" % show(n))
        for n in e.get("never_in_head", []):
            if n.lower() in a.head.lower(): f.append("head of the answer holds %r" % show(n))
        for k, n in e.get("never_header", {}).items():
            n = VAR.sub(lambda m: ph[m.group(1)], n)
            for v in a.get(k.lower()):
                if n.lower() in v.lower(): f.append("answer has %s: %s" % (k, show(v)))
    codes = e.get("rpc_code")
    if codes and ans[0].complete and not (f and "status" in f[-1]):
        body = ans[0].body.decode("utf-8", "replace")
        if any("event-stream" in v for v in ans[0].get("content-type")):
            body = "".join(l[5:] for l in body.splitlines() if l.startswith("data:"))
        try: code = json.loads(body)["error"]["code"]
        except Exception: code = None
        if code not in codes: f.append("JSON-RPC error code %r, wanted one of %s" % (code, codes))
    return f

class Pace:
    """Keeps each person under the server's bound of requests a minute (sliding window)."""
    def __init__(self, rate): self.rate = rate; self.t = {"A": collections.deque(), "B": collections.deque()}
    def room(self, who):
        q, now = self.t[who], time.monotonic()
        while q and now - q[0] > 61: q.popleft()
        return 10 ** 9 if not self.rate else self.rate - len(q)
    def note(self, who, n=1): self.t[who].extend([time.monotonic()] * n)

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--host", default="127.0.0.1"); p.add_argument("--port", type=int)
    p.add_argument("--placeholders", help="JSON file: name to text")
    p.add_argument("--corpus", default=os.path.join(HERE, "hostile.ndjson"))
    p.add_argument("--family", action="append"); p.add_argument("--only", help="pattern on the name")
    p.add_argument("--health", default="runs", choices=["runs", "mcp"])
    p.add_argument("--rate", type=int, default=540, help="requests a minute for a person; 0: no pacing")
    p.add_argument("--expected", help="lines 'family: name' of cases that may fail; others are comments with #")
    p.add_argument("--seconds", type=int, default=90, help="for all of it")
    p.add_argument("--check-only", action="store_true"); p.add_argument("-v", action="store_true")
    a = p.parse_args()
    may_fail = set()
    if a.expected:
        with open(a.expected, encoding="utf-8") as fh: may_fail = {l.strip() for l in fh if l.strip() and l[0] != "#"}
    cases = []
    with open(a.corpus, encoding="ascii") as fh:
        for i, line in enumerate(fh, 1):
            try: cases.append(json.loads(line))
            except ValueError as x: print("line %d is no JSON: %s" % (i, x)); return 2
    bad = check_corpus(cases)
    for b in bad: print(b)
    if bad: return 2
    if a.check_only: print("%d cases, well formed" % len(cases)); return 0
    ph = dict(DEFAULTS)
    with open(a.placeholders) as fh: given = json.load(fh)
    ph.update({k: str(v) for k, v in given.items()})
    ph["HOST"] = ph.get("HOST", a.host); ph["PORT"] = ph.get("PORT", str(a.port))
    miss = [n for n in NEEDED if n not in ph]
    if miss: print("placeholders missing: " + ", ".join(miss)); return 2
    lack = [n for n in DEFAULTS if n not in given]
    if lack: print("note: stand-ins used for " + ", ".join(lack) + ("; checks for other persons' text are off" if not ph["SECRET_A"] or not ph["SECRET_B"] else ""))
    if a.family: cases = [c for c in cases if c["family"] in a.family]
    if a.only: cases = [c for c in cases if re.search(a.only, c["name"])]
    todo = [c for c in cases if not c.get("last")]; last = [c for c in cases if c.get("last")]
    # Cases of nobody are held back as filling for the time in which A's bound is used up.
    pace, start = Pace(a.rate), time.monotonic()
    queue = {"A": collections.deque(), "B": collections.deque(), "nobody": collections.deque()}
    for c in todo: queue[c["as"]].append(c)
    def health():
        who = max("AB", key=pace.room) if pace.rate else "B"
        if pace.rate and pace.room("B") > 0: who = "B"
        auth = "Authorization: Bearer %s\r\n" % ph["TOKEN_" + who]
        ok = (200, 429)
        if pace.room(who) <= (0 if who == "B" else 120): auth, ok = "", (401, 302, 303, 200, 429)
        else: pace.note(who)
        if a.health == "runs":
            b = "GET /runs HTTP/1.1\r\nHost: %s:%s\r\n%sAccept: text/html\r\nConnection: close\r\n\r\n" % (ph["HOST"], ph["PORT"], auth)
        else:
            body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"h","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
            b = ("POST /mcp HTTP/1.1\r\nHost: %s:%s\r\n%sContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (ph["HOST"], ph["PORT"], auth, len(body), body))
        r = talk(a.host, a.port, [(b.encode("latin-1"), 0)]); shut(r)
        if r.refused: return "server is gone: " + r.refused
        if not r.answers or r.answers[0].status not in ok: return "server does not answer rightly afterwards (%s)" % (r.answers[0].status if r.answers else "no answer")
        return None
    passed = failed = allowed = 0; dead = 0; by = collections.Counter()
    def fail(c, reasons):
        nonlocal failed, allowed
        if "%s: %s" % (c["family"], c["name"]) in may_fail and not any("server" in r for r in reasons): allowed += 1; return
        failed += 1; by[c["family"]] += 1
        print("FAIL %s: %s: %s%s" % (c["family"], c["name"], "; ".join(dict.fromkeys(reasons)), " [unsure: %s]" % c["unsure"] if "unsure" in c else ""), flush=True)
    h = health()
    if h: print("before the first case: " + h); print("0 passed, %d failed" % len(cases)); return 1
    def run(c):
        nonlocal passed, dead
        texts = [(c["send"], 0)] if "send" in c else [(x["bytes"], x["wait_ms"] / 1000) for x in c["chunks"]]
        pieces = [(expand(t, ph), w) for t, w in texts]
        flat = pieces[0][0] if len(pieces) == 1 else b""
        heads = [True] if flat.startswith(b"HEAD ") else []
        e = c["expect"]
        want = len(e["each"]) if e.get("each") else 1
        many = flat.count(b"GET /runs", 0, 200000) > 20
        smug = bool(e.get("second_request_must_not_run")) or "each" in e
        if c["as"] != "nobody" and not c.get("last"): pace.note(c["as"], want + len(c.get("then", [])))
        r = talk(a.host, a.port, pieces, want, c.get("limit_ms", TIMEOUT * 1000) / 1000, 0.3 if e.get("must_close") else 0.12 if smug else 0.0, c.get("half_close"), heads, many)
        reasons = judge(c, r, ph)
        if a.v: print("%s: %s: %s" % (c["family"], c["name"], [x.status for x in r.answers] or ("closed" if r.closed else "no answer")), flush=True)
        for i, t in enumerate(c.get("then", []), 1):
            r2 = talk(a.host, a.port, [(expand(t["send"], ph), 0)]); shut(r2)
            sts = [x.status for x in r2.answers]
            if not sts or sts[0] not in t["status"]: reasons.append("request %d afterwards: %s, wanted %s" % (i, sts[0] if sts else "no answer", t["status"]))
            sub = {"family": c["family"], "as": "B" if ph["TOKEN_B"] in t["send"] or "{TOKEN_B}" in t["send"] else "A",
                   "expect": {k: v for k, v in e.items() if k.startswith("never_")}}
            reasons += ["afterwards: " + x for x in (judge(sub, r2, ph) if r2.answers else [])]
        h = health()                                       # while the hostile connection is still open
        shut(r)
        if h:
            h2 = health()
            reasons.append(h if h2 else "no right answer to others while this connection was open (%s)" % h)
            dead = dead + 1 if h2 else 0
        else: dead = 0
        if reasons: fail(c, reasons)
        else: passed += 1
    while any(queue.values()):
        left = a.seconds - (time.monotonic() - start)
        if left <= 3 or dead >= 5: break
        c = None
        # A first while there is room, some of nobody in between; then wait.
        if queue["A"] and pace.room("A") > 4: c = queue["A"].popleft()
        elif queue["nobody"]: c = queue["nobody"].popleft()
        elif queue["B"]: c = queue["B"].popleft()
        if c is None: time.sleep(0.2); continue
        run(c)
    rest = [c for q in queue.values() for c in q]
    if rest:
        failed += len(rest); by["(not run)"] += len(rest)
        print("FAIL %d cases not run: %s" % (len(rest), "the server answers no more" if dead >= 5 else "the time of %d s is used up" % a.seconds))
    for c in last:
        if dead >= 5 or a.seconds - (time.monotonic() - start) < 3: fail(c, ["not run: no time left"])
        else:
            c = dict(c, limit_ms=min(c.get("limit_ms", 3000), int(1000 * (a.seconds - 1 - (time.monotonic() - start)))))
            run(c)
    if by: print("failed by family: " + ", ".join("%s %d" % x for x in by.most_common()))
    print("%.1f s" % (time.monotonic() - start))
    if allowed: print("%d answered otherwise, as is known" % allowed)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0

if __name__ == "__main__": sys.exit(main())
