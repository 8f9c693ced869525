/** Nobody acts with the rights of a caller who has asked to act as somebody else, however the name is written. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { statusOverHttp2 } from '../../fixtures/clients/http2frames.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ADMIN = ['authorization', `Bearer ${ADMIN_TOKEN}`] as const;
const JSON_TYPE = ['content-type', 'application/json'] as const;
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

describe('lost headers', () => {
  let on: EngineServer;
  let server: ServerFixture;
  beforeAll(async () => {
    on = await startEmbedded();
    ({ server } = on);
  });
  afterAll(() => on.remove());

  async function expectNothingMade(): Promise<void> {
    const { text } = await fetchFrom(`${server.url}${MAPS}`);
    expect(text).not.toContain('"lost"');
    expect(server.isRunning()).toBe(true);
  }
  const body = JSON.stringify({ metadata: { name: 'lost' } });
  const overHttp2 = (name: string, value: string): Promise<string> =>
    statusOverHttp2(server.port, {
      method: 'POST',
      path: MAPS,
      fields: [ADMIN, JSON_TYPE, [name, value]],
      body,
    });

  async function over1(path: string, lines: string, sent: string): Promise<{ status: number; text: string }> {
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n`;
    socket.write(`${head}${type}Connection: close\r\n${lines}\r\n${sent}`, 'latin1');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return { status: Number(answer.slice(9, 12)), text: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
  }
  const overHttp1 = async (lines: string): Promise<number> => (await over1(MAPS, lines, body)).status;

  test.each([
    ...['nobody ', ' nobody', 'nobody\t', 'no\x7fbody', '\x01', ' '].map((name) => [
      'impersonate-user',
      name,
    ]),

    ['impersonate-user', ''],
    ['impersonate-user ', 'nobody'],
    ['impersonate user', 'nobody'],

    ['impersonate-group', 'a '],
    ['impersonate-uid', 'a '],
    ['impersonate-extra-a', 'a '],

    ['impersonate-user', '\xff'],
    ['impersonate-user', 'x'.repeat(70_000)],

    ['impersonate-extra-a', '\xff'],
    ['impersonate-extra-%ff', 'a'],
    ['impersonate-users', 'nobody'],
  ])('over HTTP/2, %j: %j makes nothing', async (name, value) => {
    expect(await overHttp2(name, value)).toMatch(/^(400|431)$/);
    await expectNothingMade();
  });

  test.each([
    ['behind 2,000 headers', `${'a: \r\n'.repeat(2_000)}Impersonate-User: nobody\r\n`, 431],
    ['behind 100,000 headers', `${'a: \r\n'.repeat(100_000)}Impersonate-User: nobody\r\n`, 431],
    ['of blanks', 'Impersonate-User:   \r\n', 400],
    ['twice', 'Impersonate-User: nobody\r\nImpersonate-User: admin\r\n', 400],
    ['that is not UTF-8', 'Impersonate-User: \xff\r\n', 400],
    ['with blanks around it, which are not of it', 'Impersonate-User:  nobody \r\n', 403],
    ['in trailers has no meaning, and a second length none at all', 'Content-Length: 1\r\n', 400],
  ])('over HTTP/1.1, a name %s makes nothing', async (_name, lines, status) => {
    expect(await overHttp1(lines)).toBe(status);
    await expectNothingMade();
  });

  test('the name of a person is UTF-8 over both protocols', async () => {
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const name = latin1('jörg');
    const lines = `Impersonate-User: ${name}\r\nImpersonate-Group: ${latin1('größe')}\r\nImpersonate-Extra-A: ${latin1('ü')}\r\n`;
    const { status, text } = await over1(review, lines, '{}');
    expect(status).toBe(201);
    const { userInfo } = (JSON.parse(text) as { status: { userInfo: object } }).status;
    expect(userInfo).toMatchObject({
      username: 'jörg',
      groups: ['größe', 'system:authenticated'],
      extra: { a: ['ü'] },
    });
    const fields = [ADMIN, JSON_TYPE, ['impersonate-user', name]] as const;
    expect(await statusOverHttp2(server.port, { method: 'POST', path: review, fields, body: '{}' })).toBe(
      '201',
    );
  });

  test('an escape that is none is refused, and a misspelled base path mended with a warning', async () => {
    for (const path of ['/%zz', `${MAPS}/%zz`, `${MAPS}/a%`, `${MAPS}/%ff`, '/kubernetes/cluster/east/%zz'])
      expect([path, (await fetchFrom(`${server.url}${path}`)).status]).toEqual([path, 400]);
    const create = await fetchFrom(`${server.url}/kuberentes/management${MAPS}`, {
      method: 'POST',
      body: JSON.stringify({ metadata: { name: 'mended' } }),
      headers: { 'content-type': 'application/json' },
    });
    expect(create.status).toBe(201);
    expect(create.headers.warning).toContain('/kuberentes/management');
    for (const path of ['', '/', '/apis', `${MAPS}/mended`, `${MAPS}/missing`]) {
      const [asked, meant] = await Promise.all(
        ['kuberentes', 'kubernetes'].map((word) => fetchFrom(`${server.url}/${word}/management${path}`)),
      );
      expect([path, asked?.status, asked?.text]).toEqual([path, meant?.status, meant?.text]);
      expect([path, asked?.headers.warning ?? '']).toEqual([
        path,
        expect.stringContaining('/kuberentes/management'),
      ]);
      expect(meant?.headers.warning).toBeUndefined();
    }
    expect((await fetchFrom(`${server.url}/kuberentes/managements/api`)).status).toBe(404);
  });
});
