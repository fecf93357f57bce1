#!/usr/bin/env bash
# A Debian system with nothing but apt and what it needs, without a compiler, gets mistro from FILE, a
# package or the portable tar, and answers a request without a model: both in 30 seconds at most, the
# download of what Debian has apart, which is up to the network.
#   bare.sh bookworm|trixie FILE          as root; what is made is thrown away
set -euo pipefail
suite=$1 file=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/try.sh" <<'SH'
set -eu
cd /tried
! command -v cc gcc make cmake mistro || { echo "that system is not bare" >&2; exit 1; }
now() { date +%s%N; }
install() { # with what it recommends, as apt does it unless told otherwise
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o APT::Install-Recommends=true "$@" ./mistro_*.deb \
    >apt.log 2>&1 || { tail apt.log; exit 1; }
}
asked=$(now) began=$asked
case $(ls) in
*.deb*) install --download-only; began=$(now); install ;;
*) tar -xzf mistro-*.tar.gz -C /usr/local --strip-components=1 ;;
esac
installed=$(now)
cp -r /usr*/share/doc/mistro/examples/workspace /usr/local/share/doc/mistro/examples/workspace . 2>/dev/null || true
cd workspace
mistro ask "search for TODO in the notes folder" >answer 2>activity </dev/null ||
  { status=$?; cat answer activity; exit $status; }
ended=$(now)
grep -q 'notes/suppliers.md:4: .*TODO: renew the contract' answer
mistro runs list >/dev/null
ms() { echo "$((($2 - $1) / 1000000)) ms"; }
echo "$(dpkg-query -W | wc -l) packages, downloaded in $(ms "$asked" "$began")," \
  "installed in $(ms "$began" "$installed"), answered in $(ms "$installed" "$ended")"
[ $((ended - began)) -le 30000000000 ]
SH
mkdir "$work/tried"
cp "$file" "$work/try.sh" "$work/tried"
printf '%s: ' "$suite, $(basename "$file")"
mmdebstrap --quiet --variant=minbase --format=null --customize-hook="copy-in $work/tried /" \
  --customize-hook='chroot "$1" sh /tried/try.sh' "$suite" /dev/null
