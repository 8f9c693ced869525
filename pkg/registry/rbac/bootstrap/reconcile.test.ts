import { describe, expect, test } from '@jest/globals';
import type { ClusterRole } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import type { KubeObject } from '../../../../api/resource.js';
import { kind as clusterRoleKind } from '../clusterrole/kind.js';
import { completed } from './reconcile.js';
import { BOOTSTRAP_BINDINGS, BOOTSTRAP_ROLES } from './roles.js';

const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const get = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const list = { apiGroups: [''], resources: ['secrets'], verbs: ['list'] };

const role = (
  rules: unknown,
  annotations: Record<string, string> = { [AUTOUPDATE]: 'true' },
): KubeObject => ({
  kind: 'ClusterRole',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name: 'r', labels: { a: 'b' }, annotations },
  rules,
});

describe('a bootstrap role', () => {
  test.each<[string, unknown, unknown]>([
    ['keeps what was added', [get, list], [get, list]],
    ['gets back what was taken', [list], [list, get]],
    ['gets back all', null, [get]],
  ])('%s', (_name, live, expected) => {
    expect(completed(role(live), role([get])).rules).toEqual(expected);
  });

  test('is unchanged if its annotation disables updates', () => {
    const live = role(null, { [AUTOUPDATE]: 'false' });
    expect(completed(live, role([get]))).toEqual(live);
  });

  test('regains its labels and annotations, and keeps others', () => {
    const wanted = role([get]);
    wanted.metadata.labels = { c: 'd' };
    expect(completed(role([get], { own: 'x' }), wanted).metadata).toMatchObject({
      labels: { a: 'b', c: 'd' },
      annotations: { own: 'x', [AUTOUPDATE]: 'true' },
    });
  });

  test('with an aggregation rule keeps the rules of its controller', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { x: 'true' } }] };
    const wanted = { ...role(null), aggregationRule };
    expect(completed(role([list]), wanted)).toMatchObject({ rules: [list], aggregationRule });
  });
});

test('all bootstrap roles are valid, and all bindings name one', () => {
  const names = BOOTSTRAP_ROLES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { rules = null } of BOOTSTRAP_ROLES) {
    expect(clusterRoleKind.strategy.validate?.(role(rules) as ClusterRole)).toEqual([]);
  }
  expect(BOOTSTRAP_BINDINGS.filter((binding) => !names.includes(binding.role))).toEqual([]);
});
