# What examples/systemd/system and examples/compose.yml begin: each command of theirs is one that this
# mistro takes, and goes on without its database until it is asked to end; and whoever asks leaves it
# more time than it takes.
. "$SOURCE_DIR/tests/e2e/lib.sh"
examples=$SOURCE_DIR/examples
settings=$SOURCE_DIR/config/mistral_orchestrator.yml
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {storage: {backend: postgres}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
export MISTRO_POSTGRES=postgresql://mistro@127.0.0.1:1/mistro
"$MISTRO" serve token add ada --admin >"$scratch/out" 2>"$scratch/err" || exit 1

# Waits for what it says, sends it SIGTERM, and waits for its end.
begin_and_end() { # what it says, words of its command
  local said=$1; shift
  "$MISTRO" "${@:2}" >"$scratch/out" 2>"$scratch/err" </dev/null &
  local process=$! end=$((SECONDS + 20))
  until grep -q "$said" "$scratch/out" "$scratch/err"; do
    [ $SECONDS -lt $end ] && kill -0 $process 2>/dev/null || break
    read -rt 0.05 <> <(:)
  done
  expect_same "$(grep -c "$said" "$scratch/out" "$scratch/err" | grep -c ':1$')" 1
  kill $process
  wait $process
  status=$?
  expect_status 143
}
seconds_of() { # setting: group, name
  sed -n "/^  $1:/,/^  [a-z]/s/^    $2: *\([0-9]*\).*/\1/p" "$settings"
}
is_longer() { # seconds, group
  local drain; drain=$(seconds_of "$2" drain_seconds)
  if [ "$1" -gt "${drain:-999}" ]; then ok; else fail "$1 s are no more than $2.drain_seconds ($drain)"; fi
}
words_of_unit() { sed -n 's/^ExecStart=//p' "$1" | sed 's/%i/night-shift/'; }
words_of_service() { # name
  sed -n "/^  $1:/,/^  [a-z]*:$/s/^    command: \[\(.*\)\]/\1/p" "$examples/compose.yml" | tr -d ',"'
}

it "the unit of a worker"
unit=$examples/systemd/system/mistro-worker@.service
read -ra words <<<"$(words_of_unit "$unit")"
begin_and_end 'the store is away' "${words[@]}"
expect_err '*works at the queue night-shift*'
is_longer "$(sed -n 's/^TimeoutStopSec=//p' "$unit")" worker

it "the unit of the pages"
unit=$examples/systemd/system/mistro-serve.service
read -ra words <<<"$(words_of_unit "$unit" | sed 's/:8080/:0/')"
begin_and_end '/runs$' "${words[@]}"
is_longer "$(sed -n 's/^TimeoutStopSec=//p' "$unit")" http

it "the container of a worker"
read -ra words <<<"$(words_of_service worker)"
begin_and_end 'the store is away' "${words[@]}"
graces=($(sed -n 's/^    stop_grace_period: \([0-9]*\)s.*/\1/p' "$examples/compose.yml"))
expect_same "${#graces[@]}" 2
is_longer "${graces[0]}" worker

it "the container of the pages"
read -ra words <<<"$(words_of_service serve | sed 's/:8080/:0/')"
begin_and_end '/runs$' "${words[@]}"
is_longer "${graces[1]}" http

it "a container is asked whether it is well by a command that needs the database"
read -ra words <<<"$(sed -n 's/^      test: \[CMD, mistro, \(.*\)\]/\1/p' "$examples/compose.yml" | tr -d ',"')"
run "${words[@]}"
expect_status 3

it "systemd reads the units"
if command -v systemd-analyze >/dev/null; then
  mkdir units
  for unit in "$examples"/systemd/system/*.service; do
    sed "s|^ExecStart=mistro|ExecStart=$MISTRO|" "$unit" >"units/$(basename "$unit" | sed 's/@/@default/')"
  done
  systemd-analyze verify --man=no units/*.service >"$scratch/out" 2>&1; status=$?
  expect_status 0
  expect_no_out
fi

it "Compose reads its file"
if python3 -c 'import yaml' 2>/dev/null; then
  python3 - "$examples/compose.yml" >"$scratch/out" 2>"$scratch/err" <<'PY'
import sys, yaml
file = yaml.safe_load(open(sys.argv[1]))
yaml.safe_load(file["configs"]["settings"]["content"])
assert "ports" not in file["services"]["db"], "the database is published"
for name, service in file["services"].items():
    assert "healthcheck" in service, name
PY
  status=$?
  expect_status 0
fi
if docker compose version >/dev/null 2>&1; then
  POSTGRES_PASSWORD=x docker compose -f "$examples/compose.yml" config --quiet >"$scratch/out" 2>"$scratch/err"; status=$?
  expect_status 0
fi
finish
