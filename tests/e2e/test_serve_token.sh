# Tokens of the persons who may use what is served over HTTP: made, listed, taken back.
. "$SOURCE_DIR/tests/e2e/lib.sh"
file="$XDG_STATE_HOME/mistro/persons.json"

it "prints a token once, and keeps its hash only"
run serve token add ada
expect_status 0
token=$(cat "$scratch/out")
expect_out 'mst_???????????????????????????????????????????'
expect_err '*token of ada, shown this once*'
case "${token#mst_}" in *[!A-Za-z0-9_-]*) fail "not base64url: $token" ;; *) ok ;; esac
expect_same "$(grep -c -- "$token" "$file")" 0
expect_same "$(jq -r '.persons[0].sha256' "$file")" "$(printf %s "$token" | sha256sum | cut -d' ' -f1)"
expect_same "$(stat -c %a "$file")" 600
expect_same "$(stat -c %a "$XDG_STATE_HOME/mistro")" 700

it "makes another one for each person"
run serve token add bo --admin --expires 30d --json
expect_status 0
expect_json '.name == "bo" and .admin and (.token | test("^mst_[A-Za-z0-9_-]{43}$"))'
expect_json '(.expires_at[:19] + "Z" | fromdate) - (.created_at[:19] + "Z" | fromdate) == 30 * 86400'
expect_same "$(jq -r '.token' "$scratch/out" | grep -c -- "$token")" 0

it "refuses a name that is taken, and says how to go on"
run serve token add ada
expect_status 2
expect_no_out
expect_err '*ada has a token already*mistro serve token revoke ada*'

it "takes a day or a time to come, and nothing else"
for when in 2000-01-01 2030-13-01 2030 0d -5d 3651d 5w soon '2030-12-31 ' ''; do
  run serve token add eve "--expires=$when"
  expect_status 2
  expect_no_out
done
run serve token add eve --expires 2130-12-31 --json
expect_status 0
expect_json '.expires_at == "2131-01-01T00:00:00.000Z"'
run serve token add fay --expires 2130-12-31T08:00:00+02:00 --json
expect_json '.expires_at == "2130-12-31T06:00:00.000Z"'

it "takes no name that could be more than a name"
for name in .. .ada a/b '../../x' 'a b' "$(printf 'a%.0s' $(seq 65))" ''; do
  run serve token add "$name"
  expect_status 2
  expect_no_out
done
expect_same "$(jq '.persons | length' "$file")" 4

it "lists who has a token, and never the token"
run serve token list
expect_status 0
expect_out 'ada	person	*	until it is revoked
bo	admin	*	until 2*
eve	person	*'
expect_same "$(grep -c mst_ "$scratch/out")" 0
run serve token list --json
expect_json '.version == 1 and [.persons[].name] == ["ada", "bo", "eve", "fay"]'
expect_json '.persons[1].admin and (.persons[0] | has("expires_at") | not) and (.persons[0].expired | not)'
expect_json 'all(.persons[]; has("token") or has("sha256") | not)'

it "says which token has expired"
jq '.persons[2].expires = 1000' "$file" >"$file.new" && mv "$file.new" "$file"
run serve token list
expect_out '*
eve	person	*	expired 1970-01-01 *'
run serve token list --json
expect_json '.persons[2].expired'

it "takes a token back"
run serve token revoke ada
expect_status 0
expect_err '*revoked the token of ada*'
run serve token revoke ada
expect_status 2
expect_err '*no person called ada*mistro serve token list*'
run serve token list --json
expect_json '[.persons[].name] == ["bo", "eve", "fay"]'

it "says what it takes where that is missing or misplaced"
for words in 'token' 'token add' 'token revoke' 'token forget bo' 'token list bo' 'token add a b' \
  'token list --admin' 'token revoke bo --expires 1d' 'agent --admin' 'workspace --expires 1d'; do
  # shellcheck disable=SC2086
  run serve $words
  expect_status 2
done

it "loses none of twenty that are added at once"
for i in $(seq 20); do "$MISTRO" serve token add "many$i" >/dev/null 2>&1 & done
wait
run serve token list --json
expect_json '[.persons[] | select(.name | startswith("many"))] | length == 20'

it "lets no damaged file pass, and leaves it as it is"
echo '{"version":1,"persons":[{"name":"x"}]}' >"$file"
before=$(cat "$file")
for words in 'add gus' 'list' 'revoke x'; do
  # shellcheck disable=SC2086
  run serve token $words
  expect_status 2
  expect_err '*persons.json*mend it or move it away*'
done
expect_same "$(cat "$file")" "$before"
rm "$file"

it "trusts no file that other users may write to"
run serve token add ivy
for mode in 620 602; do
  chmod "$mode" "$file"
  for words in 'add gus' 'list' 'revoke ivy'; do
    # shellcheck disable=SC2086
    run serve token $words
    expect_status 6
    expect_err '*other users may write to*chmod 600*persons.json*'
  done
done
chmod 644 "$file"
run serve token list
expect_status 0
rm "$file"

it "offers its words and the names at Tab"
"$MISTRO" serve token add hal >/dev/null 2>&1
expect_same "$("$MISTRO" completion words -- serve token '' | cut -f1 | tr '\n' ' ')" "add list revoke "
expect_same "$("$MISTRO" completion words -- serve token revoke h | cut -f1)" hal
expect_same "$("$MISTRO" completion words -- serve token add h)" ""

it "is not brought by a project folder"
mkdir -p .mistro data
run serve token list --json
expect_json '[.persons[].name] == ["hal"]'
finish
