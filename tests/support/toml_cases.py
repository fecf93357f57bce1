"""Prints TOML texts, one JSON object a line: {"text", "value"}, value as Python's tomllib reads it,
null where it refuses. Dates and times are their text, inf and nan as well. python3 toml_cases.py SEED N"""
import datetime, json, math, random, sys, tomllib

random.seed(int(sys.argv[1]))

KEYS = ['a', 'b', 'c', 'a.b', 'a.c', '"q u"', "'l'", 'a."b"', 'd-e', '_1', '1', '"\\u00e9"', 'a . b', '']
VALUES = ['1', '-0', '+17', '1_000', '1__0', '_1', '0x1F', '0o17', '0b11', '0x', '01', '1.5', '1e3', '1E-2', '6.02e+23',
          '1.', '.5', 'inf', '-nan', '+inf', 'true', 'false', 'True', '"s"', "'l\\n'", '"e\\t\\"\\\\"', '"\\u20ac\\U0001F600"',
          '"\\ud800"', '"\\x"', '"""\nlong "quoted" \\\n   text"""', "'''\nraw ' text'''", '""""two"""""', '"open', "'open",
          '1979-05-27T07:32:00Z', '1979-05-27 07:32:00.5+01:00', '1979-05-27', '07:32:00', '[1, 2]', '[ ]', '[1,]', '[,]',
          '[[1], ["x"]]', '[\n 1, # c\n 2\n]', '[1 2]', '{}', '{a = 1}', '{a.b = 1, c = [1]}', '{a = 1,}', '{a=1, a=2}',
          '{ a = { b = {} } }', '[{a=1},{b=2}]', '', '"é€"', "''''''", '9223372036854775807', '9223372036854775808']
HEADS = ['[a]', '[a.b]', '[ a . c ]', '[[a]]', '[[l]]', '[l.x]', '[[l.y]]', '["q u"]', '[]', '[a', '[[a]', '[d-e]', '[b]', '[c.d]']


def plain(value):
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return {'time': True}
    if isinstance(value, float) and not math.isfinite(value):
        return {'number': True}
    return value


def text():
    lines = []
    for _ in range(random.randint(1, 7)):
        kind = random.random()
        if kind < 0.3:
            lines.append(random.choice(HEADS) + random.choice(['', ' # c', '']))
        elif kind < 0.95:
            good = random.random() < 0.85
            value = random.choice(VALUES if not good else VALUES[:3] + ['"s"', '[1, 2]', '{a = 1}', 'true', '2.5', "'''\nx'''"])
            lines.append(random.choice(KEYS[:9] if good else KEYS) + ' = ' + value)
        else:
            lines.append(random.choice(['# comment', '', '\t', 'a', '= 1', 'a = 1 b = 2']))
    made = random.choice(['\n', '\n', '\r\n']).join(lines) + random.choice(['', '\n'])
    # Control characters in comments and days that do not exist are read, which Python refuses.
    if random.random() < 0.15 and made and '\r' not in made and '07' not in made and '05' not in made:
        at = random.randrange(len(made))
        made = made[:at] + random.choice(['"', '[', '}', '.', '=', '\n', '\\']) + made[at + 1:]
    return made


for _ in range(int(sys.argv[2])):
    made = text()
    try:
        value = plain(tomllib.loads(made))
        json.dumps(value).encode()
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        value = None
    print(json.dumps({'text': made, 'value': value}))
