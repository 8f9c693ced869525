import { Type } from '../../type.js';

export const subjectSchema = Type.Object(
  {
    apiGroup: Type.Optional(
      Type.String({
        description:
          'APIGroup holds the API group of the referenced subject. Defaults to "" for ServiceAccount subjects. Defaults to "rbac.authorization.k8s.io" for User and Group subjects.',
      }),
    ),
    kind: Type.String({
      description:
        'Kind of object being referenced. Values defined by this API group are "User", "Group", and "ServiceAccount". If the Authorizer does not recognized the kind value, the Authorizer should report an error.',
      default: '',
    }),
    name: Type.String({ description: 'Name of the object being referenced.', default: '' }),
    namespace: Type.Optional(
      Type.String({
        description:
          'Namespace of the referenced object. If the object kind is non-namespace, such as "User" or "Group", and this value is not empty the Authorizer should report an error.',
      }),
    ),
  },
  {
    description:
      'Subject contains a reference to the object or user identities a role binding applies to. This can either hold a direct API object reference, or a value for non-objects such as user and group names.',
    'x-protobuf': { kind: 1, apiGroup: 2, name: 3, namespace: 4 },
    'x-component': 'io.k8s.api.rbac.v1.Subject',
    'x-kubernetes-map-type': 'atomic',
  },
);

/** The member `subjects` of every binding. */
export const bindingSubjects = Type.Optional(
  Type.Array(subjectSchema, {
    description: 'Subjects holds references to the objects the role applies to.',
    'x-kubernetes-list-type': 'atomic',
  }),
);
