/** The ClusterRoles and bindings of the product, besides those of any API server. */
import type { BootstrapBinding, BootstrapRole } from '../registry/rbac/bootstrap/roles.js';
import { PROJECT_MEMBER_ROLES } from './projects/clusterroles.js';

export const MANAGEMENT_ROLES: readonly BootstrapRole[] = [
  {
    name: 'management:login',
    rules: [{ nonResourceURLs: ['/auth/*'], verbs: ['get', 'post'] }],
  },
  {
    name: 'management:basic-user',
    rules: [
      {
        apiGroups: ['management.svc.example'],
        resources: [
          'selves',
          'directclusterendpointtokens',
          'resourceaccessreviews',
          'subjectobjectsreviews',
        ],
        verbs: ['create'],
      },
    ],
  },
  ...PROJECT_MEMBER_ROLES,
];

export const MANAGEMENT_BINDINGS: readonly BootstrapBinding[] = [
  { name: 'management:admins', role: 'cluster-admin', groups: ['management:admins'] },
  {
    name: 'management:login',
    role: 'management:login',
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  { name: 'management:basic-user', role: 'management:basic-user', groups: ['management:authenticated'] },
];
