/** Writes by somebody who may not get the object: what they answer, and what their errors say. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allow, impersonating, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';

const GROUP = 'management.svc.example';
const SHARED = `/apis/${GROUP}/v1/namespaces/default/sharedsecrets`;
const CORE = '/api/v1/namespaces/default/secrets';
const VALUE = Buffer.from('a value that nobody may see').toString('base64');
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

const secret = (name: string, finalizers: string[] = []): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'SharedSecret',
  metadata: { name, finalizers },
  spec: { displayName: name, data: { password: VALUE } },
});

const METADATA_ONLY = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: expect.objectContaining({ name: expect.any(String), uid: expect.any(String) }),
};

describe('answers', () => {
  let engine: EngineServer;
  let server: ServerFixture;
  let admin: Actor;
  /** May write, and not get. */
  let writer: Actor;
  /** May do both. */
  let reader: Actor;

  beforeAll(async () => {
    engine = await startEmbedded();
    ({ server } = engine);
    admin = impersonating(server);
    writer = impersonating(server, 'writer');
    reader = impersonating(server, 'reader');
    const verbs = ['create', 'update', 'patch', 'delete'];
    const kinds = { apiGroups: [GROUP, ''], resources: ['sharedsecrets', 'secrets'] };
    await allow(server, 'writer', 'default', { ...kinds, verbs });
    await allow(server, 'reader', 'default', { ...kinds, verbs: [...verbs, 'get'] });
  });
  afterAll(() => engine?.remove());

  const make = async (name: string, finalizers?: string[]): Promise<Reply> => {
    const made = await admin.send('POST', SHARED, secret(name, finalizers));
    expect(made.status).toBe(201);
    return made;
  };

  describe('an object of this project', () => {
    const label = { metadata: { labels: { a: 'b' } } };
    test.each<[string, (as: Actor, name: string) => Promise<Reply>]>([
      ['a merge patch', (as, name) => as.send('PATCH', `${SHARED}/${name}`, label)],
      ['a dry run', (as, name) => as.send('PATCH', `${SHARED}/${name}?dryRun=All`, label)],
      ['a JSON patch', (as, name) => as.send('PATCH', `${SHARED}/${name}`, [], JSON_PATCH)],
      [
        'an apply',
        (as, name) =>
          as.send(
            'PATCH',
            `${SHARED}/${name}?fieldManager=m`,
            { apiVersion: `${GROUP}/v1`, kind: 'SharedSecret', ...label },
            APPLY,
          ),
      ],
      [
        'an update',
        async (as, name) => {
          const { body } = await admin.send<{ metadata: object }>('GET', `${SHARED}/${name}`);
          return as.send('PUT', `${SHARED}/${name}?dryRun=All`, body);
        },
      ],
      ['a delete that waits', (as, name) => as.send('DELETE', `${SHARED}/${name}`)],
    ])('%s answers with the metadata alone, unless they may get it', async (what, send) => {
      const name = what.replaceAll(' ', '-').toLowerCase();
      await make(`w-${name}`, ['example.com/hold']);
      const written = await send(writer, `w-${name}`);
      expect([written.status, written.body]).toEqual([200, METADATA_ONLY]);
      await make(`r-${name}`, ['example.com/hold']);
      const { status, body } = await send(reader, `r-${name}`);
      expect([status, body]).toMatchObject([
        200,
        { kind: 'SharedSecret', spec: { data: { password: VALUE } } },
      ]);
    });

    test('shows nothing that writers have noted in its metadata', async () => {
      const noted = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret('noted')) };
      const { metadata, ...rest } = secret('noted') as { metadata: object };
      const made = await admin.send('POST', SHARED, {
        ...rest,
        metadata: { ...metadata, annotations: noted },
      });
      expect(made.status).toBe(201);
      for (const body of [{}, { metadata: { labels: 1 } }, { metadata: { creationTimestamp: 'x' } }]) {
        const { body: answer } = await writer.send('PATCH', `${SHARED}/noted?dryRun=All`, body);
        expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${VALUE}|displayName`));
      }
      // An error quotes no value to those who may read it, either.
      const refused = await reader.send('PATCH', `${SHARED}/noted`, { metadata: { creationTimestamp: 'x' } });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        422,
        expect.stringContaining('displayName'),
      ]);
      expect(JSON.stringify(refused.body)).not.toContain(VALUE);
      const copied = '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration';
      for (const from of [copied, '/metadata/annotations', '/metadata'])
        for (const as of [writer, reader]) {
          const patch = [{ op: 'copy', from, path: '/metadata/labels/x' }];
          const { status, body } = await as.send('PATCH', `${SHARED}/noted`, patch, JSON_PATCH);
          expect([from, [403, 422].includes(status), JSON.stringify(body).includes(VALUE)]).toEqual([
            from,
            true,
            false,
          ]);
        }
    });

    test.each([
      ['copy', '/spec/displayName', '/spec/description'],
      ['move', '/spec/displayName', '/spec/description'],
      ['test', '', '/spec/data/password'],
    ])('is not read by the operation %s of a JSON patch', async (op, from, path) => {
      await make(`read-by-${op}`);
      const patch = [{ op, from, path, value: VALUE }];
      const url = `${SHARED}/read-by-${op}?dryRun=All`;
      const { status, body } = await writer.send('PATCH', url, patch, JSON_PATCH);
      expect([status, body]).toMatchObject([403, { message: expect.stringContaining('right to get') }]);
      expect((await reader.send('PATCH', url, patch, JSON_PATCH)).status).toBe(200);
    });

    test('may still be compared by its version', async () => {
      const { body } = await make('compared');
      const { metadata } = body as { metadata: { resourceVersion: string } };
      const patch = [
        { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
        { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      ];
      const { status } = await writer.send('PATCH', `${SHARED}/compared`, patch, JSON_PATCH);
      expect(status).toBe(200);
    });

    test('is shown by its metadata where a collection is deleted, unless it may be listed', async () => {
      await make('one-of-many');
      const path = `${SHARED}?dryRun=All&fieldSelector=metadata.name%3Done-of-many`;
      interface List {
        readonly items: readonly object[];
      }
      const rules = { apiGroups: [GROUP], resources: ['sharedsecrets'] };
      await allow(server, 'cleaner', 'default', { ...rules, verbs: ['deletecollection'] });
      await allow(server, 'lister', 'default', { ...rules, verbs: ['deletecollection', 'list'] });
      const blind = await impersonating(server, 'cleaner').send<List>('DELETE', path);
      expect([blind.status, blind.body.items]).toEqual([200, [METADATA_ONLY]]);
      const seeing = await impersonating(server, 'lister').send<List>('DELETE', path);
      expect(seeing.body.items).toMatchObject([{ spec: { data: { password: VALUE } } }]);
    });

    test('is no Table either', async () => {
      await make('table', ['example.com/hold']);
      const { status, text } = await fetchFrom(`${server.url}${SHARED}/table`, {
        method: 'PATCH',
        headers: {
          'content-type': 'application/merge-patch+json',
          'impersonate-user': 'writer',
          accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        },
        body: JSON.stringify(label),
      });
      expect([status, JSON.parse(text)]).toEqual([200, METADATA_ONLY]);
    });

    test('is shown to who makes it', async () => {
      const { status, body } = await writer.send(
        'PATCH',
        `${SHARED}/made?fieldManager=m`,
        secret('made'),
        APPLY,
      );
      expect([status, body]).toMatchObject([
        201,
        { kind: 'SharedSecret', spec: { data: { password: VALUE } } },
      ]);
    });
  });

  test('objects of Kubernetes are shown as Kubernetes shows them', async () => {
    await admin.send('POST', CORE, { metadata: { name: 'core' }, data: { password: VALUE } });
    const { status, body } = await writer.send('PATCH', `${CORE}/core`, { metadata: { labels: { a: 'b' } } });
    expect([status, body]).toMatchObject([200, { kind: 'Secret', data: { password: VALUE } }]);
  });

  describe.each([
    ['SharedSecret', SHARED, '/spec/data'],
    ['Secret', CORE, '/data'],
  ])('a JSON patch of a %s', (kind, path, data) => {
    const name = `moved-${kind.toLowerCase()}`;
    beforeAll(async () => {
      const core = { metadata: { name }, data: { password: VALUE } };
      const { status } = await admin.send('POST', path, kind === 'Secret' ? core : secret(name));
      expect(status).toBe(201);
    });

    test.each([
      '/metadata/labels',
      '/metadata/annotations',
      '/metadata/creationTimestamp',
      '/metadata/name',
      '/kind',
      '/status',
      '/metadata/ownerReferences',
      '/metadata/resourceVersion',
      '/none',
      '',
    ])('takes no value to %j', async (to) => {
      for (const op of ['move', 'copy'])
        for (const from of [data, `${data}/password`, data.slice(0, data.lastIndexOf('/')) || data]) {
          const { status, body } = await writer.send(
            'PATCH',
            `${path}/${name}`,
            [{ op, from, path: to }],
            JSON_PATCH,
          );
          expect([status, JSON.stringify(body)]).toEqual([
            kind === 'Secret' ? 422 : expect.any(Number),
            expect.stringMatching(/secret value|right to get/),
          ]);
          expect(JSON.stringify(body)).not.toContain(VALUE);
        }
    });

    test('renames a key', async () => {
      const patch = [{ op: 'move', from: `${data}/password`, path: `${data}/passphrase` }];
      expect((await reader.send('PATCH', `${path}/${name}`, patch, JSON_PATCH)).status).toBe(200);
    });
  });
});
