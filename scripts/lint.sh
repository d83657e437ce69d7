#!/usr/bin/env bash
# Checks layout (clang-format) and the limits of docs/style.md (lizard: complexity 10, 60 lines, 5 parameters a function;
# 500 lines a file).
#   scripts/lint.sh            reports what offends
#   scripts/lint.sh --fix      lays out every file anew
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$repository"

mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' | sort -u)
for tool in clang-format lizard; do
  command -v "$tool" >/dev/null || die "$tool is missing" "scripts/setup.sh test installs it."
done
if [ "${1:-}" = --fix ]; then
  clang-format -i "${files[@]}"
  exit 0
fi

failed=0
clang-format --dry-run --Werror "${files[@]}" || { failed=1; echo "layout differs from .clang-format: make format" >&2; }
lizard -w -C 10 -L 60 -a 5 -x '*/kernel.cu' "${files[@]}" ||
  { failed=1; echo "functions over the limits of docs/style.md" >&2; }
for file in "${files[@]}"; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 500 ] || { failed=1; echo "$file: $lines lines, limit 500" >&2; }
done
[ $failed -eq 0 ] || die "lint failed: see above"
say "${#files[@]} files hold the layout and the limits"
