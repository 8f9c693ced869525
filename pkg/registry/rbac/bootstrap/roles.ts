/**
 * The bootstrap ClusterRoles: those of `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy` that apply
 * without nodes and workloads, with the resources of this server.
 */
import type { PolicyRule } from '../rules.js';

/** A role with rules, or one that aggregates roles by label. */
export interface BootstrapRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly PolicyRule[];
  /** Labels; the role aggregates roles that have one of them with the value `true`. */
  readonly aggregates?: readonly string[];
}

const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';
const RBAC = 'rbac.authorization.k8s.io';
/** API groups with events. */
const EVENTS = ['', 'events.k8s.io'];
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const rule = (apiGroups: string[], resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
});
const paths = (...nonResourceURLs: string[]): PolicyRule => ({ nonResourceURLs, verbs: ['get'] });
const aggregated = (to: string): Record<string, string> => ({ [AGGREGATE_TO + to]: 'true' });

/** The role with all rights. */
const FULL: BootstrapRole = {
  name: 'cluster-admin',
  rules: [rule(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }],
};

/** The rules of administrators, editors and viewers of a namespace. */
const NAMESPACE_ROLES: readonly BootstrapRole[] = [
  { name: 'admin', aggregates: [`${AGGREGATE_TO}admin`] },
  { name: 'edit', aggregates: [`${AGGREGATE_TO}edit`], labels: aggregated('admin') },
  { name: 'view', aggregates: [`${AGGREGATE_TO}view`], labels: aggregated('edit') },
  {
    name: 'system:aggregate-to-admin',
    labels: aggregated('admin'),
    rules: [
      rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
      rule([RBAC], ['roles', 'rolebindings'], ALL),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: aggregated('edit'),
    rules: [
      rule([''], ['secrets'], READ),
      rule([''], ['serviceaccounts'], ['impersonate']),
      rule([''], ['secrets', 'serviceaccounts', 'configmaps'], WRITE),
      rule(EVENTS, ['events'], WRITE),
      rule([''], ['serviceaccounts/token'], ['create']),
      rule(['coordination.k8s.io'], ['leases'], ALL),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    labels: aggregated('view'),
    rules: [
      rule([''], ['serviceaccounts', 'configmaps', 'namespaces', 'namespaces/status'], READ),
      rule(EVENTS, ['events'], READ),
    ],
  },
];

const SYSTEM_ROLES: readonly BootstrapRole[] = [
  {
    name: 'system:discovery',
    rules: [
      paths(
        '/livez',
        '/readyz',
        '/healthz',
        '/version',
        '/version/',
        '/openapi',
        '/openapi/*',
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
      ),
      // Kubernetes leaves it to administrators: others get an error of kubectl for a kind that is misspelt.
      rule(['apiextensions.k8s.io'], ['customresourcedefinitions'], ['list']),
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths('/livez', '/readyz', '/healthz', '/version', '/version/')],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [paths('/.well-known/openid-configuration', '/openid/v1/jwks')],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
      rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
    ],
  },
  {
    name: 'system:monitoring',
    rules: [
      paths(
        '/metrics',
        '/livez',
        '/livez/*',
        '/readyz',
        '/readyz/*',
        '/healthz',
        '/healthz/*',
        '/flagz',
        '/statusz',
      ),
    ],
  },
];

export const BOOTSTRAP_ROLES: readonly BootstrapRole[] = [FULL, ...NAMESPACE_ROLES, ...SYSTEM_ROLES];

/** The bootstrap bindings of groups. */
export interface BootstrapBinding {
  readonly name: string;
  readonly role: string;
  readonly groups: readonly string[];
}

export const BOOTSTRAP_BINDINGS: readonly BootstrapBinding[] = [
  { name: 'cluster-admin', role: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:discovery', role: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:basic-user', role: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:monitoring', role: 'system:monitoring', groups: ['system:monitoring'] },
  {
    name: 'system:public-info-viewer',
    role: 'system:public-info-viewer',
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    // Connected clusters fetch the keys that verify tokens without credentials.
    name: 'system:service-account-issuer-discovery',
    role: 'system:service-account-issuer-discovery',
    groups: ['system:serviceaccounts', 'system:authenticated', 'system:unauthenticated'],
  },
];
