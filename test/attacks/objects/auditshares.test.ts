/** One user cannot flush what others did out of the audit log: reads of a user are left out before changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, KEYS } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { eventually } from '../../fixtures/wait.js';

/** Two files of 1 MiB: a share of 8 KiB an hour. */
const SMALL = ['--audit-log-maxsize=1', '--audit-log-maxbackup=1'];
const READS = 200;

interface Line {
  readonly verb: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: { readonly name?: string };
  readonly annotations: Readonly<Record<string, string>>;
}

describe('the audit log', () => {
  let on: EngineServer;
  let eve: Client;

  beforeAll(async () => {
    on = await startEmbedded({ flags: SMALL });
    const keys = accessKeys(on.server);
    await keys.createUser('eve');
    eve = client(on.server, (await keys.createKey('of-eve', { user: 'eve' })).spec.key as string);
  });
  afterAll(() => on?.remove());

  const linesOfEve = (): Line[] =>
    readFileSync(join(on.server.directory, 'data', 'audit', 'audit.log'), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text) as Line)
      .filter(({ user }) => user.username === 'eve');

  test('leaves out reads of one user, keeps the changes, and tells how many it left out', async () => {
    for (let n = 0; n < READS; n += 1) expect((await eve.send('GET', `${KEYS}/of-eve`)).status).toBe(200);
    expect((await eve.send('POST', KEYS, { metadata: { name: 'changed' } })).status).toBe(201);
    await eventually('the change', () =>
      Promise.resolve(linesOfEve().some(({ objectRef }) => objectRef?.name === 'changed')),
    );
    expect(linesOfEve().filter(({ verb }) => verb === 'get').length).toBeLessThan(READS / 2);
    const told = (): number =>
      linesOfEve().reduce(
        (sum, { annotations }) => sum + Number(annotations['management.svc.example/requests-left-out'] ?? 0),
        0,
      );
    await eventually('the number of the rest', () => Promise.resolve(told() > READS / 2));
    const { text } = await client(on.server).send('GET', '/metrics');
    expect(text).toMatch(/management_apiserver_audit_requests_left_out_total\{caller="reads"\} [1-9]/);
  });
});
