/** `platform list NOUN --watch` while a real server restarts, and while access keys expire. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN, fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

let server: ServerFixture;
let cli: PlatformCli;
let admin: Record<string, string>;
const watches: ChildProcess[] = [];
/** The watches of the server itself. */
let idle = 0;

beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  cli = platformCli();
  const caFile = join(cli.home, 'ca.crt');
  writeFileSync(caFile, authorityOf(server));
  admin = { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: ADMIN_TOKEN, PLATFORM_CA_FILE: caFile };
  await run('create', 'project', 'web');
  idle = await openWatches();
});
afterAll(async () => {
  for (const watch of watches) watch.kill('SIGKILL');
  cli.remove();
  await server.remove();
});

const run = (...args: string[]): Promise<Run> => cli.run(args, { env: admin });

interface Watch {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until standard output matches, and returns the output. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number | null>;
  stop(): void;
}

function watching(args: readonly string[], env = admin): Watch {
  const child = spawn(process.execPath, [cli.program, 'list', ...args, '--watch'], {
    env: { ...cli.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watches.push(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    async until(pattern) {
      const giveUp = Date.now() + 40_000;
      while (!pattern.test(said.stdout)) {
        if (Date.now() > giveUp || child.exitCode !== null)
          throw new Error(`no ${String(pattern)} in ${JSON.stringify(said)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return said.stdout;
    },
    ended,
    stop: () => void child.kill('SIGINT'),
  };
}

async function openWatches(): Promise<number> {
  const { text } = await fetchFrom(`${server.url}/metrics`);
  return Number(/^apiserver_longrunning_requests (\d+)$/m.exec(text)?.[1]);
}

test.each<[string, string[], string[]]>([
  ['secret', ['set', 'secret', 'watched.k', '--file', '/dev/null', '--allow-empty'], []],
  ['accesskey', ['create', 'accesskey', 'watched'], []],
  ['user', ['create', 'user', 'watched'], []],
  ['team', ['create', 'team', 'watched'], []],
  ['project', ['create', 'project', 'watched'], []],
  ['space', ['create', 'space', 'watched', '--project', 'web', '--no-wait'], ['--project', 'web']],
])('rows of a %s come as it changes', async (noun, create, place) => {
  await eventually('the end of earlier watches', async () => (await openWatches()) === idle);
  const rows = watching([noun, ...place, '--output-watch-events']);
  const names = watching([noun, ...place, '-o', 'name']);
  const everywhere = watching([noun, ...(place.length > 0 ? ['-A'] : []), '-o', 'json']);
  await eventually('the three watches', async () => (await openWatches()) >= idle + 3);
  expect(await run(...create)).toMatchObject({ code: 0 });
  await rows.until(/^EVENT +NAME .*$/m);
  await rows.until(/^(ADDED|MODIFIED) +watched /m);
  await names.until(/^watched$/m);
  await everywhere.until(/"name": "watched"/);
  await run('delete', noun, 'watched', ...place, '--yes');
  await rows.until(/^DELETED +watched /m);
  expect(rows.stdout().match(/^EVENT/gm)).toHaveLength(1);
  for (const one of [rows, names, everywhere]) one.stop();
  await Promise.all([rows, names, everywhere].map(({ ended }) => ended));
});

test('secrets of both kinds come in one list', async () => {
  await run('create', 'secret', 'both', 'a=b');
  await run('create', 'secret', 'both', 'a=b', '--project', 'web');
  const rows = watching(['secrets', '-A', '--output-watch-events']);
  const objects = watching(['secrets', '-A', '-o', 'json']);
  for (const [kind, at, place] of [
    ['SharedSecret', 'namespace default', []],
    ['ProjectSecret', 'project web', ['--project', 'web']],
  ] as const) {
    await rows.until(new RegExp(`^ADDED +${at} +both .* 1 +admin `, 'm'));
    await objects.until(new RegExp(`"kind": "${kind}"`));
    for (const key of ['c', 'd'])
      expect((await run('set', 'secret', `both.${key}`, 'v', ...place)).code).toBe(0);
    await rows.until(
      new RegExp(`^MODIFIED +${at} +both .* 2 +admin .*\\n(.*\\n)*MODIFIED +${at} +both .* 3 +admin `, 'm'),
    );
  }
  expect(rows.stdout().match(/^EVENT +PLACE +NAME /gm)).toHaveLength(1);
  for (const one of [rows, objects]) one.stop();
  await Promise.all([rows, objects].map(({ ended }) => ended));
});

test('labels choose, also what comes and goes by them', async () => {
  const watch = watching(['users', '-l', 'tier=gold', '--output-watch-events', '-o', 'yaml']);
  await run('create', 'user', 'plain');
  const label = async (value: string): Promise<void> => {
    writeFileSync(
      join(cli.home, 'editor.sh'),
      `#!/bin/sh\nsed -i 's/^metadata:.*/metadata:\\n  labels: {tier: ${value}}/;/^  labels:$/,+1d' "$1"\n`,
      { mode: 0o755 },
    );
    await cli.run(['edit', 'user', 'plain'], { env: { ...admin, EDITOR: join(cli.home, 'editor.sh') } });
  };
  await label('gold');
  expect(await watch.until(/^type: ADDED\nobject:\n/m)).toContain('---\n');
  watch.stop();
  await watch.ended;
});

test('continues after the server was unavailable, with the changes since', async () => {
  const watch = watching(['users']);
  await run('create', 'user', 'before');
  await watch.until(/^before /m);
  await server.stop();
  await eventually('an attempt that fails', async () => watch.stderr().includes('trying again'));
  await server.restart();
  expect(await run('create', 'user', 'after')).toMatchObject({ code: 0 });
  await watch.until(/^after /m);
  expect(watch.stdout().match(/^before /gm)).toHaveLength(1);
  // A server that stops refuses requests at first.
  expect(watch.stderr()).toMatch(
    /^(https:.* cannot be reached|the server answers 503): .*; trying again \.\.\.\n$/,
  );
  watch.stop();
  await watch.ended;
});

test('ends with the key', async () => {
  await run('create', 'user', 'reader');
  const created = await run('create', 'accesskey', 'ending', '--user', 'reader', '-o', 'json');
  const key = (JSON.parse(created.stdout) as { spec: { key: string } }).spec.key;
  const watch = watching(['accesskeys', '-o', 'name'], { ...admin, PLATFORM_ACCESS_KEY: key });
  await watch.until(/^ending$/m);
  await run('delete', 'accesskey', 'ending', '--yes');
  expect(await watch.ended).toBe(3);
  expect(watch.stderr()).toContain('401');
});

test('is refused where it is of no use', async () => {
  expect(await run('list', 'users', '--output-watch-events')).toMatchObject({ code: 2 });
});
