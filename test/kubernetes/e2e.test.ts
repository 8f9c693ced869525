/**
 * Kubernetes' own end-to-end tests of its API machinery (`test/e2e/apimachinery`), each against a server with an empty store and no
 * nodes: `notrun.json` names those that are not run, with the reason.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { printedBy } from '../fixtures/program.js';
import { BUILT, NOT_RUN, startServer } from './servers.js';

const MINUTES_5 = 300_000;
const notRun = NOT_RUN.e2e ?? {};
const directory = mkdtempSync(join(tmpdir(), 'kubernetes-e2e-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Of Ginkgo. */
interface Spec {
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message: string; readonly Location: object };
}

/** Runs the program. Returns what it reports of each test. Throws what it prints where there is no report. */
async function run(kubeconfig: string, args: readonly string[]): Promise<readonly Spec[]> {
  const [file, report] = [join(directory, 'kubeconfig'), join(directory, 'report.json')];
  writeFileSync(file, kubeconfig);
  // Kinds that are made of documents have no protobuf.
  const flags = [`--kubeconfig=${file}`, '--kube-api-content-type=application/json', '--ginkgo.timeout=4m'];
  const all = [...flags, `--ginkgo.json-report=${report}`, ...args];
  const program = spawn(join(BUILT, 'e2e.test'), all, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const { text } = await printedBy(program);
  if (!existsSync(report)) throw new Error(text);
  const [{ SpecReports: specs }] = JSON.parse(readFileSync(report, 'utf8')) as [
    { readonly SpecReports: readonly Spec[] },
  ];
  rmSync(report);
  return specs;
}

const specs = await run('', ['--ginkgo.dry-run']);
/** The package brings tests of others along. */
const SIG = '[sig-api-machinery] ';
const names = specs
  .map(({ ContainerHierarchyTexts: within, LeafNodeText: text }) => [...(within ?? []), text].join(' '))
  .flatMap((name) => (name.startsWith(SIG) ? [name.slice(SIG.length)] : []))
  .sort();

describe('test/e2e/apimachinery', () => {
  test('what is not run is there', () => {
    expect(Object.keys(notRun).filter((name) => !names.includes(name))).toEqual([]);
  });
  test.each(names.filter((name) => !(name in notRun)))(
    '%s',
    async (name) => {
      const server = await startServer({ accounts: true });
      try {
        const focus = `--ginkgo.focus=\\Q${SIG}${name}\\E$`;
        const all = await run(server.kubeconfig, [focus]);
        const done = all.filter(({ State }) => State !== 'skipped' && State !== 'pending');
        const states = done.map(({ State, Failure }) => [State, Failure?.Message, Failure?.Location]);
        expect(states).toEqual([['passed', undefined, undefined]]);
      } finally {
        await server.stop();
      }
    },
    MINUTES_5,
  );
});
