/** Impersonation attempts over real connections, and the headers that a trusted front proxy may send. */
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { statusOverHttp2 } from '../../test/fixtures/clients/http2frames.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  makeAuthority,
  makeClient,
  SERVER_AUTH,
  type Identity,
  type IdentityOptions,
} from '../../test/fixtures/clients/clientcertificates.js';
import { bearerAuthenticator } from '../authentication/bearer.js';
import { parseBundle } from '../authentication/certificates/bundle.js';
import { delegatedAuthenticator } from '../authentication/delegated.js';
import type { Authentication } from '../authentication/interface.js';
import {
  checkTrust,
  type ClientTrust,
  type RequestHeaderSettings,
} from '../authentication/requestheader/settings.js';
import { parseTokenFile } from '../authentication/tokenfile.js';
import { credentialsOf } from './filters/credentials.js';
import type { Handler } from './httpexchange.js';
import { listen, type Listener } from './listener/listener.js';
import { issueAuthority, issueServing, type KeyPair } from '../pki/issue.js';

const PROXY = 'front-proxy';
const HEADERS = {
  usernameHeaders: ['x-remote-user'],
  uidHeaders: ['x-remote-uid'],
  groupHeaders: ['x-remote-group'],
  extraHeaderPrefixes: ['x-remote-extra-'],
};

let own: KeyPair;
let serving: KeyPair;
let proxies: Identity;
let people: Identity;
let trust: ClientTrust;
let listener: Listener;
let proxy: Shown;
let eve: Shown;

const settings = (authority: Identity, ...allowedNames: string[]): RequestHeaderSettings => ({
  authorities: parseBundle(authority.certificate),
  allowedNames,
  ...HEADERS,
});

/** The key and the certificates of a client, its own certificate first. */
interface Shown {
  readonly key: string;
  readonly cert: string;
  readonly maxVersion?: 'TLSv1.2';
}
const show = (leaf: Identity, ...more: Identity[]): Shown => ({
  key: leaf.key,
  cert: [leaf, ...more].map(({ certificate }) => certificate).join(''),
});

beforeAll(async () => {
  own = await issueAuthority('own');
  serving = await issueServing(own, ['localhost', '127.0.0.1']);
  proxies = await makeAuthority('proxies');
  people = await makeAuthority('people');
  trust = { clients: parseBundle(people.certificate), proxy: settings(proxies, PROXY) };
  proxy = show(await makeClient(proxies, PROXY));
  eve = show(await makeClient(people, 'eve', { subject: [{ O: ['editors'] }, { CN: ['eve'] }] }));
  const tokens = bearerAuthenticator(parseTokenFile('ann-token,ann,1,viewers'));
  const authenticator = delegatedAuthenticator({ trust: () => trust, tokens: [tokens] });
  const handler: Handler = async ({ request, response }) => {
    await once(request.resume(), 'end');
    response.end(JSON.stringify(await authenticator.authenticate(credentialsOf({ request }))));
  };
  listener = await listen({
    address: '127.0.0.1',
    port: 0,
    handler,
    failed: () => undefined,
    tls: { key: serving.key, cert: serving.certificate },
    clientCertificates: true,
  });
});
afterAll(() => listener?.drain(0));

type Headers = Readonly<Record<string, string | string[]>>;

/** The UTF-8 bytes of a text as Latin-1, as headers are transmitted. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

function askHttp1(
  shown: Partial<Shown>,
  headers: Headers,
  agent: Agent | false = false,
): Promise<Authentication> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      { host: '127.0.0.1', port: listener.port, ca: own.certificate, agent, headers, ...shown },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve(JSON.parse(body) as Authentication));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

const openHttp2 = (shown: Partial<Shown>): ClientHttp2Session =>
  connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: own.certificate, ...shown });

async function askSession(session: ClientHttp2Session, headers: Headers): Promise<Authentication> {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const stream = session.request({ ':path': '/', ...lower });
  let body = '';
  stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
  await once(stream, 'end');
  return JSON.parse(body) as Authentication;
}

async function ask(shown: Partial<Shown>, headers: Headers): Promise<Authentication> {
  const first = await askHttp1(shown, headers);
  const session = openHttp2(shown);
  expect(await askSession(session, headers)).toEqual(first);
  session.close();
  return first;
}

/** The result as a text: `-` for anonymous, `refused`, or the name and the groups. */
function brief(answer: Authentication): string {
  if (answer.outcome !== 'user') return answer.outcome === 'none' ? '-' : 'refused';
  return [answer.user.name, ...answer.user.groups].join(' ');
}

const ADMIN = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
const EVE = 'eve editors system:authenticated';
const ANN = 'ann viewers system:authenticated';

const client = async (issuer: Identity, name: string, options: Partial<IdentityOptions> = {}) =>
  show(await makeClient(issuer, name, options));

describe('impersonation attempts by header', () => {
  test.each<[string, () => Promise<Partial<Shown>> | Partial<Shown>, Headers, string]>([
    ['headers alone', () => ({}), ADMIN, '-'],
    ['headers with a token', () => ({}), { ...ADMIN, Authorization: 'Bearer ann-token' }, ANN],
    ['headers with a wrong token', () => ({}), { ...ADMIN, Authorization: 'Bearer x' }, 'refused'],
    ["headers with a user's own certificate", () => eve, ADMIN, EVE],
    [
      "the proxy's name in a user's certificate",
      () => client(people, PROXY),
      ADMIN,
      `${PROXY} system:authenticated`,
    ],
    [
      "the proxy's authority sent along with a user's certificate",
      async () => ({ key: eve.key, cert: eve.cert + proxies.certificate }),
      ADMIN,
      EVE,
    ],
    [
      "the proxy's certificate sent along with a user's",
      async () => ({ key: eve.key, cert: eve.cert + proxy.cert }),
      ADMIN,
      EVE,
    ],
    [
      "a certificate that names itself the proxy's, signed by itself",
      async () => show(await makeAuthority(PROXY)),
      ADMIN,
      'refused',
    ],
    [
      "another authority of the name of the proxy's",
      async () => client(await makeAuthority('proxies'), PROXY),
      ADMIN,
      'refused',
    ],
    [
      'that certificate over an older TLS',
      async () => ({ ...(await client(await makeAuthority('proxies'), PROXY)), maxVersion: 'TLSv1.2' }),
      ADMIN,
      'refused',
    ],
    ['a name that is not allowed', () => client(proxies, 'other'), ADMIN, 'refused'],
    ['a name in other letters', () => client(proxies, 'Front-Proxy'), ADMIN, 'refused'],
    ['a name and a space', () => client(proxies, `${PROXY} x`), ADMIN, 'refused'],
    [
      'the allowed name as an organization',
      () => client(proxies, '', { subject: [{ O: [PROXY] }, { CN: ['other'] }] }),
      ADMIN,
      'refused',
    ],
    [
      'the allowed name before another',
      () => client(proxies, '', { subject: [{ CN: [PROXY] }, { CN: ['other'] }] }),
      ADMIN,
      'refused',
    ],
    ['the allowed name in a second line', () => client(proxies, `other\nCN=${PROXY}`), ADMIN, 'refused'],
    [
      'a certificate without a name',
      () => client(proxies, '', { subject: [{ O: ['x'] }] }),
      ADMIN,
      'refused',
    ],
    [
      'the allowed name as an alternative',
      () => client(proxies, 'other', { names: [PROXY] }),
      ADMIN,
      'refused',
    ],
    ['an expired certificate', () => client(proxies, PROXY, { from: -3, to: -1 }), ADMIN, 'refused'],
    ['a certificate that is not valid yet', () => client(proxies, PROXY, { from: 1 }), ADMIN, 'refused'],
    ["a server's certificate", () => client(proxies, PROXY, { purposes: [SERVER_AUTH] }), ADMIN, 'refused'],
    [
      "a certificate that the proxy's signs, which is no authority",
      async () => {
        const leaf = await makeClient(proxies, PROXY);
        return show(await makeClient(leaf, PROXY), leaf);
      },
      ADMIN,
      'refused',
    ],
    [
      'an expired intermediate authority',
      async () => {
        const between = await makeAuthority('between', { issuer: proxies, from: -3, to: -1 });
        return show(await makeClient(between, PROXY), between);
      },
      ADMIN,
      'refused',
    ],
    [
      "an authority of users with the name of the proxies' authority",
      async () => {
        const between = await makeAuthority('proxies', { issuer: people });
        return show(await makeClient(between, PROXY), between);
      },
      ADMIN,
      `${PROXY} system:authenticated`,
    ],
    [
      'a bad certificate with a good token',
      () => client(proxies, 'x'),
      { ...ADMIN, Authorization: 'Bearer ann-token' },
      ANN,
    ],
  ])('%s', async (_name, shown, headers, expected) => {
    expect(brief(await ask(await shown(), headers))).toBe(expected);
  });

  test('headers in trailers are ignored', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = httpsRequest(
        {
          host: '127.0.0.1',
          port: listener.port,
          ca: own.certificate,
          agent: false,
          ...proxy,
          method: 'POST',
          headers: { Trailer: 'X-Remote-User', 'Transfer-Encoding': 'chunked' },
        },
        (response) => response.on('data', (chunk: Buffer) => resolve(chunk.toString())),
      );
      sent.on('error', reject);
      sent.addTrailers({ 'X-Remote-User': 'admin' });
      sent.end('x');
    });
    expect(answer).toContain('refused');
  });
});

describe('the headers of the front proxy', () => {
  test.each(['admin ', ' admin', 'ad\x7fmin', 'a'.repeat(70_000)])(
    'over HTTP/2 a user %j is refused',
    async (name) => {
      const fields = [
        ['x-remote-user', name],
        ['x-remote-group', 'system:masters'],
      ] as const;
      const status = await statusOverHttp2(listener.port, { path: '/', fields, shown: proxy });
      expect(status).toBe(name.length > 99 ? '431' : '400');
    },
  );

  const MANY = { 'X-Remote-User': 'bob', 'X-Remote-Group': ['a,system:masters', 'c'] };
  test.each<[string, Headers, string]>([
    ['a user', { 'X-Remote-User': 'bob' }, 'bob system:authenticated'],
    ['groups are never split', MANY, 'bob a,system:masters c system:authenticated'],
    ['two names', { 'X-Remote-User': ['bob', 'admin'] }, 'refused'],
    ['two uids', { 'X-Remote-User': 'bob', 'X-Remote-Uid': ['1', '2'] }, 'refused'],
    ['no name', { 'X-Remote-Group': 'system:masters' }, 'refused'],
    ['an empty name', { ...ADMIN, 'X-Remote-User': '' }, 'refused'],
    ['a header of nearly the name', { X_Remote_User: 'admin', 'X-Remote-User-Name': 'admin' }, 'refused'],
    [
      'a token besides',
      { 'X-Remote-User': 'bob', Authorization: 'Bearer ann-token' },
      'bob system:authenticated',
    ],
    ['letters of the world', { 'X-Remote-User': bytes('jürgen') }, 'jürgen system:authenticated'],
    ['invalid UTF-8', { 'X-Remote-User': '\xff\xfe' }, 'refused'],
    ['a key that is not UTF-8', { 'X-Remote-User': 'x', 'X-Remote-Extra-%ff': 'a' }, 'refused'],
    [
      'nobody',
      { 'X-Remote-User': 'system:anonymous', 'X-Remote-Group': 'system:unauthenticated' },
      'system:anonymous system:unauthenticated',
    ],
  ])('%s', async (_name, headers, expected) => {
    expect(brief(await ask(proxy, headers))).toBe(expected);
  });

  test('a uid and extra', async () => {
    const answer = await ask(proxy, {
      'X-Remote-User': 'bob',
      'X-Remote-Uid': 'u1',
      'X-Remote-Extra-Acme.com%2fProject': ['one', 'two,three'],
      'X-Remote-Extra-__proto__': 'x',
      'X-Remote-Extra-100%': bytes('ü'),
    });
    expect(answer).toMatchObject({ user: { name: 'bob', uid: 'u1' } });
    const { extra } = (answer as Authentication & { outcome: 'user' }).user;
    expect(Object.entries(extra).toSorted()).toEqual([
      ['100%', ['ü']],
      ['__proto__', ['x']],
      ['acme.com/project', ['one', 'two,three']],
    ]);
  });
});

describe('trusted front proxies', () => {
  const believing = async <T>(next: ClientTrust, work: () => Promise<T>): Promise<T> => {
    const before = trust;
    trust = next;
    try {
      return await work();
    } finally {
      trust = before;
    }
  };

  test('accepts any certificate of the proxies’ authority without allowed names', async () => {
    await believing({ ...trust, proxy: settings(proxies) }, async () => {
      expect(brief(await ask(await client(proxies, 'any'), ADMIN))).toBe(
        'admin system:masters system:authenticated',
      );
      expect(brief(await ask(eve, ADMIN))).toBe(EVE);
    });
  });

  test('accepts no certificate while no authority is known', async () => {
    await believing({ clients: undefined, proxy: undefined }, async () => {
      expect(brief(await ask(proxy, ADMIN))).toBe('-');
      expect(brief(await ask(eve, ADMIN))).toBe('-');
    });
  });

  test('verifies open connections again if the authorities change', async () => {
    const session = openHttp2(proxy);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const both = async () => [
      brief(await askSession(session, ADMIN)),
      brief(await askHttp1(proxy, ADMIN, agent)),
    ];
    const admin = 'admin system:masters system:authenticated';
    const next = await makeAuthority('proxies');
    expect(await both()).toEqual([admin, admin]);
    await believing({ ...trust, proxy: settings(next, PROXY) }, async () => {
      expect(await both()).toEqual(['refused', 'refused']);
      const renewed = openHttp2(show(await makeClient(next, PROXY)));
      expect(brief(await askSession(renewed, ADMIN))).toBe(admin);
      renewed.close();
    });
    expect(await both()).toEqual([admin, admin]);
    await believing({ ...trust, proxy: settings(proxies, 'other') }, async () => {
      expect(await both()).toEqual(['refused', 'refused']);
    });
    session.close();
    agent.destroy();
  });

  test('requires allowed names if users and proxies have one authority', () => {
    const shared = { clients: parseBundle(people.certificate + proxies.certificate) };
    expect(() => checkTrust({ ...shared, proxy: settings(proxies) })).toThrow(
      'every user could act as any other',
    );
    expect(() => checkTrust({ ...shared, proxy: settings(proxies, PROXY) })).not.toThrow();
    expect(() => checkTrust({ ...trust, proxy: settings(proxies) })).not.toThrow();
  });
});
