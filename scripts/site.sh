#!/usr/bin/env bash
# Builds the documentation as a site, with search: build/site/index.html. It works without a server, too.
#   scripts/site.sh [FOLDER]     REPOSITORY_URL, if set, is where links to other files of the repository lead
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
folder=$(realpath -m "${1:-$repository/build/site}")
"$repository/scripts/setup.sh" site
tools=$("$repository/scripts/python-folder.sh" site)
"$tools/bin/mkdocs" build --strict --quiet -f "$repository/scripts/site/mkdocs.yml" -d "$folder"
say "Wrote $folder/index.html"
