/**
 * `backup log` is killed with SIGKILL repeatedly while a server processes writes, and restarted, as a supervisor does:
 * no acknowledged write is missing, and a restore to a point in time has the state at the revision that it reports.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { prefixEnd } from '../../pkg/storage/interface.js';
import { client } from '../fixtures/clients/client.js';
import { runKilled } from '../fixtures/servers/killedcommand.js';
import { compiledServer, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const KILLS = Number(process.env.KILLS ?? 4);
const MAPS = '/api/v1/namespaces/default/configmaps';
const PREFIX = 'registry/core/configmaps/default/w-';
/** The number of objects that are updated in turn. */
const OBJECTS = 7;

/** An acknowledged write. */
interface Acknowledged {
  readonly name: string;
  readonly number: string;
  readonly revision: number;
  /** The time before it was sent, in ms since 1970. */
  readonly sent: number;
}

let server: ServerFixture;
let directory: string;
let flags: string[];
const acknowledged: Acknowledged[] = [];
let writing = true;
let writer: Promise<void>;

async function write(): Promise<void> {
  const { send } = client(server);
  for (let number = 0; writing; number += 1) {
    const name = `w-${number % OBJECTS}`;
    const sent = Date.now();
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { number: `${number}` },
    };
    const created = number < OBJECTS;
    const { status, text } = await send(created ? 'POST' : 'PUT', created ? MAPS : `${MAPS}/${name}`, object);
    if (status !== (created ? 201 : 200)) throw new Error(text);
    const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
    acknowledged.push({ name, number: `${number}`, revision: Number(metadata.resourceVersion), sent });
    await sleep(5);
  }
}
const count = (): number => acknowledged.length;
const moreWrites = (): Promise<unknown> => {
  const before = count();
  return eventually('more writes', async () => count() >= before + 10);
};

const OLD_MS = 3_600_000;
const drafts = (): string[] => readdirSync(directory).filter((one) => one.endsWith('.partial'));
const segments = (): number => readdirSync(directory).filter((one) => /\.log\.\d+$/.test(one)).length;
const log = (): Promise<string> => runKilled(undefined, 'backup', 'log', directory, ...flags);

/** Makes drafts look old, so that the next writer need not wait. */
function ageDrafts(): void {
  const before = new Date(Date.now() - OLD_MS);
  for (const draft of drafts()) utimesSync(join(directory, draft), before, before);
}

const isWriting = (): boolean =>
  drafts().some((draft) => {
    const found = statSync(join(directory, draft), { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs < OLD_MS / 2;
  });

/** Logs until there is a draft after this number of further segments, and kills the process then. */
async function followAndKill(more: number): Promise<void> {
  const argv = ['backup', 'log', directory, '--follow', '--segment-interval=1s', ...flags];
  const child = spawn(process.execPath, [compiledServer(), ...argv], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  const closed = once(child, 'close');
  const before = segments();
  try {
    await eventually('a draft of its own', async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
      return segments() >= before + more && isWriting();
    });
    await moreWrites();
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  expect(child.signalCode).toBe('SIGKILL');
}

/** Numbers by object, after the writes up to a revision. */
function stateAt(revision: number): Record<string, string> {
  const state: Record<string, string> = {};
  for (const one of acknowledged) if (one.revision <= revision) state[one.name] = one.number;
  return state;
}

let restores = 0;
/** The content of a restored store, and the revision that the restore reports. */
async function restored(...more: string[]): Promise<{ state: Record<string, string>; revision: number }> {
  const to = join(server.directory, `restored-${(restores += 1)}`);
  const keys = flags.filter((flag) => flag.startsWith('--encryption'));
  const said = await runKilled(undefined, 'restore', directory, ...more, `--data-dir=${to}`, ...keys);
  const [, revision] = /^0 restored \d+ records of \S+, at revision (\d+)\n/.exec(said) ?? [];
  expect([said, revision]).toEqual([said, expect.any(String)]);
  const engine = await openEmbedded({ directory: join(to, 'store') });
  try {
    const { records } = await engine.scan({ start: PREFIX, end: prefixEnd(PREFIX) });
    const state: Record<string, string> = {};
    for (const { value } of records) {
      const { metadata, data } = JSON.parse(value.toString().split('\n')[0] ?? '') as {
        metadata: { name: string };
        data: { number: string };
      };
      state[metadata.name] = data.number;
    }
    return { state, revision: Number(revision) };
  } finally {
    await engine.close();
  }
}

beforeAll(async () => {
  server = await startServer();
  directory = join(server.directory, 'backups');
  mkdirSync(directory);
  flags = [
    `--data-dir=${join(server.directory, 'data')}`,
    `--encryption-key-file=${join(server.directory, 'encryption.key')}`,
  ];
  expect(await runKilled(undefined, 'backup', 'create', `${directory}/`, ...flags)).toMatch(/^0 /);
  writer = write();
  // The error is reported when the promise is awaited at the end.
  writer.catch(() => undefined);
});
afterAll(async () => {
  writing = false;
  await writer?.catch(() => undefined);
  await server?.remove();
});

test(`a log that is killed ${KILLS} times goes on, and is restored as it was at a time`, async () => {
  const points: { readonly time: number; readonly logged: number }[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    await followAndKill(round % 2);
    // The last draft keeps its time.
    if (round < KILLS - 1) ageDrafts();
    if (round !== 1) continue;
    const logged = count();
    expect(await log()).toMatch(/^0 /);
    points.push({ time: Date.now(), logged });
    await moreWrites();
  }
  writing = false;
  await writer;
  expect(await log()).toMatch(/^0 /);
  expect(drafts()).toEqual([]);
  expect(await runKilled(undefined, 'backup', 'verify', directory, ...flags)).toMatch(/^0 /);
  for (const { time, logged } of points) {
    const { state, revision } = await restored(`--point-in-time=${new Date(time).toISOString()}`);
    expect(state).toEqual(stateAt(revision));
    expect(revision).toBeGreaterThanOrEqual(acknowledged[logged - 1]?.revision ?? Infinity);
    const later = acknowledged.find(({ sent }) => sent > time);
    expect(revision).toBeLessThan(later?.revision ?? 0);
  }
  const end = await restored();
  expect(end.state).toEqual(stateAt(Infinity));
});
