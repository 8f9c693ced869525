/**
 * Runs the scripts of docs/tutorials/from-other-stores.md that bring secrets of Vault and Infisical. Programs stand in for
 * theirs, and print what these print; bash, jq and `platform` are real.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { scriptsUnder } from '../../fixtures/docs/docssteps.js';
import { describeWith } from '../../fixtures/program.js';

const PAGE = fileURLToPath(new URL('../../../docs/tutorials/from-other-stores.md', import.meta.url));
const [FROM_VAULT = '', FROM_INFISICAL = ''] = scriptsUnder(
  readFileSync(PAGE, 'utf8'),
  '3. From Vault or Infisical',
);
const VALUES = {
  password: 'p#ss "q" $HOME \\ x',
  json: '{"a":1}',
  lead: ' lead ',
  path: 'C:\\Users\\new',
  tab: 'x\\ty',
  comment: 'a #b',
  quote: "it's '' \\'",
  variable: '${HOME} `id` $(id)',
  crlf: 'a\r\nb\n',
  empty: '',
  'tls.crt': '-----BEGIN CERTIFICATE-----\nMIIB+/=\n-----END CERTIFICATE-----\n',
};

/** `vault kv list` and `vault kv get`, of the KV store below the folder `vault`. */
const VAULT = `#!/bin/bash
at=vault/\${4#secret/}
case $2 in
  list) cd "$at" && ls -p | jq -R . | jq -s . ;;
  get) jq '{data: {data: .}}' "$at" ;;
esac
`;
const INFISICAL = `#!/bin/bash
jq 'to_entries | map({key, workspace: "w", value, type: "shared"})' vault/app
`;

describeWith('jq')('secrets of other stores', () => {
  let it: LoggedInCli;
  beforeAll(async () => {
    it = await startLoggedIn();
    await it.shown('create', 'project', 'billing');
    const { PATH = '' } = it.cli.installed();
    const install = (name: string, text: string): void =>
      writeFileSync(join(PATH.split(':')[0] ?? '', name), text, { mode: 0o755 });
    install('vault', VAULT);
    install('infisical', INFISICAL);
  });
  afterAll(() => it?.remove());

  const store = (path: string, values: object): void => {
    mkdirSync(join(it.cli.home, 'vault', path, '..'), { recursive: true });
    writeFileSync(join(it.cli.home, 'vault', path), JSON.stringify(values));
  };
  const printedBy = (script: string): string =>
    spawnSync('bash', ['--norc', '-c', `exec 2>&1; ${script}`], {
      cwd: it.cli.home,
      env: it.cli.installed(),
      encoding: 'utf8',
    }).stdout;
  const dataOf = async (name: string): Promise<unknown> =>
    JSON.parse(await it.shown('get', 'secret', name, '--project', 'billing', '-o', 'jsonpath={.spec.data}'));
  const encoded = (values: Readonly<Record<string, string>>): object =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    );

  test('of Vault come with every value as it is, from each path', async () => {
    store('app', VALUES);
    store('team/Pay_roll/db', { port: 5432, user: 'app' });
    expect(printedBy(FROM_VAULT).match(/^.*: the same$/gm)).toEqual([
      'app: the same',
      'team-pay-roll-db: the same',
    ]);
    expect(await dataOf('app')).toEqual(encoded(VALUES));
    expect(await dataOf('team-pay-roll-db')).toEqual(encoded({ port: '5432', user: 'app' }));
    expect(existsSync(join(it.cli.home, 'old.json'))).toBe(false);
  });

  test('of Infisical, too', async () => {
    expect(printedBy(FROM_VAULT.replace(/^paths ''[^]*/m, '') + FROM_INFISICAL)).toContain(
      'app-prod: the same',
    );
    expect(await dataOf('app-prod')).toEqual(encoded(VALUES));
  });

  test('are told where they differ, and what was exported is kept', () => {
    store('app', { ...VALUES, lead: 'new' });
    const printed = printedBy(FROM_VAULT);
    expect(printed).toMatch(/^< +"lead": "bmV3"/m);
    expect(printed).not.toContain('app: the same\n');
  });

  test('are not called the same where the other store answers nothing', () => {
    const printed = printedBy(
      `infisical() { false; }\n${FROM_VAULT.replace(/^paths ''[^]*/m, '')}${FROM_INFISICAL}`,
    );
    expect(printed).toContain('app-prod: old.json has no value\n');
    expect(printed).not.toContain('the same');
  });
});
