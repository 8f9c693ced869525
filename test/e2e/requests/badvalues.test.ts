/** For any values of an object, the response is a small Status without secrets, and the server keeps running. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  CONFIGMAPS,
  SECRETS,
  expectStatus,
  keys,
  robustServerSuite,
} from '../../fixtures/servers/robustserver.js';

const sturdy = robustServerSuite();
const { send } = sturdy;

describe('values of the wrong type', () => {
  const shared = (spec: unknown): string =>
    JSON.stringify({
      apiVersion: 'management.svc.example/v1',
      kind: 'SharedSecret',
      metadata: { name: 'typed' },
      spec,
    });

  beforeAll(async () => {
    const body = shared({ data: { pin: 'MTIzNA==' }, owner: { team: 'red' } });
    expect((await send('POST', SECRETS, body)).status).toBe(201);
  });

  test.each<[string, unknown]>([
    ['data that is one long text', { data: '!'.repeat(2_900_000) }],
    ['data that is a list', { data: ['MTIzNA=='] }],
    ['an entry that is a number', { data: { pin: 1234 } }],
    ['an entry that is true', { data: { pin: true } }],
    ['an entry that is an object', { data: { pin: {} } }],
    ['an entry that is a list', { data: { pin: [1] } }],
    ['a spec that is text', 'x'],
    ['a spec that is a number', 5],
    ['an owner that is text', { owner: 'x' }],
    ['an owner whose user is a number', { owner: { user: 1234 } }],
    ['access that is an object', { access: {} }],
    ['an access rule that is text', { access: ['x'] }],
    ['entries past counting', { data: Object.fromEntries(keys(150_000).map((key) => [key, '!'])) }],
  ])('%s', async (_name, spec) => {
    for (const [method, path, type] of [
      ['POST', SECRETS, 'application/json'],
      ['PUT', `${SECRETS}/typed`, 'application/json'],
      ['PATCH', `${SECRETS}/typed`, 'application/merge-patch+json'],
    ] as const) {
      const answer = await send(
        method,
        path,
        method === 'PATCH' ? JSON.stringify({ spec }) : shared(spec),
        type,
      );
      expect(expectStatus(answer, 422).message).not.toContain('1234');
      expect(answer.text.length).toBeLessThan(200_000);
    }
    expect(sturdy.server.log()).not.toContain('1234');
  });

  test('base64 with line breaks is refused, and says so', async () => {
    const answer = await send('POST', SECRETS, shared({ data: { pin: 'MTIz\nNA==\n' } }));
    expect(expectStatus(answer, 422).message).toContain(
      'spec.data[pin]: Invalid value: "<hidden>": must be base64 (RFC 4648 section 4) without line breaks',
    );
  });

  test.each<[string, unknown]>([
    ['the whole spec', { spec: null }],
    ['the owner', { spec: { owner: null } }],
    ['its team', { spec: { owner: { team: null } } }],
    ['its team, by an empty name', { spec: { owner: { team: '' } } }],
  ])('a patch that removes %s leaves the owner', async (_name, patch) => {
    const body = JSON.stringify(patch);
    const answer = await send('PATCH', `${SECRETS}/typed`, body, 'application/merge-patch+json');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ spec: { owner: { team: 'red' } } });
  });
});

test.each([
  ['POST', CONFIGMAPS, 'application/json'],
  ['POST', CONFIGMAPS, 'application/yaml'],
  ['PUT', `${CONFIGMAPS}/there`, 'application/json'],
  ['PATCH', `${CONFIGMAPS}/there`, 'application/merge-patch+json'],
  ['PATCH', `${CONFIGMAPS}/there`, 'application/strategic-merge-patch+json'],
  ['PATCH', `${CONFIGMAPS}/there?fieldManager=a`, 'application/apply-patch+yaml'],
])('%s %s as %s with more values than a body or an object may have is 413', async (method, path, type) => {
  for (const [count, value, limit] of [
    [15_000, 1, 10_000],
    [200_000, '', 196_608],
  ] as const) {
    const data = Object.fromEntries(keys(count).map((key) => [key, value]));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' }, data };
    const { message } = expectStatus(await send(method, path, JSON.stringify(body), type), 413);
    expect(message).toBe(`Request entity too large: limit is ${limit} values`);
  }
});

describe('more findings than an answer should list', () => {
  const many = Object.fromEntries(keys(9_900).map((key) => [key, '']));
  const more = Object.fromEntries(keys(150_000).map((key) => [key, '']));
  const configMap = (parts: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' }, ...parts });

  test.each<[string, object]>([
    ['label keys', { metadata: { name: 'there', labels: many } }],
    ['annotation keys', { metadata: { name: 'there', annotations: many } }],
    ['data keys', { data: more }],
    ['binaryData keys', { binaryData: more }],
    ['finalizers', { metadata: { name: 'there', finalizers: Object.keys(many) } }],
    [
      'controllers',
      {
        metadata: {
          name: 'there',
          ownerReferences: keys(1_600).map((uid) => ({
            apiVersion: 'v1',
            kind: 'K',
            name: 'n',
            uid,
            controller: true,
          })),
        },
      },
    ],
    ['a label key of 2 MB', { metadata: { name: 'there', labels: { ['!'.repeat(2_000_000)]: '' } } }],
    ['a data key of 2 MB', { data: { ['!'.repeat(2_000_000)]: '' } }],
  ])('%s', async (_name, parts) => {
    const body = configMap(parts);
    for (const [method, path] of [
      ['POST', CONFIGMAPS],
      ['PUT', `${CONFIGMAPS}/there`],
    ] as const) {
      const answer = await send(method, path, body);
      expectStatus(answer, 422);
      expect(answer.text.length).toBeLessThan(1024 * 1024);
      const { details } = JSON.parse(answer.text) as { details: { causes: { message: string }[] } };
      expect(details.causes.length).toBeLessThanOrEqual(101);
      if (details.causes.length === 101) expect(details.causes[100]?.message).toMatch(/there are more$/);
    }
  });
});

describe('patches that do not decode', () => {
  test.each([
    ['application/merge-patch+json', '{"data":{"pin":1234}}'],
    ['application/merge-patch+json', '{"data":{"pin":"MTIzNA"},"immutable":"x"}'],
    ['application/strategic-merge-patch+json', '{"stringData":{"pin":["1234"]}}'],
    ['application/json-patch+json', '[{"op":"add","path":"/data/other","value":1234}]'],
  ])('%s %s shows no value of a secret', async (contentType, patch) => {
    const path = '/api/v1/namespaces/default/secrets';
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pins' }, data: { pin: 'MTIzNA==' } };
    expect([201, 409]).toContain((await send('POST', path, JSON.stringify(body))).status);
    const answer = await send('PATCH', `${path}/pins`, patch, contentType);
    expectStatus(answer, 422);
    expect(answer.text).toContain('***');
    expect(answer.text).not.toMatch(/1234|MTIzNA/);
  });
});
