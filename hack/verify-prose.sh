#!/usr/bin/env bash
# Sentences of the docs can be read once: none is too long, no word is repeated, wordy phrases and other spellings of names are
# mended. The rules are in hack/tools/docs/.textlintrc.json. Generated pages and the changelog are not judged.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

make --silent --no-print-directory hack/tools/docs/node_modules/.package-lock.json >&2
mapfile -t pages < <(git ls-files --cached --others --exclude-standard -- 'docs/**.md' ARCHITECTURE.md CONTRIBUTING.md README.md SECURITY.md \
  'cmd/**README.md' 'pkg/**README.md' hack/README.md test/README.md | grep -v '^docs/reference/')
root=$PWD
cd hack/tools/docs
if ! node_modules/.bin/textlint --format unix "${pages[@]/#/$root/}"; then
  echo 'verify-prose: mend these, or the rule' >&2
  exit 1
fi
echo "verify-prose: ${#pages[@]} pages read well"
