import { expect, test } from '@jest/globals';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { RoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import type { KubeObject, ObjectOf, ResourceDefinition } from '../../../api/resource.js';
import { compileSchema } from '../../apimachinery/schema/compile.js';
import type { Strategy } from '../strategy.js';
import { kind as clusterRoleKind } from './clusterrole/kind.js';
import { kind as clusterRoleBindingKind } from './clusterrolebinding/kind.js';
import { kind as roleBindingKind } from './rolebinding/kind.js';

/** Decodes an object like that of a request body. */
function decoded<D extends ResourceDefinition>(
  definition: D,
  strategy: Strategy<ObjectOf<D>>,
  members: object,
): ObjectOf<D> {
  const head = { kind: definition.kind, apiVersion: 'v1', metadata: { name: 'x' } };
  const object = { ...head, ...members } as ObjectOf<D>;
  const schema = compileSchema(definition);
  schema.prune(object);
  schema.applyDefaults(object);
  strategy.applyDefaults?.(object);
  return object;
}

const findings = <T extends KubeObject>(strategy: Strategy<T>, object: T): string[] =>
  (strategy.validate?.(object) ?? []).map(({ path, body }) => `${path}: ${body}`);

const SELECTORS = 'aggregationRule.clusterRoleSelectors';
test.each<[string, object, string[]]>([
  ['nothing', {}, []],
  ['paths', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }, []],
  [
    'an empty aggregation',
    { aggregationRule: {} },
    [`${SELECTORS}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`],
  ],
  ['a selector of everything', { aggregationRule: { clusterRoleSelectors: [{}] } }, []],
  [
    'invalid selectors',
    {
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { a: 'b' } },
          { matchExpressions: [{ key: 'k', operator: 'In' }] },
          { matchExpressions: [{ key: 'k', operator: 'Exists', values: ['v'] }] },
          { matchExpressions: [{ key: 'k', operator: 'Gt', values: ['a b'] }] },
        ],
      },
    },
    [
      `${SELECTORS}[1].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${SELECTORS}[1]: Invalid value: null: invalid label selector.`,
      `${SELECTORS}[2].matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      `${SELECTORS}[2]: Invalid value: null: invalid label selector.`,
      `${SELECTORS}[3].matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator`,
      `${SELECTORS}[3].matchExpressions[0].values[0]: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      `${SELECTORS}[3]: Invalid value: null: invalid label selector.`,
    ],
  ],
])('a ClusterRole with %s', (_name, members, expected) => {
  expect(findings(clusterRoleKind.strategy, decoded(ClusterRole, clusterRoleKind.strategy, members))).toEqual(
    expected,
  );
});

test('stores missing or empty rules of a role as null', () => {
  for (const members of [{}, { rules: [] }, { rules: null }]) {
    const role = decoded(ClusterRole, clusterRoleKind.strategy, members);
    clusterRoleKind.strategy.prepareForCreate(role);
    expect(role.rules).toBeNull();
  }
});

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };

test('defaults apiGroup of roleRef, users and groups, but not of service accounts', () => {
  const binding = decoded(RoleBinding, roleBindingKind.strategy, {
    roleRef: { kind: 'ClusterRole', name: 'r' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's' },
    ],
  });
  expect(binding).toMatchObject({
    roleRef,
    subjects: [
      { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 's' },
    ],
  });
  expect(findings(roleBindingKind.strategy, binding)).toEqual([]);
  expect(findings(clusterRoleBindingKind.strategy, binding)).toEqual([
    'subjects[2].namespace: Required value',
  ]);
});

test('refuses invalid subjects', () => {
  const subjects = [
    {},
    { kind: 'ServiceAccount', name: 'A', apiGroup: 'x', namespace: 'n' },
    { kind: 'User', name: 'u', apiGroup: 'x' },
  ];
  const binding = decoded(RoleBinding, roleBindingKind.strategy, {
    roleRef: { ...roleRef, name: 'a/b' },
    subjects,
  });
  expect(findings(roleBindingKind.strategy, binding)).toEqual([
    `roleRef.name: Invalid value: "a/b": may not contain '/'`,
    'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
    expect.stringContaining('subjects[1].name: Invalid value: "A": a lowercase RFC 1123 subdomain'),
    'subjects[1].apiGroup: Unsupported value: "x": supported values: ""',
    'subjects[2].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
    'subjects[0].name: Required value',
  ]);
});

test('prints the role of a binding, and its subjects in wide output', () => {
  const subjects = [
    { kind: 'User', name: 'u' },
    { kind: 'User', name: 'v' },
    { kind: 'Group', name: 'g' },
    { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  ];
  const binding = decoded(RoleBinding, roleBindingKind.strategy, { roleRef, subjects });
  const cells = (roleBindingKind.strategy.columns ?? []).map((column) => [
    column.name,
    column.priority,
    column.cell(binding, 0),
  ]);
  expect(cells).toEqual([
    ['Role', 0, 'ClusterRole/r'],
    ['Age', 0, '<unknown>'],
    ['Users', 1, 'u, v'],
    ['Groups', 1, 'g'],
    ['ServiceAccounts', 1, 'n/s'],
  ]);
});
