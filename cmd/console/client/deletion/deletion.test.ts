/** The dependents and finalizers that delay a deletion. */
import { describe, expect, test } from '@jest/globals';
import type { ObjectMeta } from '../../../../api/resource.js';
import { connected } from '../../graph/graph.js';
import { deletionGraph } from './deletiongraph.js';
import { dependentsOf, remainingForm } from './waiting.js';

const TEAMS = { group: '/apis/management.svc.example/v1', resource: 'teams', namespaced: false };
const CONFIGMAPS = { group: '/api/v1', resource: 'configmaps', namespaced: true };
const TEXTS = { finalizer: 'Finalizer', namespace: 'Namespace', deleting: 'is being deleted' };

const owner = (uid: string, blocks?: boolean) => ({
  apiVersion: 'v1',
  kind: 'Team',
  name: uid,
  uid,
  ...(blocks !== undefined && { blockOwnerDeletion: blocks }),
});

/** An object whose name is its uid. */
const remaining = (uid: string, more: ObjectMeta = {}, holds = '') =>
  remainingForm(holds).changed({ metadata: { uid, name: uid, ...more } });

const deleted = { uid: 'u', resource: 'teams', name: 'u', path: `${TEAMS.group}/teams/u`, holds: '' };
const target = { uid: 'u', namespace: '', holds: '' };

describe('dependents', () => {
  test('are those of the object, then those of the dependents; each once', () => {
    const items = [
      ...remaining('grandchild', { ownerReferences: [owner('child')] }),
      ...remaining('child', { ownerReferences: [owner('u', true)], finalizers: ['f'] }),
      ...remaining('both', { ownerReferences: [owner('u'), owner('child')] }),
      ...remaining('other', { ownerReferences: [owner('somebody')] }),
      ...remaining('alone'),
    ];
    expect(dependentsOf(target, [[TEAMS, items]]).map(({ name, of, blocks }) => [name, of, blocks])).toEqual([
      ['child', 'u', true],
      ['both', 'u', false],
      ['grandchild', 'child', false],
    ]);
  });

  test('are the objects in the deleted namespace, below their owners there', () => {
    const within = (uid: string, more: ObjectMeta = {}) => remaining(uid, { namespace: 'n', ...more }, 'n');
    const items = [
      ...within('owned', { ownerReferences: [owner('owns')] }),
      ...within('owns'),
      // Only the namespace leads to owners that own each other.
      ...within('one', { ownerReferences: [owner('two')] }),
      ...within('two', { ownerReferences: [owner('one')] }),
      ...remaining('elsewhere', { namespace: 'm' }, 'n'),
    ];
    const found = dependentsOf({ ...target, holds: 'n' }, [[CONFIGMAPS, items]]);
    expect(found.map(({ name, of }) => [name, of])).toEqual([
      ['owns', ''],
      ['owned', 'owns'],
      ['one', ''],
      ['two', ''],
    ]);
    expect(found[0]?.path).toBe('/api/v1/namespaces/n/configmaps/owns');
  });

  test('keep nothing but metadata without fields, labels and annotations', () => {
    const [kept] = remaining('a', { annotations: { a: 'b' }, labels: { c: 'd' }, managedFields: [{}] });
    expect(kept).toEqual({ metadata: { uid: 'a', name: 'a' }, matters: false });
    expect(remainingForm('').items({ items: [{ metadata: { uid: 'a' } }] })).toEqual([]);
  });
});

describe('their graph', () => {
  test('leads through the finalizers that wait for them', () => {
    const items = [
      ...remaining('blocks', { ownerReferences: [owner('u', true)], finalizers: ['own'] }),
      ...remaining('loose', { ownerReferences: [owner('u')], deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ];
    const finalizers = ['foregroundDeletion', 'example.com/hold'];
    const graph = deletionGraph({ ...deleted, finalizers }, dependentsOf(target, [[TEAMS, items]]), TEXTS);
    const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
    expect(graph.edges.map(({ from, to, loose }) => [names.get(from), names.get(to), loose])).toEqual([
      ['u', 'foregroundDeletion', false],
      ['u', 'example.com/hold', false],
      ['foregroundDeletion', 'blocks', false],
      ['blocks', 'own', false],
      ['u', 'loose', true],
    ]);
    expect(graph.nodes.find(({ name }) => name === 'loose')?.note).toBe('is being deleted');
    const ofOwn = connected(graph, graph.nodes.find(({ name }) => name === 'own')?.id ?? '');
    expect([...ofOwn].map((id) => names.get(id)).sort()).toEqual([
      'blocks',
      'foregroundDeletion',
      'own',
      'u',
    ]);
  });

  test('has the namespace that goes between the object and what is in it', () => {
    const items = remaining('a', { namespace: 'n' }, 'n');
    const finalizers = ['management.svc.example/project-namespace'];
    const found = dependentsOf({ ...target, holds: 'n' }, [[CONFIGMAPS, items]]);
    const graph = deletionGraph({ ...deleted, holds: 'n', finalizers }, found, TEXTS);
    expect(graph.nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'teams u',
      'Finalizer management.svc.example/project-namespace',
      'Namespace n',
      'configmaps a',
    ]);
    expect(graph.edges).toHaveLength(3);
  });
});
