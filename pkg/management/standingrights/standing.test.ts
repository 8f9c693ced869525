import { describe, expect, test } from '@jest/globals';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { Identities, KnownUser } from '../people/identities/interface.js';
import {
  type Holder,
  dependenciesOf,
  GROUPS_LAST_MS,
  holderOf,
  lastingHolderOf,
  ownersHolder,
  standingOf,
  type People,
} from './standing.js';

const NOW = 1_000_000_000_000;
const anna: KnownUser = {
  uid: 'u1',
  disabled: false,
  tokenGeneration: 0,
  teams: ['ops'],
  groups: ['management:user:anna', 'management:team:ops', 'devs', 'system:authenticated'],
};

const web: Project = { kind: 'Project', apiVersion: '', metadata: { name: 'web', uid: 'p1' } };

function people(
  user: KnownUser | undefined = anna,
  key?: OwnedAccessKey,
  account?: string,
  project?: Project,
): People {
  const identities: Identities = {
    user: (name) => (name === 'anna' ? user : undefined),
    team: (name) => (name === 'ops' ? { uid: 't1', groups: ['management:team:ops'] } : undefined),
  };
  return {
    identities,
    accessKey: () => key,
    project: () => project,
    account: () =>
      account === undefined ? undefined : { kind: '', apiVersion: '', metadata: { uid: account } },
  };
}

const keyOf = (spec: object): OwnedAccessKey => ({
  kind: 'OwnedAccessKey',
  apiVersion: '',
  metadata: { creationTimestamp: new Date(NOW).toISOString() },
  spec,
});
const extra = { 'management.svc.example/access-key': ['k'] };
const asking = (name: string, groups: string[] = [], more: object = {}) => ({
  name,
  uid: '',
  groups,
  extra: {},
  ...more,
});

function now(holder: Holder, those: People, at = NOW): readonly string[] | string {
  const standing = standingOf(holder, those, at);
  return 'gone' in standing ? standing.gone : standing.user.groups;
}

describe('the current identity of a user', () => {
  test('a User has the current groups, and those that only the credential has', () => {
    const holder = holderOf(
      asking('anna', [...anna.groups, 'oidc:x', 'management:team:gone']),
      people(),
      NOW,
    );
    expect(holder).toEqual({ name: 'anna', uid: 'u1', groups: ['oidc:x'], seen: NOW });
    const left = { ...anna, groups: ['management:user:anna'] };
    expect(now(holder, people(left))).toEqual(['management:user:anna', 'oidc:x']);
    expect(now(holder, people(left), NOW + GROUPS_LAST_MS)).toEqual(['management:user:anna']);
  });

  test('ends for a disabled, deleted or recreated User', () => {
    const holder = holderOf(asking('anna'), people(), NOW);
    expect(now(holder, people({ ...anna, disabled: true }))).toBe('is disabled');
    expect(now(holder, people({ ...anna, uid: 'u2' }))).toMatch(/another has the name/);
    const none: People = { ...people(), identities: { user: () => undefined, team: () => undefined } };
    expect(now(holder, none)).toBe('has been deleted');
  });

  test('an unknown user has the groups of the credential for a time', () => {
    const holder = holderOf(asking('eve', ['devs', 'system:authenticated']), people(), NOW);
    expect(now(holder, people())).toEqual(['system:authenticated', 'devs']);
    expect(standingOf(holder, people(), NOW)).toMatchObject({ until: NOW + GROUPS_LAST_MS });
    expect(now(holder, people(), NOW + GROUPS_LAST_MS)).toEqual(['system:authenticated']);
  });

  test('an access key gives its groups and its scope while it exists', () => {
    const key = keyOf({ subject: 'robot', groups: ['h'], scope: {}, ttl: 10 });
    const holder = holderOf(asking('robot', ['g'], { extra }), people(anna, key), NOW);
    expect(holder).toMatchObject({ groups: [], key: 'k' });
    expect(holderOf(asking('eve', ['g'], { extra }), people(anna, key), NOW).key).toBeUndefined();
    expect(standingOf(holder, people(anna, key), NOW)).toMatchObject({
      user: { groups: ['management:authenticated', 'system:authenticated', 'h'], scope: {} },
      until: NOW + 10_000,
    });
    expect(now(holder, people(anna, key), NOW + 10_000)).toMatch(/has ended/);
    expect(now(holder, people(anna, keyOf({ subject: 'robot', disabled: true })))).toMatch(/has ended/);
    expect(now(holder, people(anna, keyOf({ subject: 'other' })))).toMatch(/has ended/);
    const annas = holderOf(
      asking('anna', ['g'], { extra, scope: { projects: [] } }),
      people(anna, keyOf({ user: 'anna' })),
      NOW,
    );
    expect(standingOf(annas, people(), NOW)).toMatchObject({
      user: { groups: anna.groups, scope: { projects: [] } },
    });
  });

  test('uses the groups of the login for records that outlast it, and other keys as before', () => {
    const login = people(anna, keyOf({ user: 'anna', type: 'Login', groups: ['oidc:x'], ttl: 10 }));
    const asked = asking('anna', [...anna.groups, 'oidc:x'], { extra });
    const holder = lastingHolderOf(asked, login, NOW);
    expect(holder).toEqual({ name: 'anna', uid: 'u1', groups: ['oidc:x'], seen: NOW });
    const later = standingOf(holder, people(), NOW + 100 * GROUPS_LAST_MS, Infinity);
    expect(later).toMatchObject({ user: { groups: expect.arrayContaining(['oidc:x']) }, until: undefined });
    expect(now(holder, people({ ...anna, disabled: true }))).toBe('is disabled');
    const robots = people(anna, keyOf({ subject: 'robot', groups: ['h'] }));
    expect(lastingHolderOf(asking('robot', ['h'], { extra }), robots, NOW)).toMatchObject({ key: 'k' });
    const admins = people(anna, keyOf({ user: 'admin' }));
    const admin = asking('admin', ['system:masters', 'system:authenticated'], { extra });
    expect(lastingHolderOf(admin, admins, NOW).groups).toContain('system:masters');
    expect(holderOf(admin, admins, NOW)).toMatchObject({ key: 'k', groups: ['system:masters'] });
  });

  describe('a key of a project', () => {
    const name = 'management:project:web:key:k';
    const owners = [
      { apiVersion: 'management.svc.example/v1', kind: 'Project', name: 'web', uid: 'p1' },
      { apiVersion: 'management.svc.example/v1', kind: 'User', name: 'anna', uid: 'u1' },
    ];
    const made = (uid = 'k1', spec: object = {}): OwnedAccessKey => ({
      ...keyOf({ project: 'web', clusterRole: 'r', ttl: 10, ...spec }),
      metadata: { name: 'k', uid, ownerReferences: owners, creationTimestamp: new Date(NOW).toISOString() },
    });
    const bound = made('k1', { endsWithMaker: true });
    const among = (
      key: OwnedAccessKey | undefined,
      user = anna,
      project: Project | undefined = web,
    ): People => people(user, key, undefined, project);
    const asked = asking(name, ['management:project:web:r', 'system:authenticated'], { extra });

    test('has its role and its project, and is the holder wherever its name is', () => {
      const holder = holderOf(asked, among(made()), NOW);
      expect(holder).toEqual({ name, uid: 'k1', groups: [], seen: NOW, key: 'k' });
      expect(ownersHolder({ user: name }, among(made()), NOW)).toEqual(holder);
      expect(standingOf(holder, among(made('k1', { clusterRole: 's' })), NOW)).toMatchObject({
        user: { groups: expect.arrayContaining(['management:project:web:s']), scope: expect.anything() },
        until: NOW + 10_000,
      });
      expect(dependenciesOf(holder, among(bound))).toEqual([
        'ownedaccesskeys/k',
        'projects/web',
        'users/anna',
      ]);
    });

    test('ends, and another of that name is not it', () => {
      const holder = holderOf(asked, among(made()), NOW);
      expect(now(holder, among(made('k2')))).toMatch(/another has the name/);
      expect(now(holder, among(undefined))).toMatch(/has ended/);
      expect(now({ ...holder, uid: '' }, among(made()))).toMatch(/another has the name/);
    });

    test('ends with its project, and with its maker if it says so', () => {
      const holder = holderOf(asked, among(bound), NOW);
      const going = { ...web, metadata: { ...web.metadata, deletionTimestamp: 'now' } };
      const other = { ...web, metadata: { ...web.metadata, uid: 'p2' } };
      for (const project of [going, other])
        expect(now(holder, among(bound, anna, project))).toMatch(/has ended/);
      expect(now(holder, people(anna, bound))).toMatch(/has ended/);
      const gone = { ...anna, disabled: true };
      for (const maker of [gone, { ...anna, uid: 'u2' }]) {
        expect(now(holder, among(bound, maker))).toMatch(/has ended/);
        expect(now(holder, among(made(), maker))).toContain('management:project:web:r');
      }
    });
  });

  test('a team and a service account end with their objects', () => {
    const team = holderOf(asking('management:team:ops'), people(), NOW);
    expect(team.uid).toBe('t1');
    const none: People = { ...people(), identities: { user: () => undefined, team: () => undefined } };
    expect(now(team, none)).toBe('has been deleted');
    const account = holderOf(asking('system:serviceaccount:ns:a'), people(anna, undefined, 's1'), NOW);
    expect(now(account, people(anna, undefined, 's1'))).toContain('system:serviceaccounts:ns');
    expect(now(account, people(anna, undefined, 's2'))).toMatch(/another has the name/);
    expect(now(account, people())).toBe('has been deleted');
  });
});
