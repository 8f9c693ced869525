#!/usr/bin/env bash
# Puts pytest with the clients that test/clients/python pins, by checksum, into an environment below .tools, and a link to it,
# clients-pytest, into .tools/bin. An environment of the same pins is left as it is.
#
# What cannot be had is named loudly; with CI=true that is a failure, otherwise the caller goes on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pins=test/clients/python/requirements.txt
folder=.tools/clients/python
program=.tools/bin/clients-pytest
if [[ -x $program ]] && cmp -s "$pins" "$folder/pins"; then exit; fi

mkdir -p .tools/bin
rm -f "$program"
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' && python3 -m venv --clear "$folder" &&
  "$folder/bin/pip" install --quiet --require-hashes --requirement "$pins"; then
  cp "$pins" "$folder/pins"
  ln -s ../clients/python/bin/pytest "$program"
  exit
fi
echo "obtain-pytest: NOT AVAILABLE: it takes Python 3.11 or newer with venv, and what $pins names; tests with it cannot run" >&2
[[ ${CI:-} != true ]] || exit 1
