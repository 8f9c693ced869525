import type { Static } from 'typebox';
import { Type } from '../../type.js';
import { MAX_ITEMS, names, text } from './fields.js';

const PROJECT = 'Name of a project; * stands for all.';

const resources = Type.Object(
  {
    group: text('API group; empty for the core group.'),
    resources: names(
      'Such as pods, pods/log, *, pods/* or */scale.',
      'Resources of the group; empty for all, with their subresources. With wildcards, the entries must not overlap.',
    ),
  },
  { description: 'Resources of one API group.' },
);

const virtualCluster = Type.Object(
  {
    name: text('Name of the virtual cluster; empty for all.'),
    namespace: text('Namespace of the virtual cluster; empty for all.'),
  },
  { description: 'Virtual clusters.' },
);

const rule = Type.Object(
  {
    verbs: names('A verb, such as get.', 'Verbs; empty for all.'),
    resources: Type.Optional(
      Type.Array(resources, {
        description: 'Resources; empty for all kinds in all API groups.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resourceNames: names(
      'Name of an object.',
      'Names of objects; empty for all. Takes resources to be specified.',
    ),
    namespaces: names(
      'Name of a namespace; empty for what is in none.',
      'Namespaces; empty for all and for what is in none.',
    ),
    nonResourceURLs: names(
      'A path, such as /healthz or /openapi/*.',
      'URL paths; * is allowed as the whole last step only.',
    ),
    requestTargets: names(
      'Management, Cluster, ProjectSpace, ProjectVirtualCluster or VirtualCluster.',
      'What requests are for; empty for every request.',
    ),
    cluster: text(
      'Connected cluster that requests are for. If set, the rule is for requests to clusters only.',
    ),
    virtualClusters: Type.Optional(
      Type.Array(virtualCluster, {
        description: 'Virtual clusters that requests are for; empty for no restriction.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  { description: 'Requests that are allowed. Deprecated: use projects, spaces and virtualClusters.' },
);

/** What a key or a token may be used for. A request must match one of the parts; without parts nothing is allowed. */
export const scopeSchema = Type.Object(
  {
    allowPlatformCli: Type.Optional(
      Type.Boolean({
        description: 'Allows certain read-only management requests, so that the command line client works.',
      }),
    ),
    projects: Type.Optional(
      Type.Array(
        Type.Object({ project: text(PROJECT) }, { description: 'A project with everything that is in it.' }),
        {
          description: 'Projects that may be used.',
          maxItems: MAX_ITEMS,
          'x-kubernetes-list-type': 'atomic',
        },
      ),
    ),
    spaces: Type.Optional(
      Type.Array(
        Type.Object(
          { project: text(PROJECT), space: text('Name of a space; * stands for all spaces.') },
          { description: 'A space of a project.' },
        ),
        { description: 'Spaces that may be used.', maxItems: MAX_ITEMS, 'x-kubernetes-list-type': 'atomic' },
      ),
    ),
    virtualClusters: Type.Optional(
      Type.Array(
        Type.Object(
          {
            project: text(PROJECT),
            virtualCluster: text('Name of a virtual cluster; * stands for all virtual clusters.'),
          },
          { description: 'A virtual cluster of a project.' },
        ),
        {
          description: 'Virtual clusters that may be used.',
          maxItems: MAX_ITEMS,
          'x-kubernetes-list-type': 'atomic',
        },
      ),
    ),
    rules: Type.Optional(
      Type.Array(rule, {
        description: 'Requests that are allowed. Deprecated: use projects, spaces and virtualClusters.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description:
      'What requests are allowed: those that match one of the parts. It only narrows what the owner may do; without parts it allows nothing.',
  },
);

export type Scope = Static<typeof scopeSchema>;
export type ScopeRule = NonNullable<Scope['rules']>[number];
