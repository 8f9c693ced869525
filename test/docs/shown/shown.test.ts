/**
 * Every command of `platform`, `management-apiserver`, kubectl and Helm that the console, the CLI, the server, the charts or the docs
 * show is a whole command that its program takes, with its options.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../../fixtures/program.js';
import { ROOT } from '../page.js';
import { PATHS, shownIn, textOf, type Program, type Shown } from './collect.js';
import { JUDGES } from './judges.js';
import { commandsIn } from './words.js';

const faultOf = ({ program, words }: Pick<Shown, 'program' | 'words'>): string | undefined =>
  JUDGES[program](words);

const SHOWN = PATHS.flatMap((path) => shownIn(path, textOf(path)));

describeWith('kubectl', 'helm')('a command that is shown', () => {
  test.each<[Program, number]>([
    ['platform', 600],
    ['kubectl', 180],
    ['management-apiserver', 50],
    ['helm', 40],
  ])('is one that %s takes', (program, least) => {
    const own = SHOWN.filter((one) => one.program === program);
    expect(own.length).toBeGreaterThan(least);
    const wrong = own.map((one) => ({ at: one.at, fault: faultOf(one) }));
    expect(wrong.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  test.each([
    ['platform lits secrets', 'no command lits'],
    ['platform list secretz', 'no command secretz'],
    ['platform list', 'lacks one of'],
    ['platform get secret db --lines', 'no option --lines'],
    ['platform get NOUN NAME -o yaml', undefined],
    ['platform run --secret db -- ./x --any', undefined],
    ['management-apiserver --data-dir data', undefined],
    ['management-apiserver backup create DIRECTORY/ --retain 7', undefined],
    ['management-apiserver admin-key', 'lacks one of list, revoke'],
    ['management-apiserver admin-keys list', 'no command admin-keys'],
    ['management-apiserver admin-key make', 'lacks one of list, revoke'],
    ['management-apiserver restore FILE --point-in 1', 'no option --point-in'],
    ['kubectl -n get get secrets', undefined],
    ['kubectl apply -f -', undefined],
    ['kubectl gett secrets', 'no command gett'],
    ['kubectl get secrets --every-namespace', 'no option --every-namespace'],
    ['kubectl config', 'lacks one of'],
    ['kubectl create namespaces a', 'no command namespaces'],
    ['kubectl platform lits', 'no command lits'],
    ['helm upgrade NAME CHART --install --set a=b', undefined],
    ['helm upgrade NAME CHART --reuse', 'no option --reuse'],
    ['helm repo', 'lacks one of'],
  ])('%s: %s', (text, fault) => {
    const [shown] = shownIn('a.md', `\`${text}\``);
    expect(shown).toBeDefined();
    const found = faultOf(shown!);
    expect(found).toEqual(fault === undefined ? undefined : expect.stringContaining(fault));
  });
});

test.each([
  ['in a text', 'a.ts', `fail('run kubectl get pods, then \\'x\\'')`, ['kubectl get pods, then']],
  ['after a colon', 'a.ts', '`so: helm test ${name} -n ${namespace}`', ['helm test X -n X']],
  ['in help', 'a.ts', '  platform get secret db   prints it', ['platform get secret db']],
  ['not in a comment', 'a.ts', '  // "kubectl gett"\n/** `kubectl gett` */', []],
  ['not in a sentence', 'a.ts', `say('kubectl finds its kinds')`, []],
  ['in a span over two lines', 'a.md', 'Say `kubectl\nget pods`, or kubectl.', ['kubectl get pods']],
  [
    'in a script',
    'a.md',
    '```sh\nx=1 kubectl get a | kubectl apply -f -\n```\n',
    ['kubectl get a', 'kubectl apply -f -'],
  ],
  [
    'in a block of another language',
    'a.md',
    '```yaml\n- run: "helm lint deploy"\n```\n',
    ['helm lint deploy'],
  ],
])('is found %s', (_where, path, text, commands) => {
  expect(shownIn(path, text).map(({ program, words }) => [program, ...words].join(' '))).toEqual(commands);
});

test.each([
  [
    `kubectl get a -o 'b c' | base64 -d >f 2>&1 # d`,
    [
      ['kubectl', 'get', 'a', '-o', 'b c'],
      ['base64', '-d'],
    ],
  ],
  [
    'K=$(platform get secret $(cat a).b) sudo helm lint \\\n  x',
    [
      ['cat', 'a'],
      ['platform', 'get', 'secret', 'X.b'],
      ['helm', 'lint', 'x'],
    ],
  ],
])('words of %j', (script, words) => expect(commandsIn(script)).toEqual(words));

test('pages of the docs that errors, help and comments name are there', () => {
  const pages = PATHS.flatMap((path) => textOf(path).match(/\bdocs\/[\w/-]+\.md\b/g) ?? []);
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});
