/** Whether a user saw the same objects before, if roles have revisions of another store. */
import { identityCaches } from '../people/identities/caches.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isIgnoredRole } from '../sharing/managednames.js';
import type { ResourceCache } from '../../cache/interface.js';
import type { User } from '../../authentication/interface.js';
import { kind as configMaps } from '../../registry/core/configmap/kind.js';
import { createNamespace } from '../../registry/core/namespace/bootstrap.js';
import { kind as namespaces } from '../../registry/core/namespace/kind.js';
import { createObject } from '../../registry/generic/create.js';
import { kind as tokens } from '../directtokens/kind.js';
import { kind as keys } from '../accesskeys/kind.js';
import { kind as rules } from '../grouprules/kind.js';
import { kind as teams } from '../people/team/kind.js';
import { kind as users } from '../people/user/kind.js';
import { openRegistry } from '../../registry/registry.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { rbacAuthorizer } from '../../authorization/rbac/authorizer.js';
import { rbacCaches } from '../../authorization/rbac/caches.js';
import { openRbacWorld, type RbacWorld } from '../../authorization/rbac/testing/rbacworld.js';
import { rightsHistory } from './rightshistory.js';
import { RevisionMap } from './revisionmap.js';

const LAG_MS = 100;
const USER = { name: 'u', uid: '', groups: [], extra: {} };
const COLLECTION = { group: '', resource: 'configmaps', namespaced: true, namespace: 'n' };
const SERVER = {
  requester: { name: 's', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};

interface World {
  readonly host: RbacWorld;
  readonly objects: ResourceCache;
  /** Creates an object, and advances the time. */
  make(name: string): Promise<void>;
  /** Grants the user `get` on the object with this name. */
  share(name: string): Promise<void>;
  wait(ms: number): void;
  /** The revision that a list would use. */
  revision(): number;
  held(revision: number): boolean;
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'revisionmap-'));
  const storage = await openEmbedded({ directory });
  const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
  const own = await openRegistry(
    storage,
    [namespaces, configMaps, users, teams, rules, keys, tokens],
    () => everything,
  );
  const host = await openRbacWorld();
  await createNamespace(own.stores, 'n');
  await own.cache.resource('core/namespaces').reach(await storage.currentRevision(), 5_000);
  await host.create('Namespace', '', 'n');
  const of = (plural: string): ResourceStore =>
    own.stores.find(({ definition }) => definition.plural === plural) as ResourceStore;
  const { cache: objects } = of('configmaps');
  const caches = rbacCaches(host.registry.cache, isIgnoredRole);
  const rbac = rbacAuthorizer(caches);
  let time = 0;
  const revisionMap = new RevisionMap({ own: objects, caches, lagMs: LAG_MS, everyMs: 500, now: () => time });
  const identities = identityCaches(own.cache);
  const bound = (user: User, namespace: string) =>
    [...rbac.bound(user, namespace)].map(({ roleRef }) => roleRef);
  const history = rightsHistory(caches, identities, bound, revisionMap);
  const held = (revision: number): boolean => history.unchangedSince(USER, COLLECTION, objects, revision);
  try {
    await work({
      host,
      objects,
      held,
      async make(name) {
        const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } };
        const { revision } = await createObject(of('configmaps'), 'n', object, SERVER);
        await objects.reach(revision, 5_000);
      },
      async share(name) {
        const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: [name] }];
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
        const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }];
        await host.create('Role', 'n', name, { rules });
        await host.create('RoleBinding', 'n', name, { roleRef, subjects });
      },
      wait: (ms) => void (time += ms),
      revision() {
        revisionMap.unchangedSince(0);
        return objects.revision();
      },
    });
  } finally {
    revisionMap.close();
    await own.close();
    await storage.close();
    await host.close();
    await rm(directory, { recursive: true });
  }
}

describe('visibility at a past revision by roles of the host', () => {
  test('is the same while no rights changed', () =>
    inWorld(async ({ make, revision, held, wait }) => {
      revision();
      await make('a');
      const listed = revision();
      wait(1_000);
      await make('b');
      revision();
      expect(held(listed)).toBe(true);
    }));

  test('is unknown for lists from before the first note', () =>
    inWorld(async ({ make, share, objects, revision, held }) => {
      await make('a');
      const listed = objects.revision();
      await share('a');
      expect(held(listed)).toBe(false);
      await make('b');
      expect(held(revision())).toBe(true);
    }));

  test('differs after a change of rights, at the same revision and later', () =>
    inWorld(async ({ make, share, revision, held, wait, host }) => {
      revision();
      await make('a');
      const listed = revision();
      wait(1_000);
      await share('a');
      expect(held(listed)).toBe(false);
      await make('b');
      const after = revision();
      expect(held(listed)).toBe(false);
      // A list at this revision includes the change.
      expect(held(after)).toBe(true);
      wait(1_000);
      await make('c');
      revision();
      // Another server could have served a list before it knew the change.
      expect(held(after)).toBe(false);
      wait(1_000);
      revision();
      await make('d');
      const later = revision();
      expect(held(later)).toBe(true);
      await host.remove('RoleBinding', 'n', 'a');
      expect([held(listed), held(later)]).toEqual([false, false]);
    }));

  test('ignores objects created together with their rights', () =>
    inWorld(async ({ make, share, revision, held, wait }) => {
      revision();
      wait(1_000);
      await share('a');
      await make('a');
      const listed = revision();
      expect(held(listed)).toBe(true);
      await make('b');
      revision();
      expect(held(listed)).toBe(true);
    }));

  test('is unknown for revisions before the start of the server, and after a change within the lag', () =>
    inWorld(async ({ make, share, revision, held, wait }) => {
      await make('a');
      const first = revision();
      await make('b');
      const second = revision();
      expect(held(first)).toBe(false);
      wait(1_000);
      revision();
      await share('a');
      wait(LAG_MS / 2);
      await make('c');
      const third = revision();
      await make('d');
      revision();
      expect(held(second)).toBe(false);
      expect(held(third)).toBe(false);
      wait(1_000);
      revision();
      await make('e');
      const fourth = revision();
      wait(LAG_MS * 2);
      await make('f');
      expect(held(fourth)).toBe(true);
    }));
});
