#!/usr/bin/env bash
# Writes what a program's help becomes in a package: completions (OUT/bash, OUT/zsh, OUT/fish) and, where help2man is installed, a
# manual page for it and for each of its verbs (OUT/man1/ganscale-data-convert.1.gz).
#   scripts/write-texts.sh PROGRAM VERSION OUT
set -euo pipefail
program=$1 version=$2 out=$3
name=$(basename "$program")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out/man1"

# Prints the verbs of a command, which its help lists.
#   verbs_of HELP
verbs_of() { sed -n '/^Subcommands:$/,/^$/ s/^  \([a-z][a-z-]*\) .*/\1/p' "$1"; }

# Prints a list of manual pages, for man's section "see also".
#   see_also PAGE...
see_also() {
  printf '[see also]\n'
  printf '.BR %s (1)\n' "$@"
}

# Writes the manual pages of a command and of the verbs below it.
#   manual_pages PAGE PARENT PROGRAM [VERB...]
manual_pages() {
  local page=$1 parent=$2 verb related=()
  shift 2
  local help=$work/$page.help
  "$@" --help >"$help"
  [ -z "$parent" ] || related+=("$parent")
  for verb in $(verbs_of "$help"); do
    related+=("$page-$verb")
    manual_pages "$page-$verb" "$page" "$@" "$verb"
  done
  # help2man takes a program, not a command with verbs, and runs the lines of an example together unless each has a prompt.
  printf '#!/bin/sh\nsed -E "s/^  (ganscale|mpirun|source) /  \\$ \\1 /" %q\n' "$help" >"$work/$page"
  chmod +x "$work/$page"
  see_also "${related[@]}" >"$work/$page.include"
  help2man --no-info --section 1 --manual ganscale --source "ganscale $version" --version-string "$version" \
    --name "$(sed "s/^$name //; s/\\.$//; q" "$help")" --include "$work/$page.include" "$work/$page" |
    gzip -n -9 >"$out/man1/$page.1.gz"
}

for shell in bash zsh fish; do
  "$program" completion "$shell" >"$out/$shell"
done
if command -v help2man >/dev/null; then
  manual_pages "$name" "" "$program"
else
  echo "write-texts: no manual pages: help2man is missing" >&2
fi
