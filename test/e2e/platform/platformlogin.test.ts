/** `platform login` with an identity provider: with a browser on this machine, and with a code on another device. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createBrowser } from '../../fixtures/console/browser.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';
import { authorityOf } from '../../fixtures/servers/authority.js';

let idp: IdentityProvider;
let server: ServerFixture;
let cli: PlatformCli;
const directory = mkdtempSync(join(tmpdir(), 'platform-login-'));

beforeAll(async () => {
  // The provider logs warnings about its configuration, which is not meant for production.
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  server = await startServer({ flags: [loginFlag(directory, idp)] });
  await idp.serve(server.url);
  writeFileSync(join(directory, 'server.crt'), authorityOf(server));
  cli = platformCli();
  idp.accounts.set('sub-of-anna', { preferred_username: 'anna', name: 'Anna' });
});
afterAll(async () => {
  cli.remove();
  await server.remove();
  idp.stop();
  rmSync(directory, { recursive: true });
});

/** Runs the login. `said`: the output so far. `ended`: its result. */
function loggingIn(...flags: string[]): { said: () => string; ended: Promise<number | null> } {
  const args = [cli.program, 'login', server.url, '--ca-file', join(directory, 'server.crt'), ...flags];
  const child = spawn(process.execPath, args, {
    env: cli.env,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { said: () => text, ended: new Promise((resolve) => child.once('close', resolve)) };
}

const read = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve(text));
    }).once('error', reject);
  });

test('in a browser, whose key ends with the logout', async () => {
  const { said, ended } = loggingIn('--no-browser');
  const url = await eventually('the URL is shown', () => Promise.resolve(/https:\S+/.exec(said())?.[0]));
  const browser = createBrowser((to) => to.protocol === 'http:');
  const form = await browser.open(url);
  const asking = await browser.submit(form, { login: 'sub-of-anna', password: 'any' });
  const { headers } = await browser.submit(asking);
  const back = headers.location as string;
  const stranger = new URL(back);
  stranger.searchParams.set('state', 'another');
  expect(await read(stranger.href)).toBe('');
  expect(await read(back)).toMatch(/You may close this window/);
  expect(await ended).toBe(0);
  expect(said()).toMatch(/Logged in to https:\S+ as anna\.\n$/);
  expect(said()).not.toContain('mk_');
  const keys = async (): Promise<string> => (await cli.run(['list', 'accesskeys', '-o', 'name'])).stdout;
  expect((await cli.run(['whoami'])).stdout).toMatch(/User +anna/);
  expect((await keys()).trim()).not.toBe('');
  expect((await cli.run(['logout'])).stderr).toMatch(/^Logged out of ".*"\.\n$/);
  expect((await cli.run(['whoami'])).code).toBe(3);
});

test('by a code that is entered elsewhere', async () => {
  const { said, ended } = loggingIn('--device');
  const [, page, code] = await eventually('the code is shown', () =>
    Promise.resolve(/Open (https:\S+) on .* the code (\S+)/.exec(said()) ?? undefined),
  );
  const browser = createBrowser();
  let form = await browser.open(`${page}?user_code=${code}`);
  form = await browser.submit(form, { login: 'sub-of-anna', password: 'any' });
  expect(form.text).toContain(`platform on ${hostname()}`);
  await browser.submit(form);
  expect(await ended).toBe(0);
  expect(said()).toMatch(/Logged in to https:\S+ as anna\.\n$/);
});

test('a server without an identity provider says so', async () => {
  const other = await startServer();
  writeFileSync(join(directory, 'other.crt'), authorityOf(other));
  const args = ['login', other.url, '--ca-file', join(directory, 'other.crt')];
  expect(await cli.run([...args, '--device'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('logs nobody in by a code'),
  });
  await other.remove();
});
