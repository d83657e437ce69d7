#!/usr/bin/env bash
# Plants mutants into the code that decides, and reports which of them the unit tests catch (docs/testing.md).
#   COUNT=300 scripts/mutation.sh
# An interrupted run resumes. Exit code 1 if fewer than 90% are caught.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"

scripts/setup.sh build test mutation
find_tools
TORCH_SITE=${GANSCALE_TORCH_SITE:-$(echo "$python_folder"/lib/python3*/site-packages)}
export TORCH_SITE
"$(scripts/python-folder.sh mutation)/bin/python" tests/mutation/run.py --count "${COUNT:-300}" --jobs "$(compile_jobs)"
