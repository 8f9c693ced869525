/** Every command that a page shows is run by a test, or the page says in a comment why it is not. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { blocksOf, PAGES, readPage, ROOT, shapeOf, stepsIn } from './page.js';

/** Blocks of a language that tests outside of this folder run. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md console': 'test/e2e/docs/readme.test.ts',
  'docs/quickstart.md sh': 'test/e2e/docs/quickstart.test.ts',
  'docs/walkthrough.md console': 'test/e2e/docs/walkthrough.test.ts',
  'docs/recipes/prometheus.md console': 'test/chart/prometheus.test.ts',
  'docs/recipes/flux.md console': 'test/recipes/flux.test.ts',
  'docs/recipes/argocd.md console': 'test/recipes/argocd.test.ts',
  'docs/tutorials/behind-your-cluster.md console': 'test/host/chart/clustertutorial.test.ts',
};
/** test/e2e/docs/tutorials.test.ts runs each page of it that needs no cluster. */
const TUTORIALS = 'docs/tutorials/';

const BLOCKS = PAGES.flatMap((page) => blocksOf(readPage(page)).map((block) => ({ page, ...block })));

const ownTests = readdirSync(join(ROOT, 'test/docs'))
  .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
  .map((name) => readFileSync(join(ROOT, 'test/docs', name), 'utf8'))
  .join('\n');
const isRun = (page: string, language: string): boolean =>
  `${page} ${language}` in ELSEWHERE ||
  page.startsWith(TUTORIALS) ||
  ownTests.includes(`follow(reader, '${page}'`);

test('every block of commands is run, or says why not', () => {
  expect(BLOCKS.length).toBeGreaterThan(60);
  const left = BLOCKS.filter((block) => stepsIn(block).length > 0 && !isRun(block.page, block.language));
  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  const marked = BLOCKS.filter(({ notRun }) => notRun !== undefined);
  const lines = marked.map(({ page, line, notRun }) => `${page}:${line}: ${notRun?.reason}`);
  console.info(
    `${marked.length} of ${BLOCKS.length} blocks of the docs are not run as a whole:\n${lines.join('\n')}`,
  );
});

/** What no test runs. */
const BY_NOBODY = ['does not end by itself', 'neither ends by itself', 'takes a repository at GitHub'];

test('what is not run names a test that runs it, or a reason why none does', () => {
  const reasons = BLOCKS.flatMap(({ page, line, notRun }) =>
    notRun === undefined ? [] : [{ at: `${page}:${line}`, reason: notRun.reason }],
  );
  const unknown = reasons.filter(({ reason }) => !BY_NOBODY.includes(reason) && !/\btest\/\S+/.test(reason));
  expect(unknown).toEqual([]);
});

test('tests that pages name exist', () => {
  const named = BLOCKS.flatMap(({ notRun }) => notRun?.reason.match(/\b(test|hack)\/[\w./-]+\w/g) ?? []);
  const all = [...named, ...Object.values(ELSEWHERE)];
  expect(all.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  for (const [block, path] of Object.entries(ELSEWHERE)) {
    const name = /(\w+)\.md/.exec(block)?.[1] ?? '';
    expect([path, readFileSync(join(ROOT, path), 'utf8').includes(name)]).toEqual([path, true]);
  }
});

describe('a page', () => {
  const PAGE = `
<!-- not run: takes a cluster -->

\`\`\`sh
kubectl get pods
\`\`\`

1. In a list:

   <!-- not run (podman, kubectl wait): takes an engine -->
   \`\`\`sh
   podman push a \\
     b
   cat <<END
   podman
   END
   kubectl wait
   \`\`\`

\`\`\`console
$ one
1
$ two
\`\`\`
`;
  test('is read with its marks', () => {
    const blocks = blocksOf(PAGE);
    expect(blocks.map(({ line, notRun }) => [line, notRun?.reason])).toEqual([
      [4, 'takes a cluster'],
      [11, 'takes an engine'],
      [20, undefined],
    ]);
    expect(blocks.map(stepsIn)).toEqual([
      [],
      [{ command: 'cat <<END\npodman\nEND' }],
      [
        { command: 'one', output: '1' },
        { command: 'two', output: '' },
      ],
    ]);
  });

  test('is refused if it marks a command that it does not have', () => {
    const [, block] = blocksOf(PAGE.replace('podman,', 'docker,'));
    expect(() => stepsIn(block!)).toThrow('line 11: no command of the block begins with "docker"');
  });
});

test.each([
  ['at 2026-11-23T00:34:19.231Z, 412 records', 'at 2027-01-02T10:00:00.000Z, 7 records', true],
  ['key 09f794fcfc9fd8a0 is used', 'key ffffffffffffffff is used', true],
  ['KEY    USE\na      yes', 'KEY  USE\na    yes\n', true],
  ['the key … is gone.', 'the key of Anna is gone.', true],
  ['3 records', 'three records', false],
  ['done', 'done\nand more', false],
  ['a.b', 'a-b', false],
])('%j is the shape of %j: %j', (said, printed, fits) => expect(shapeOf(said).test(printed)).toBe(fits));
