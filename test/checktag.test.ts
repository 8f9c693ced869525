/** hack/release/check-tag.sh: what is forgotten before a tag is named, before anything is published. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../pkg/server/version.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHARTS = ['deploy/helm/Chart.yaml', 'deploy/helm-agent/Chart.yaml'];
const FILES = [
  'hack/release/check-tag.sh',
  'hack/release/notes.sh',
  'package.json',
  'pkg/server/version.ts',
  ...CHARTS,
  'deploy/ci/github/action.yml',
  'deploy/ci/gitlab.yml',
];
const REPOSITORY = 'someone/management';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-tag-'));
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## ${SERVER_VERSION}\n\n- All of it.\n`);
  const url = `git+https://github.com/${REPOSITORY}.git`;
  change(
    'package.json',
    '"private": true',
    `"private": true, "repository": { "type": "git", "url": "${url}" }`,
  );
  for (const chart of CHARTS) change(chart, 'OWNER/REPOSITORY', REPOSITORY);
});
afterEach(() => rmSync(folder, { recursive: true }));

function change(file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replaceAll(from, to));
}
function check(tag = `v${SERVER_VERSION}`, repository = REPOSITORY): readonly [number | null, string] {
  const env = { ...process.env, GITHUB_REPOSITORY: repository };
  const { status, stderr } = spawnSync(join(folder, 'hack/release/check-tag.sh'), [tag], {
    encoding: 'utf8',
    env,
  });
  return [status, stderr];
}

test('nothing is missing', () => {
  expect(check()).toEqual([0, '']);
  expect(check(`v${SERVER_VERSION}`, '')).toEqual([0, '']);
});

test('another tag and another repository are refused', () => {
  expect(check('v9.9.9')).toEqual([1, expect.stringContaining('the tag has the version "9.9.9"')]);
  const said = expect.stringContaining('must be "git+https://github.com/someone/else.git"');
  expect(check(`v${SERVER_VERSION}`, 'someone/else')).toEqual([1, said]);
});

test.each(FILES.slice(3))('%s with another version is refused', (file) => {
  change(file, SERVER_VERSION, '9.9.9');
  expect(check()).toEqual([1, expect.stringContaining(`${file} has the version "9.9.9"`)]);
});

test.each(CHARTS)('%s of another repository is refused', (chart) => {
  change(chart, REPOSITORY, 'OWNER/REPOSITORY');
  expect(check()).toEqual([1, expect.stringContaining(`home and sources of ${chart} must be`)]);
});

test('a changelog without the version is refused', () => {
  change('CHANGELOG.md', `## ${SERVER_VERSION}`, '## Unreleased');
  expect(check()).toEqual([1, expect.stringContaining(`CHANGELOG.md has no part "## ${SERVER_VERSION}"`)]);
});
