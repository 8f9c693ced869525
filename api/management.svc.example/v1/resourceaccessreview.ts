import type { Static } from 'typebox';
import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { oneOf } from '../../meta/v1/schema.js';
import { flag, MAX_TEXT, names, text } from './fields.js';

/** Ways that an answer has at most. */
export const MAX_WAYS = 5_000;
const MAX_STEPS = 10;

const needed = (description: string) => Type.String({ description, maxLength: MAX_TEXT });

const asked = Type.Object(
  {
    verb: needed('Verb of the request: get, list, create, update, delete, use, …'),
    group: text('API group of the resource. Not set: the core group.'),
    resource: needed('Resource of the request, in the plural: sharedsecrets.'),
    subresource: text('Subresource of the request: status.'),
    namespace: text('Namespace of the request. Not set: all namespaces, or the cluster scope.'),
    name: text('Name of the object. Not set: all objects.'),
  },
  { description: 'The request that is asked about, as a SubjectAccessReview names it.' },
);

const SUBJECTS = ['User', 'Group', 'ServiceAccount', 'Team', 'TeamKey', 'ProjectKey', 'GroupRule'] as const;
const IN_OBJECT = ['Owner', 'AccessRule', 'Member', 'Self'] as const;
const BY_ROLES = ['RoleBinding', 'ClusterRoleBinding', 'Role', 'ClusterRole'] as const;

const step = Type.Object(
  {
    kind: oneOf([...SUBJECTS, ...IN_OBJECT, ...BY_ROLES], {
      description:
        'What it is. TeamKey: the access keys of a team itself. ProjectKey: an access key of a project. GroupRule: people to whom a group rule applies. Owner, AccessRule and Member: what the object says in spec. Self: what everybody may do with what is theirs.',
    }),
    namespace: text('Namespace of a service account, a binding or a role.'),
    name: needed('Name of it.'),
    verbs: names('A verb.', 'Verbs that it grants on the resource.'),
  },
  { description: 'A step.' },
);

export const way = Type.Object(
  {
    steps: Type.Array(step, { description: 'From who has it to what grants it.', maxItems: MAX_STEPS }),
    uncertain: flag('Set if the caller may not read the role: it may not grant the right.'),
  },
  { description: 'A way in which somebody has the right.' },
);

const SOURCES = ['object', 'rolebindings', 'roles', 'clusterrolebindings', 'clusterroles', 'teams'] as const;

/** What grants rights, or says who is in a team. */
export type RightsSource = (typeof SOURCES)[number];

/** What an answer may lack. */
export const limits = {
  unread: Type.Optional(
    Type.Array(oneOf(SOURCES, { description: 'The object, a resource of roles, or teams.' }), {
      description: 'What the caller may not read: the answer lacks what it says.',
      maxItems: SOURCES.length,
    }),
  ),
  incomplete: flag('Set if another API server decides, too: it may allow more than its roles say.'),
};

const answer = Type.Object(
  {
    allowed: flag('Whether the caller has the right.'),
    ways: Type.Optional(Type.Array(way, { description: 'Who has it, and by what.', maxItems: MAX_WAYS })),
    truncated: flag('Set if there are more ways.'),
    ...limits,
  },
  { description: 'The answer.' },
);

/** Who can do this, and by what? */
export const ResourceAccessReview = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ResourceAccessReview',
  plural: 'resourceaccessreviews',
  namespaced: false,
  verbs: ['create'],
  description:
    'ResourceAccessReview tells who can do something, and by what, as far as the caller may read it. It is answered and not kept.',
  schema: Type.Object({ spec: asked, status: Type.Optional(answer) }),
});

export type ResourceAccessReview = ObjectOf<typeof ResourceAccessReview>;

/** A way in which somebody has a right. */
export type Way = Static<typeof way>;
export type Step = Way['steps'][number];
