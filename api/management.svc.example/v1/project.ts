import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { oneOf } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { MAX_ITEMS, MAX_TEXT, flag, ownerField, prose, text } from './fields.js';
import { ProjectClusters } from './projectclusters.js';
import { ProjectMembers } from './projectmembers.js';
import { ProjectImportVirtualCluster } from './instances/projectimportvirtualcluster.js';
import { ProjectMigrateSpaceInstance } from './instances/projectmigratespaceinstance.js';
import { ProjectUsage, quotasField } from './projectusage.js';

const allowedCluster = Type.Object(
  { name: text('Name of a cluster; * stands for all.') },
  { description: 'A connected cluster.' },
);

const allowedTemplate = Type.Object(
  {
    kind: text('Kind of the template.'),
    group: text('API group of the template.'),
    name: text('Name of the template; * stands for all.'),
    isDefault: flag('Whether instances are made from this template unless they name another.'),
  },
  { description: 'A template. It is kept and not interpreted.' },
);

const member = Type.Object(
  {
    kind: oneOf(['User', 'Team'], { description: 'User or Team.' }),
    name: Type.String({
      description: 'Name of the user or the team; * stands for everyone who is authenticated.',
      maxLength: MAX_TEXT,
    }),
    clusterRole: Type.String({
      description:
        "ClusterRole that the member has in the project's namespace, such as management-project-admin, management-project-user or management-project-viewer. Its writer must be allowed to bind it.",
      maxLength: MAX_TEXT,
    }),
  },
  { description: 'Who is in the project, and with which rights.' },
);

/** Where a group of users has its secrets and instances: a namespace with members and quotas. */
export const Project = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'Project',
  plural: 'projects',
  shortNames: ['proj'],
  namespaced: false,
  nameRule: 'label',
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'] },
    { name: 'clusters', verbs: ['get'], object: ProjectClusters },
    { name: 'members', verbs: ['get'], object: ProjectMembers },
    { name: 'usage', verbs: ['get'], object: ProjectUsage },
    { name: 'importvirtualcluster', verbs: ['create'], object: ProjectImportVirtualCluster },
    { name: 'migratespaceinstance', verbs: ['create'], object: ProjectMigrateSpaceInstance },
  ],
  reservedSubresources: ['finalizers', 'quotas'],
  description:
    'Project is a namespace of its own in which its members keep secrets, spaces and virtual clusters. The namespace is made and removed with the project.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the project.'),
          owner: ownerField('project'),
          allowedClusters: Type.Optional(
            Type.Array(allowedCluster, {
              description: 'Connected clusters on which instances of the project may be; left out, none.',
              maxItems: MAX_ITEMS,
              'x-kubernetes-list-type': 'atomic',
            }),
          ),
          allowedTemplates: Type.Optional(
            Type.Array(allowedTemplate, {
              description: 'Templates of the instances of the project. They are kept and not interpreted.',
              maxItems: MAX_ITEMS,
              'x-kubernetes-list-type': 'atomic',
            }),
          ),
          members: Type.Optional(
            Type.Array(member, {
              description:
                "Members of the project. They become RoleBindings in the project's namespace, one of each ClusterRole; at most 12 ClusterRoles.",
              maxItems: MAX_ITEMS,
              'x-kubernetes-list-type': 'atomic',
            }),
          ),
          access: Type.Optional(accessRules('project', {})),
          quotas: quotasField,
          maxKeyDays: Type.Optional(
            Type.Integer({
              description:
                'Longest life of a new access key of the project, in days; 0: the project has no new keys. Left out: 365. More than that takes update on projects/quotas, as does raising it.',
              format: 'int64',
            }),
          ),
        },
        { description: 'Desired state of the project.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        { conditions: Type.Optional(conditionsSchema) },
        { description: 'Observed state of the project.', default: {} },
      ),
    ),
  }),
});

export type Project = ObjectOf<typeof Project>;
