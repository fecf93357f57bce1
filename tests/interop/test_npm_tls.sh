# What a person is told when something is wrong with the TLS of an MCP server or a model's endpoint: what it
# is and what to do, soon, and without the secrets that were to be sent. Node's servers are odd_tls_servers.mjs.
. "$SOURCE_DIR/tests/interop/npm.sh"
command -v openssl >/dev/null || skip "no openssl to make certificates with"
mkdir tls
make_key() { openssl ecparam -name prime256v1 -genkey -noout -out "tls/$1.key"; }
certify() { # name, subjectAltName, more of `openssl ca`
  make_key "$1"
  openssl req -new -key "tls/$1.key" -subj "/CN=$1" -out "tls/$1.csr"
  printf 'subjectAltName=%s\n' "$2" >"tls/$1.ext"
  openssl ca -batch -notext -config tls/ca.cnf -extfile "tls/$1.ext" -in "tls/$1.csr" -out "tls/$1.pem" "${@:3}"
}
cat >tls/ca.cnf <<'CNF'
[ca]
default_ca = own
[own]
new_certs_dir = tls
database = tls/index.txt
rand_serial = yes
default_md = sha256
default_days = 2
policy = any
private_key = tls/ca.key
certificate = tls/ca.pem
unique_subject = no
[any]
commonName = supplied
CNF
: >tls/index.txt
{
  make_key ca && openssl req -x509 -new -key tls/ca.key -days 2 -subj /CN=issuer -out tls/ca.pem &&
    certify good IP:127.0.0.1 &&
    certify expired IP:127.0.0.1 -startdate 20200101000000Z -enddate 20200102000000Z &&
    certify elsewhere DNS:elsewhere.example &&
    make_key selfsigned && openssl req -x509 -new -key tls/selfsigned.key -days 2 -subj /CN=alone \
    -addext subjectAltName=IP:127.0.0.1 -out tls/selfsigned.pem
} >"$scratch/openssl.log" 2>&1 || { cat "$scratch/openssl.log"; fail "openssl makes no certificates"; finish; exit 1; }
"$node" "$SOURCE_DIR/tests/interop/odd_tls_servers.mjs" tls >"$scratch/tls.log" 2>&1 &
servers=$!
trap 'kill $servers 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 200); do [ "$(grep -c ' [0-9]' "$scratch/tls.log")" = 7 ] && break; sleep 0.05; done
port() { sed -n "s/^$1 \([0-9]*\)$/\1/p" "$scratch/tls.log"; }
connections() { grep -c "^$1 connection" "$scratch/tls.log"; }
export SSL_CERT_FILE=$PWD/tls/ca.pem
secret=kept-to-itself-4711
for name in good expired elsewhere selfsigned plain cut changing; do
  jq -n --arg url "https://127.0.0.1:$(port $name)/mcp" --arg secret "Bearer $secret" \
    '{mcpServers: {odd: {url: $url, headers: {Authorization: $secret}}}}' >$name.json
done
expect_no_secret() { if grep -rq "$secret" "$scratch/out" "$scratch/err"; then fail "the secret is told"; else ok; fi; }
expect_few() { # server, at most so many connections since $before
  local n=$(($(connections "$1") - before))
  if [ "$n" -ge 1 ] && [ "$n" -le "$2" ]; then ok; else fail "$n connections to $1"; fi
}
call() { before=$(connections "$1"); run call odd/version --mcp-config "$1.json"; }
ask() { # server
  before=$(connections "$1")
  OPENAI_BASE_URL=https://127.0.0.1:$(port "$1")/v1 OPENAI_API_KEY=$secret run ask "what is it" -m openai/m --no-session
}

it "calls a server whose certificate is right"
call good
expect_status 0
expect_out fine

while IFS='|' read -r name told hint; do
  it "says of an MCP server what is wrong: $name"
  call $name
  expect_status 3
  expect_err "*$told*"
  expect_err "*$hint*"
  expect_no_secret
  expect_few $name 4
  it "says of a model's endpoint what is wrong: $name"
  ask $name
  expect_status 3
  expect_err "*$told*"
  expect_err "*$hint*"
  expect_no_secret
  expect_few $name 8
done <<'CASES'
expired|certificate is not trusted*expired|is the clock of this machine right
elsewhere|certificate is not trusted*127.0.0.1|is the host in the URL right
selfsigned|certificate is not trusted*self*signed|SSL_CERT_FILE
plain|no TLS connection|does the server speak https
cut|no TLS connection|does the server speak https
CASES

it "trusts no certificate that took the place of a trusted one"
call changing
expect_status 3
expect_err '*certificate is not trusted*self*signed*SSL_CERT_FILE*'
expect_no_secret
expect_few changing 5
finish
