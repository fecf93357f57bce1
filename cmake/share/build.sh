#!/bin/sh
# What is installed beside the binary and made of it: manual pages and completions.
#   build.sh BINARY SOURCE_DIR OUT
# Manual pages of section 1 are what `mistro help` prints, those of section 5 are pages of docs/, so that
# nothing is written twice; their date is that of the version, in debian/changelog. The folders below OUT
# are those below share/.
set -eu
mistro=$1 source=$2 out=$3
makers=$source/cmake/share
export LC_ALL=C
date=$(sed -n '/^ -- /{s/.*, 0*\([0-9]*\) \([A-Z]..\) \([0-9]*\) .*/\2 \1, \3/p;q;}' "$source/debian/changelog")
rm -rf "$out"
mkdir -p "$out/man/man1" "$out/man/man5"

help_page() { # name, and what `mistro help` takes
  page=$1; shift
  "$mistro" help "$@" >"$out/help"
  if [ $# = 0 ]; then # which leaves the flags and exit statuses of all commands to `mistro help help`
    { printf '\nflags:\n'; "$mistro" help help | sed -n '/^The flags/,$p'; } >>"$out/help"
  fi
  awk -f "$makers/roff.awk" -f "$makers/help_page.awk" -v name="$page" -v section=1 -v date="$date" \
    -v pages="$pages" "$out/help" >"$out/man/man1/$page.1"
}
text_page() { # name, what it is about, page
  awk -f "$makers/roff.awk" -f "$makers/text_page.awk" -v name="$1" -v section=5 -v date="$date" \
    -v about="$2" "$source/docs/$3" >"$out/man/man5/$1.5"
}

"$mistro" help >"$out/help"
commands=$(sed -n '/^flags/q; s/^  \([a-z][a-z]*\)  *.*/\1/p' "$out/help")
pages=$(for name in $commands; do printf 'mistro-%s 1\n' "$name"; done | sort | tr '\n' ',')
pages="${pages}mistro-config 5,mistro-events 5,mistro-plan 5"
help_page mistro
for name in $commands; do help_page "mistro-$name" "$name"; done
text_page mistro-plan "plan files of mistro" plans.md
text_page mistro-events "what happens in a run of mistro, as JSON lines" events.md
text_page mistro-config "settings, servers and policy of mistro" configuration.md
rm "$out/help"

completion() { # shell, file
  mkdir -p "${2%/*}"
  "$mistro" completion "$1" >"$2"
}
completion bash "$out/bash-completion/completions/mistro"
completion zsh "$out/zsh/vendor-completions/_mistro"
completion fish "$out/fish/vendor_completions.d/mistro.fish"
