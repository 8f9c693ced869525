/**
 * Replays recorded requests of a Kubernetes API server against the compiled server, on both engines. A difference is
 * tolerated by name (`conformance/tolerate.json`, and `project-tolerate.json` for what this project does otherwise), or
 * its step waits for something that is not built (`later.json`), or it fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { etcdIsThere, startEtcd, type EtcdFixture } from './fixtures/stores/etcd.js';
import { ADMIN_TOKEN, VIEWER_TOKEN, startServer, type ServerFixture } from './fixtures/servers/server.js';

/** One entry of `later.json`: steps that cannot pass yet. `step` is a regular expression, like a tolerance's. */
interface Later {
  readonly scenario: string;
  readonly step: string;
  /** What brings it. */
  readonly needs: string;
}

interface Tolerance {
  readonly reason: string;
  /** The difference is one of moments: it need not show. */
  readonly timing?: true;
}

interface Recording {
  readonly scenarios: Record<string, { readonly area: string; readonly steps: { readonly step: string }[] }>;
}

const FOLDER = fileURLToPath(new URL('conformance', import.meta.url));
const AREAS = new Set([
  'create',
  'get',
  'list',
  'watch',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'representation',
  'discovery',
  'routing',
  'health',
  'openapi',
  'metadata',
  'status',
  'namespace',
  'kinds',
  'rbac',
  'auth',
  'apply',
  'managedfields',
  'expired',
  'fieldvalidation',
  'group',
]);

const read = <T>(name: string): T => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as T;
const scenarios = readdirSync(join(FOLDER, 'scenarios'))
  .map((file) => read<{ name: string; area: string }>(join('scenarios', file)))
  .filter(({ area }) => AREAS.has(area))
  .map(({ name }) => name);
const ONLY = `^(${scenarios.join('|')})$`;
const later = read<Later[]>('later.json');
const ours = read<Tolerance[]>('project-tolerate.json');

const isLater = (scenario: string, step: string): boolean =>
  later.some((entry) => entry.scenario === scenario && new RegExp(entry.step).test(step));

/** A recording without the steps of `later.json`, and how many those are. */
function withoutLater(recording: Recording): { kept: Recording; left: number } {
  let left = 0;
  const kept = Object.entries(recording.scenarios).map(([name, scenario]) => {
    const steps = scenario.steps.filter(({ step }) => !isLater(name, step));
    left += scenario.steps.length - steps.length;
    return [name, { ...scenario, steps }] as const;
  });
  return { kept: { ...recording, scenarios: Object.fromEntries(kept) }, left };
}

interface Outcome {
  readonly code: number | null;
  readonly text: string;
}

async function node(program: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [join(FOLDER, program), ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

/** Runs the scenarios against the server; answers what was compared, and how. */
async function replay(server: ServerFixture): Promise<Outcome & { readonly left: number }> {
  const file = (name: string): string => join(server.directory, name);
  const ran = await node(
    'run.mjs',
    '--server',
    server.url,
    '--token',
    ADMIN_TOKEN,
    '--viewer-token',
    VIEWER_TOKEN,
    '--scenarios',
    join(FOLDER, 'scenarios'),
    '--only',
    ONLY,
    '--out',
    file('actual.json'),
  );
  if (ran.code !== 0) throw new Error(`run.mjs failed: ${ran.text}`);
  const actual = JSON.parse(readFileSync(file('actual.json'), 'utf8')) as Recording;
  const { kept, left } = withoutLater(read<Recording>('expected.json'));
  writeFileSync(file('expected.json'), JSON.stringify(kept));
  writeFileSync(file('actual.json'), JSON.stringify(withoutLater(actual).kept));
  writeFileSync(file('tolerate.json'), JSON.stringify([...ours, ...read<Tolerance[]>('tolerate.json')]));
  const compared = await node(
    'compare.mjs',
    file('expected.json'),
    file('actual.json'),
    '--tolerate',
    file('tolerate.json'),
    '--only',
    ONLY,
  );
  return { ...compared, left };
}

function expectConformance({ code, text, left }: Outcome & { readonly left: number }): void {
  const [differences = '', summary = ''] = text.split(/\n(?=area +passed)/);
  console.log(`${summary.trim()}\n${left} steps of later.json left out`);
  expect(differences.trim()).toBe('');
  expect(code).toBe(0);
  const hit = [...text.matchAll(/^tolerated \d+x: (.*)$/gm)].map(([, reason]) => reason);
  expect(ours.filter(({ reason, timing }) => timing !== true && !hit.includes(reason))).toEqual([]);
}

test('later.json names steps that are there, and what they wait for', () => {
  const { scenarios: recorded } = read<Recording>('expected.json');
  const unknown = later.filter(({ scenario, step }) =>
    (recorded[scenario]?.steps ?? []).every((known) => !new RegExp(step).test(known.step)),
  );
  expect(unknown).toEqual([]);
  expect(later.filter(({ needs }) => needs.trim() === '')).toEqual([]);
});

describe('the recorded answers, on the embedded engine', () => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  test('are given', async () => {
    expectConformance(await replay(server));
    await server.stop();
  });
});

(etcdIsThere() ? describe : describe.skip)('the recorded answers, on etcd', () => {
  let etcd: EtcdFixture;
  let server: ServerFixture;
  beforeAll(async () => {
    etcd = await startEtcd();
    server = await startServer({ etcdServers: etcd.endpoint });
  });
  afterAll(async () => {
    await server.remove();
    await etcd.stop();
  });

  test('are given', async () => {
    expectConformance(await replay(server));
    await server.stop();
  });
});
