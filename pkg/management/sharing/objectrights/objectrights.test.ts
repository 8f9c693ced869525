import { expect, test } from '@jest/globals';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { SharedSecret } from '../../../../api/management.svc.example/v1/sharedsecret.js';
import type { Cache, CacheEvent, Entry, ResourceCache, Subscriber } from '../../../cache/interface.js';
import { entryOf } from '../../../registry/resourcestore.js';
import type { RightsChange } from '../../../authorization/rbac/policy.js';
import { objectRightsAuthorizer } from './authorizer.js';
import { objectRightsHistory } from '../../visibility/objectrightshistory.js';

const GROUP = 'management.svc.example';

/** A cache that a test writes to. */
class Written {
  revision = 0;
  subscribers: Subscriber[] = [];
  readonly entries = new Map<string, Entry>();
  readonly past: CacheEvent[] = [];
  private readonly states = new Map<number, ReadonlyMap<string, Entry>>([[0, new Map()]]);

  write(namespace: string, name: string, spec: object | undefined): void {
    this.revision += 1;
    const path = namespace === '' ? name : `${namespace}/${name}`;
    const previous = this.entries.get(path);
    const object = { kind: '', apiVersion: '', metadata: { name, namespace }, spec };
    const entry = entryOf({ namespace, name }, this.revision, Buffer.from(JSON.stringify(object)));
    if (spec === undefined) this.entries.delete(path);
    else this.entries.set(path, entry);
    this.states.set(this.revision, new Map(this.entries));
    const frame = (): Buffer => Buffer.alloc(0);
    const event = { revision: this.revision, entry, deleted: spec === undefined, previous, frame };
    this.past.push(event);
    for (const one of this.subscribers) one.events([event]);
  }

  cache(): ResourceCache {
    const snapshot = (entries: ReadonlyMap<string, Entry>): never =>
      ({
        revision: this.revision,
        get: (path: string) => entries.get(path),
        entries: () => [...entries.values()],
      }) as never;
    return {
      resource: '',
      undecryptable: () => new Map(),
      isDerived: () => false,
      shadowed: () => new Map(),
      latest: () => snapshot(this.entries),
      at: (revision) => snapshot(this.states.get(revision) ?? new Map<string, Entry>()),
      reach: () => Promise.resolve(true),
      revision: () => this.revision,
      subscribe: ({ after }, subscriber) => {
        const missed = this.past.filter(({ revision }) => revision > after);
        if (missed.length > 0) subscriber.events(missed);
        this.subscribers.push(subscriber);
        return {
          cancel: () => void (this.subscribers = this.subscribers.filter((one) => one !== subscriber)),
        };
      },
    };
  }
}

function world() {
  const secrets = new Written();
  const projects = new Written();
  const caches: Record<string, ResourceCache> = {
    [`${GROUP}/sharedsecrets`]: secrets.cache(),
    [`${GROUP}/projects`]: projects.cache(),
  };
  const cache = { resource: (name: string) => caches[name] } as unknown as Cache;
  const authorizer = objectRightsAuthorizer(cache, [SharedSecret, Project]);
  const changes: RightsChange[] = [];
  authorizer.onChange((change) => void changes.push(change));
  return { secrets, projects, authorizer, changes, caches };
}

const user = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });
const kind = (resource: string, namespace: string, verb: string, subresource = '') => ({
  group: GROUP,
  resource,
  namespace,
  verb,
  subresource,
});
const on = (resource: string, namespace: string, name: string, verb: string, subresource = '') => ({
  ...kind(resource, namespace, verb, subresource),
  kind: 'resource' as const,
  version: 'v1',
  name,
});

const SPEC = {
  owner: { user: 'olga' },
  access: [
    { verbs: ['get'], users: ['ute'], teams: ['red'] },
    { verbs: ['update'], subresources: ['*'], users: ['kim'] },
    { verbs: ['get'], subresources: [], teams: ['*'] },
  ],
};

test.each([
  ['the owner everything', user('olga'), 'delete', 's', '', true],
  ['the owner a subresource', user('olga'), 'patch', 's', 'status', true],
  ['a user the verbs of the rule', user('ute'), 'get', 's', '', true],
  ['a user no other verb', user('ute'), 'update', 's', '', false],
  ['a user no subresource that is not listed', user('ute'), 'get', 's', 'status', false],
  ['a user all subresources', user('kim'), 'update', 's', 'status', true],
  ['a member of a team', user('tom', 'management:team:red'), 'get', 's', '', true],
  ['all authenticated users', user('any', 'system:authenticated'), 'get', 's', '', true],
  ['an anonymous user nothing', user('system:anonymous', 'system:unauthenticated'), 'get', 's', '', false],
  ['a user with the name * nothing', user('*'), 'get', 's', '', false],
  ['nothing of another name', user('olga'), 'get', 'other', '', false],
  ['nothing without a name', user('olga'), 'create', '', '', false],
])('allows %s', (_what, who, verb, name, subresource, allowed) => {
  const { secrets, authorizer } = world();
  secrets.write('ns', 's', SPEC);
  expect(authorizer.authorize(who, on('sharedsecrets', 'ns', name, verb, subresource)).allowed).toBe(allowed);
  expect(authorizer.authorize(who, on('sharedsecrets', 'other', name, verb, subresource)).allowed).toBe(
    false,
  );
  expect(authorizer.authorize(who, on('sharedsecrets', '', name, verb, subresource)).allowed).toBe(false);
});

test('members read a project, and no access rule covers the quotas that limit its owner', () => {
  const { projects, authorizer } = world();
  const members = [{ kind: 'User', name: 'ute', clusterRole: 'view' }];
  const access = [{ verbs: ['*'], subresources: ['*'], users: ['kim'] }];
  projects.write('', 'web', { owner: { team: 'leads' }, members, access });
  const may = (who: ReturnType<typeof user>, verb: string, subresource = ''): boolean =>
    authorizer.authorize(who, on('projects', '', 'web', verb, subresource)).allowed;
  const lead = user('lea', 'management:team:leads');
  expect([may(user('ute'), 'get'), may(user('ute'), 'get', 'members'), may(user('ute'), 'update')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([may(lead, 'update'), may(lead, 'update', 'quotas')]).toEqual([true, false]);
  expect([may(user('kim'), 'update', 'members'), may(user('kim'), 'update', 'quotas')]).toEqual([
    true,
    false,
  ]);
});

test('rights follow the cache, and listeners receive the changes of their subjects', () => {
  const { secrets, authorizer, changes } = world();
  const names = (who: string): string[] => {
    const seen = authorizer.visible(user(who), kind('sharedsecrets', 'ns', 'get'));
    return seen.objects === 'names' ? [...seen.names] : [];
  };
  expect(names('olga')).toEqual([]);
  changes.length = 0;
  const resource = `${GROUP}/sharedsecrets`;
  secrets.write('ns', 's', { owner: { user: 'olga' } });
  expect([names('olga'), changes.pop()]).toEqual([
    ['s'],
    { namespace: 'ns', resource, mayRevoke: false, keys: new Set(['user:olga']) },
  ]);
  secrets.write('ns', 's', { owner: { user: 'olga' }, displayName: 'x' });
  expect([names('olga'), changes.pop()]).toEqual([['s'], undefined]);
  secrets.write('ns', 's', { owner: { user: 'ute' } });
  expect([names('olga'), names('ute'), [...authorizer.namespaces(user('ute'))]]).toEqual([[], ['s'], ['ns']]);
  expect(changes.pop()).toMatchObject({ mayRevoke: true, keys: new Set(['user:olga', 'user:ute']) });
  secrets.write('ns', 's', undefined);
  expect([names('ute'), [...authorizer.namespaces(user('ute'))]]).toEqual([[], []]);
  for (const one of secrets.subscribers.splice(0)) one.end();
  secrets.write('ns', 's', { owner: { user: 'kim' } });
  expect(names('kim')).toEqual(['s']);
});

test('reads written objects without caching them parsed', () => {
  const { secrets, authorizer } = world();
  authorizer.begin();
  const bytes = Buffer.from(JSON.stringify({ metadata: { name: 's' }, spec: SPEC }));
  const object = (): never => {
    throw new Error('it would be kept');
  };
  const entry: Entry = { ...entryOf({ namespace: 'ns', name: 's' }, 1, bytes), object };
  const event = { revision: 1, entry, deleted: false, previous: undefined, frame: () => bytes };
  for (const one of secrets.subscribers) one.events([event]);
  expect(authorizer.authorize(user('olga'), on('sharedsecrets', 'ns', 's', 'get')).allowed).toBe(true);
});

test('joins the objects of one right in the rules of a user', () => {
  const { secrets, authorizer } = world();
  for (const name of ['a', 'b']) secrets.write('ns', name, { access: [{ verbs: ['get'], users: ['ute'] }] });
  expect(authorizer.rulesFor(user('ute'), 'ns').resourceRules).toEqual([
    { verbs: ['get'], apiGroups: [GROUP], resources: ['sharedsecrets'], resourceNames: ['a', 'b'] },
  ]);
  expect(authorizer.rulesFor(user('ute'), 'other').resourceRules).toEqual([]);
});

test.each<[string, (secrets: Written) => void, boolean]>([
  ['nothing changes', () => undefined, true],
  ['a right is given', (secrets) => secrets.write('ns', 's', { owner: { user: 'ute' } }), false],
  ['an object is created', (secrets) => secrets.write('ns', 'new', { owner: { user: 'ute' } }), true],
  ['something else changes', (secrets) => secrets.write('ns', 's', { displayName: 'x' }), true],
  ['a visible object is deleted', (secrets) => secrets.write('ns', 'mine', undefined), false],
  ['a hidden object is deleted', (secrets) => secrets.write('ns', 's', undefined), true],
  [
    'a visible object gets the name of a hidden one',
    (secrets) => {
      secrets.write('ns', 's', undefined);
      secrets.write('ns', 's', { owner: { user: 'ute' } });
    },
    false,
  ],
  [
    'a visible object gets the name of one that was created and deleted since',
    (secrets) => {
      secrets.write('ns', 'new', { owner: { user: 'olga' } });
      secrets.write('ns', 'new', undefined);
      secrets.write('ns', 'new', { owner: { user: 'ute' } });
    },
    false,
  ],
  [
    'a right on a new object is given',
    (secrets) => {
      secrets.write('ns', 'new', { owner: { user: 'olga' } });
      secrets.write('ns', 'new', { owner: { user: 'ute' } });
    },
    false,
  ],
])('rights of the past if %s', (_what, change, held) => {
  const { secrets, authorizer, caches } = world();
  secrets.write('ns', 's', { owner: { user: 'olga' } });
  secrets.write('ns', 'mine', { owner: { user: 'ute' } });
  const { revision } = secrets;
  change(secrets);
  const collection = { group: GROUP, resource: 'sharedsecrets', namespaced: true, namespace: 'ns' };
  const objects = caches[`${GROUP}/sharedsecrets`] as ResourceCache;
  const history = objectRightsHistory(authorizer.index);
  expect(history.unchangedSince(user('ute'), collection, objects, revision)).toBe(held);
});
