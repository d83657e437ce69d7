#!/usr/bin/env bash
# Checks the layout of C++ (clang-format), shell scripts (shellcheck), and the limits of docs/style.md: of a function in C++ and
# Python complexity 10, 60 lines, 5 parameters (lizard), of a function in shell 60 lines, of any source file 500 lines, of a folder 26 files.
#   scripts/lint.sh            reports what offends
#   scripts/lint.sh --fix      formats every C++ file
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"

# Prints the files of the tree that match, those that git does not know yet included.
sources() {
  git ls-files --cached --others --exclude-standard "$@" | sort -u | while IFS= read -r file; do [ ! -e "$file" ] || echo "$file"; done
}
mapfile -t cpp < <(sources '*.h' '*.cpp' '*.cu' '*.cuh')
mapfile -t python < <(sources '*.py')
mapfile -t shell < <(sources '*.sh' .ci/run)
[ ${#cpp[@]} -gt 0 ] || die "git can't list the sources of $repository" "Is it a clone, and yours?"
for tool in clang-format lizard shellcheck; do
  command -v "$tool" >/dev/null || die "$tool is missing" "scripts/setup.sh test installs it."
done
if [ "${1:-}" = --fix ]; then
  clang-format -i "${cpp[@]}"
  exit 0
fi

failed=0
#   check WHAT_IS_WRONG COMMAND...
check() {
  local wrong=$1
  shift
  "$@" || { failed=1; echo "$wrong" >&2; }
}

# Prints shell functions of more than 60 lines, and fails if there are any.
short_functions() {
  awk '/^[a-z_]+\(\) [{(]$/ { name = $1; start = FNR }
       /^[})]/ { if (name && FNR - start >= 60) { print FILENAME ": " name " " FNR - start + 1 " lines"; long = 1 } name = "" }
       END { exit long }' "$@"
}

short_files() {
  wc -l "$@" | awk '$1 > 500 && $2 != "total" { print $2 ": " $1 " lines"; long = 1 } END { exit long }'
}

# Prints folders with more than 26 files directly in them, and fails if there are any.
short_folders() {
  sources worker operator tests | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 26 { print $2 ": " $1 " files"; long = 1 } END { exit long }'
}

# Prints where an operator asks for a device to choose between its kernel and its reference.
one_choice() {
  local status=0
  git grep --untracked -nE 'is_(cpu|cuda)\(\)' -- worker/kernels ':!worker/kernels/launch' || status=$?
  [ $status -eq 1 ] # found nothing
}

check "layout differs from .clang-format: make format" clang-format --dry-run --Werror "${cpp[@]}"
check "C++ functions over the limits" lizard -w -C 10 -L 60 -a 5 -x '*/kernel.cu' "${cpp[@]}"
check "kernels over the limits" lizard -w -C 10 -L 120 -a 5 worker/kernels/*/kernel.cu
check "Python functions over the limits" lizard -w -C 10 -L 60 -a 6 "${python[@]}" # lizard counts `self`
check "shellcheck objects" shellcheck --external-sources "${shell[@]}"
check "shell functions over 60 lines" short_functions "${shell[@]}"
check "files over 500 lines" short_files "${cpp[@]}" "${python[@]}" "${shell[@]}"
check "folders of more than 26 files" short_folders
check "operators ask takes_kernels() who computes" one_choice
[ $failed -eq 0 ] || die "lint failed: see above (limits: docs/style.md)"
say "$((${#cpp[@]} + ${#python[@]} + ${#shell[@]})) files comply with layout and limits"
