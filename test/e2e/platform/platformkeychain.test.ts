/** Where a login stores its key: gnome-keyring, a real Secret Service, in a separate D-Bus session. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { describeWith, execute, type Outcome } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

describeWith('dbus-run-session', 'gnome-keyring-daemon')('a keychain', () => {
  let server: ServerFixture;
  let cli: PlatformCli;
  let login: string;

  beforeAll(async () => {
    server = await startServer();
    cli = platformCli();
    mkdirSync(join(cli.home, 'run'), { mode: 0o700 });
    const file = (name: string, text: string): string => {
      writeFileSync(join(cli.home, name), text, { mode: 0o600 });
      return join(cli.home, name);
    };
    const flags = `--ca-file ${file('ca.crt', authorityOf(server))} --name it`;
    login = `platform login ${server.url} ${flags} <${file('key', ADMIN_TOKEN)}`;
  });
  afterAll(async () => {
    cli.remove();
    await server.remove();
  });

  /** Unlocks the keyring. Otherwise the keyring of a session is locked, and no user can unlock it. */
  const UNLOCK = [
    'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1',
    'owned="org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets"',
    'for try in $(seq 100); do',
    '  dbus-send --session --print-reply --dest=org.freedesktop.DBus / $owned | grep -q true && break; sleep 0.1',
    'done',
    '',
  ].join('\n');

  /** Runs a script in a new session, which ends with the script. */
  function inSession(script: string): Outcome {
    const env = {
      ...cli.installed(),
      PLATFORM_KEYCHAIN: '',
      XDG_RUNTIME_DIR: join(cli.home, 'run'),
      XDG_CONFIG_HOME: '',
      DISPLAY: '',
    };
    return execute(findProgram('dbus-run-session') ?? '', ['--', 'sh', '-c', script], { env });
  }
  const config = (): string => readFileSync(join(cli.home, '.config', 'platform', 'config.json'), 'utf8');

  test('holds the key instead of the file, until the logout', () => {
    const first = inSession(`${UNLOCK}${login} && platform whoami`);
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/User +admin/) });
    expect(config()).toContain(server.url);
    expect(config()).not.toMatch(new RegExp(`accessKey|${ADMIN_TOKEN}`));
    expect(existsSync(join(cli.home, '.local', 'share', 'keyrings', 'login.keyring'))).toBe(true);
    const later = inSession(`${UNLOCK}platform whoami && platform logout`);
    expect(later).toMatchObject({ code: 0, out: expect.stringMatching(/User +admin/) });
    expect(inSession(`${UNLOCK}${login}`).code).toBe(0);
  });

  test('is reported if it is locked, and the next login stores its key in the file', () => {
    const locked = inSession('platform whoami');
    expect(locked).toMatchObject({
      code: 3,
      err: expect.stringContaining('unlock it, or run "platform login'),
    });
    expect(inSession(`${login} && platform whoami`)).toMatchObject({ code: 0 });
    expect(config()).toContain(ADMIN_TOKEN);
  });
});
