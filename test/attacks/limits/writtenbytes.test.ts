/** One user's writes have a budget in bytes, by whatever they write; others write on. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { allow } from '../../fixtures/clients/impersonation.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';

const MIB = 1024 * 1024;
const BURST = 16 * MIB;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };

describe.each(ENGINES)('bytes written by a user, %s', (_engine, start) => {
  let on: EngineServer;
  let eve: Client;
  let anna: Client;

  beforeAll(async () => {
    on = await start();
    const keys = accessKeys(on.server);
    const person = async (name: string): Promise<Client> => {
      await keys.createUser(name);
      await allow(on.server, name, '', { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] });
      return client(on.server, (await keys.createKey(`of-${name}`, { user: name })).spec.key as string);
    };
    [eve, anna] = [await person('eve'), await person('anna')];
  });
  afterAll(() => on.remove());

  test('small patches of a large object use up the budget: 429 with Retry-After', async () => {
    const large = { metadata: { name: 'large' }, data: { a: 'x'.repeat(MIB) } };
    expect((await eve.send('POST', CONFIGMAPS, large)).status).toBe(201);
    const began = performance.now();
    let written = MIB;
    let refused: Answer | undefined;
    for (let n = 0; n < 100 && refused === undefined; n += 1) {
      const patch = { metadata: { labels: { n: String(n) } } };
      const answer = await eve.send('PATCH', `${CONFIGMAPS}/large`, patch, MERGE);
      if (answer.status === 200) written += MIB;
      else refused = answer;
    }
    const seconds = (performance.now() - began) / 1000;
    expect([refused?.status, Number(refused?.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(written).toBeLessThan(BURST + (seconds + 3) * MIB);
    expect((await anna.send('POST', CONFIGMAPS, { metadata: { name: 'annas' } })).status).toBe(201);
    // Reads cost nothing, and administrators have no limit.
    expect((await eve.send('GET', `${CONFIGMAPS}/annas`)).status).toBe(200);
    expect((await client(on.server).send('POST', CONFIGMAPS, { metadata: { name: 'own' } })).status).toBe(
      201,
    );
  });
});
