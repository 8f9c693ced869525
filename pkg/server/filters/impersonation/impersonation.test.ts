import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { StatusError } from '../../../apimachinery/errors.js';
import type { User } from '../../../authentication/interface.js';
import type { Attributes, Authorizer } from '../../../authorization/interface.js';
import type { Exchange } from '../../httpexchange.js';
import type { RequestInfo } from '../../requestinfo.js';
import { impersonate } from './impersonation.js';

type Headers = readonly (readonly [string, string])[];

/** An exchange with these headers; the names may be in lower case, as with HTTP/2. */
function exchangeWith(sent: Headers): Exchange {
  const headers = Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]));
  return { request: { headers, rawHeaders: sent.flat() } } as unknown as Exchange;
}

/** Allows these questions, as {@link textOf} writes them, or by their beginning; records all. */
function authorizerOf(...allow: readonly string[]): { authorizer: Authorizer; asked: string[] } {
  const asked: string[] = [];
  const authorizer: Authorizer = {
    visible: () => ({ objects: 'none' }),
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
    authorize(user, attributes) {
      const text = textOf(user, attributes);
      asked.push(text);
      const allowed = allow.some(
        (one) => one === text || (one.endsWith('*') && text.startsWith(one.slice(0, -1))),
      );
      return allowed ? { allowed } : { allowed, reason: 'no rule' };
    },
  };
  return { authorizer, asked };
}

function textOf({ extra }: User, asked: Attributes): string {
  const what =
    asked.kind === 'path'
      ? asked.path
      : `${asked.group}/${asked.resource}/${asked.subresource} ${asked.namespace}/${asked.name}`;
  const values = Object.entries(extra).map(([key, texts]) => ` ${key}=${texts.join(',')}`);
  return `${asked.verb} ${what}${values.join('')}`;
}

/** What `impersonation.WithConstrainedImpersonation` of `k8s.io/apiserver` 0.37.2 did. */
interface Recorded {
  readonly id: string;
  readonly client: Partial<User>;
  readonly allow: readonly string[];
  readonly steps: readonly {
    readonly headers: Headers;
    readonly request: Readonly<Record<string, string>>;
  }[];
  /** Of each step: the user, or the error. `asked`: of the first step alone, as later answers are cached there. */
  readonly out: readonly Readonly<Record<string, unknown>>[];
}

const FILE = new URL('testing/kubernetes.jsonl.gz', import.meta.url);
const recorded = gunzipSync(readFileSync(FILE))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const NOTHING = {
  group: '',
  version: 'v1',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  query: '',
};

function infoOf(request: Recorded['steps'][number]['request']): RequestInfo {
  if (request.path !== undefined) return { kind: 'path', query: '', ...request } as unknown as RequestInfo;
  const named = { kind: 'resource', ...NOTHING, ...request };
  return { ...named, pinnedName: named.name } as unknown as RequestInfo;
}

const asUser = ({ name, uid, groups, extra }: User): object => ({
  name,
  ...(uid !== '' && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(Object.keys(extra).length > 0 && { extra: { ...extra } }),
});

test.each(recorded.map((line) => [line.id, line] as const))('as Kubernetes: %s', async (_id, line) => {
  const client: User = { name: '', uid: '', groups: [], extra: {}, ...line.client };
  const { authorizer, asked } = authorizerOf(...line.allow);
  for (const [at, { headers, request }] of line.steps.entries()) {
    asked.length = 0;
    const outcome = await outcomeOf(authorizer, client, headers, infoOf(request));
    expect(at === 0 ? { asked: [...asked], ...outcome } : outcome).toEqual(line.out[at]);
  }
});

async function outcomeOf(
  authorizer: Authorizer,
  client: User,
  headers: Headers,
  info: RequestInfo,
): Promise<object> {
  try {
    return { user: asUser(await impersonate(authorizer, client, { exchange: exchangeWith(headers), info })) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, message: error.message };
  }
}

const ALICE: User = { name: 'alice', uid: 'u1', groups: ['staff'], extra: {} };
const LIST = infoOf({ verb: 'list', resource: 'configmaps', namespace: 'team' });

test('without headers no authorizer is called', () => {
  const { authorizer, asked } = authorizerOf();
  const exchange = exchangeWith([['Accept', '*/*']]);
  expect(impersonate(authorizer, ALICE, { exchange, info: LIST })).toBe(ALICE);
  expect(asked).toEqual([]);
});

test.each<[string | undefined, ...string[]]>([
  ['impersonate:user-info', 'impersonate:user-info*', 'impersonate-on:*'],
  [undefined, 'impersonate /users/ /bob'],
])('the verb %s is recorded, and the scope of the credential stays', async (verb, ...allow) => {
  const records: unknown[] = [];
  const record = { impersonated: (...recordedAs: unknown[]) => void records.push(recordedAs) };
  const client = { ...ALICE, scope: { projects: [] } };
  const exchange = exchangeWith([['impersonate-user', 'bob']]);
  const user = await impersonate(authorizerOf(...allow).authorizer, client, { exchange, info: LIST, record });
  expect(user).toMatchObject({ name: 'bob', scope: client.scope });
  expect(records).toEqual([[user, verb]]);
});

test('extra without a user is refused', () => {
  const exchange = exchangeWith([['Impersonate-Extra-__proto__', 'x']]);
  expect(() => impersonate(authorizerOf('*').authorizer, ALICE, { exchange, info: LIST })).toThrow(
    'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"__proto__":[]string{"x"}}} without impersonating a user name',
  );
});
