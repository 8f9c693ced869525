/** Secrets of type `kubernetes.io/service-account-token`: filled, ended with their Secret and account, and what they need. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { allow, impersonating, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const CORE = '/api/v1/namespaces/default';
const TYPE = 'kubernetes.io/service-account-token';
const OF = 'kubernetes.io/service-account.name';

interface Secret {
  metadata: { name: string; annotations: Record<string, string> };
  data?: { token?: string; namespace?: string; 'ca.crt'?: string };
}

describe.each(ENGINES)('on %s', (_engine, start) => {
  let engine: EngineServer;
  let admin: Actor;
  beforeAll(async () => {
    engine = await start({
      controllers: 'serviceaccount-token-controller,root-ca-certificate-publisher-controller',
    });
    admin = impersonating(engine.server);
  });
  afterAll(() => engine.remove());

  const account = (name: string): Promise<Reply<{ metadata: { uid: string } }>> =>
    admin.send('POST', `${CORE}/serviceaccounts`, { metadata: { name } });
  const secretOf = (name: string, of: string) => ({
    metadata: { name, annotations: { [OF]: of } },
    type: TYPE,
  });
  const make = (name: string, of: string, by = admin, query = ''): Promise<Reply<Secret>> =>
    by.send<Secret>('POST', `${CORE}/secrets${query}`, secretOf(name, of));
  const plain = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
  const statusWith = async (token: string): Promise<number> =>
    (
      await fetchFrom(`${engine.server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
        method: 'POST',
        token,
        body: '{}',
        headers: { 'content-type': 'application/json' },
      })
    ).status;
  const refused = (what: string, token: string): Promise<unknown> =>
    eventually(what, async () => (await statusWith(token)) === 401);
  const gone = (name: string): Promise<unknown> =>
    eventually(`no ${name}`, async () => (await admin.send('GET', `${CORE}/secrets/${name}`)).status === 404);

  test('are filled in the answer, and their token acts as the account', async () => {
    const { uid } = (await account('robot')).body.metadata;
    const { status, body } = await make('robot-token', 'robot');
    expect([status, body.metadata.annotations]).toEqual([
      201,
      { [OF]: 'robot', 'kubernetes.io/service-account.uid': uid },
    ]);
    expect(plain(body.data?.namespace)).toBe('default');
    expect(await statusWith(plain(body.data?.token))).toBe(201);
    const whole = await eventually('ca.crt', async () => {
      const { body: now } = await admin.send<Secret>('GET', `${CORE}/secrets/robot-token`);
      return now.data?.['ca.crt'] !== undefined && now;
    });
    expect(plain(whole.data?.['ca.crt'])).toContain('BEGIN CERTIFICATE');
    expect(whole.data?.token).toBe(body.data?.token);
  });

  test('with a generated name, too', async () => {
    await account('named');
    const object = {
      ...secretOf('', 'named'),
      metadata: { generateName: 'g-', annotations: { [OF]: 'named' } },
    };
    const { body } = await admin.send<Secret>('POST', `${CORE}/secrets`, object);
    expect(body.metadata.name).toMatch(/^g-/);
    expect(await statusWith(plain(body.data?.token))).toBe(201);
  });

  test('end their token when they are deleted, lose it, or get another', async () => {
    await account('ends');
    const first = plain((await make('ends', 'ends')).body.data?.token);
    const { body } = await admin.send<Secret>('PATCH', `${CORE}/secrets/ends`, { data: { token: null } });
    const second = plain(body.data?.token);
    expect(second).not.toBe(first);
    await refused('the first token', first);
    expect(await statusWith(second)).toBe(201);
    await admin.send('DELETE', `${CORE}/secrets/ends`);
    await refused('the second token', second);
    await make('ends', 'ends');
    expect(await statusWith(second)).toBe(401);
  });

  test('go with their account, and without one', async () => {
    await account('leaves');
    const token = plain((await make('leaves', 'leaves')).body.data?.token);
    await admin.send('DELETE', `${CORE}/serviceaccounts/leaves`);
    await refused('the token', token);
    await gone('leaves');
    await make('orphan', 'nobody');
    await gone('orphan');
  });

  test('give nobody a token by the write of another', async () => {
    await account('target');
    await allow(engine.server, 'mallory', 'default', {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['*'],
    });
    const mallory = impersonating(engine.server, 'mallory');
    const path = `${CORE}/secrets/trap`;
    const planted = { ...secretOf('trap', 'target'), data: { token: 'eA==' } };
    expect((await mallory.send('POST', `${CORE}/secrets`, planted)).status).toBe(403);
    const first = (await make('trap', 'target')).body.data?.token ?? '';
    await mallory.send('PATCH', path, { data: { token: null } });
    const labelled = await admin.send<Secret>('PATCH', path, { metadata: { labels: { a: 'b' } } });
    expect([labelled.status, labelled.body.data?.token]).toEqual([200, undefined]);
    expect((await mallory.send('PATCH', path, { data: { token: first } })).status).toBe(403);
    await mallory.send('DELETE', path);
    const again = { ...secretOf('trap', 'target'), data: { token: first } };
    expect((await mallory.send('POST', `${CORE}/secrets`, again)).status).toBe(403);
    expect(await statusWith(plain(first))).toBe(401);
  });

  test('that wait for a finalizer have no token that is good', async () => {
    await account('waits');
    const object = secretOf('waits', 'waits');
    const held = { ...object, metadata: { ...object.metadata, finalizers: ['example.com/held'] } };
    const { body } = await admin.send<Secret>('POST', `${CORE}/secrets`, held);
    await admin.send('DELETE', `${CORE}/secrets/waits`);
    await refused('the token', plain(body.data?.token));
    await admin.send('PATCH', `${CORE}/secrets/waits`, { metadata: { finalizers: null } });
  });

  test('are for who may create tokens of the account', async () => {
    await account('strong');
    await allow(engine.server, 'writer', 'default', {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['*'],
    });
    const writer = impersonating(engine.server, 'writer');
    for (const query of ['', '?dryRun=All']) {
      const { status, body } = await make('taken', 'strong', writer, query);
      expect([status, body]).toMatchObject([
        403,
        { message: expect.stringContaining('create serviceaccounts/token') },
      ]);
    }
    await make('strong', 'strong');
    const path = `${CORE}/secrets/strong`;
    const { body } = await writer.send<Secret>('PATCH', path, { data: { token: null } });
    expect(body.data?.token).toBeUndefined();
    await allow(engine.server, 'writer', 'default', {
      apiGroups: [''],
      resources: ['serviceaccounts/token'],
      resourceNames: ['strong'],
      verbs: ['create'],
    });
    await eventually('the right', async () => (await make('taken', 'strong', writer)).status === 201);
    expect((await make('dry', 'strong', admin, '?dryRun=All')).body.data?.token).toBeUndefined();
  });
});
