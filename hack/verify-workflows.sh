#!/usr/bin/env bash
# The workflows of GitHub, the action in deploy/ci/github and a workflow that uses it are as GitHub takes them (actionlint). Their
# scripts are checked as well where the machine has shellcheck.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/obtain-tools.sh actionlint
lint=$PWD/.tools/bin/actionlint
if [[ ! -x $lint ]]; then
  echo 'verify-workflows: NOT RUN, there is no actionlint' >&2
  exit
fi
"$lint" .github/workflows/*.yml

# actionlint reads workflows alone: the steps of the action are checked as those of a job, with its inputs.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{.git,.github/workflows}
cp -r deploy/ci/github "$folder/action"
node --input-type=module - "$folder/.github/workflows" <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const { inputs, runs } = parse(readFileSync('deploy/ci/github/action.yml', 'utf8'));
const job = (steps) => ({ jobs: { job: { 'runs-on': 'ubuntu-24.04', steps } } });
const write = (name, on, steps) =>
  writeFileSync(`${process.argv[2]}/${name}.yml`, stringify({ on, ...job(steps) }));
const typed = Object.entries(inputs).map(([name, input]) => [name, { ...input, type: 'string' }]);
write('steps', { workflow_call: { inputs: Object.fromEntries(typed) } }, runs.steps);
write('use', 'push', [{ uses: './action', with: Object.fromEntries(typed.map(([name]) => [name, 'x'])) }]);
JS
(cd "$folder" && "$lint")
echo "verify-workflows: GitHub takes the workflows and the action$(command -v shellcheck >/dev/null || echo '; no shellcheck, so scripts were not checked')"
