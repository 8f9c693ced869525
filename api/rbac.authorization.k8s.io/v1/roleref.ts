import { Type } from '../../type.js';

export const roleRefSchema = Type.Object(
  {
    apiGroup: Type.Optional(
      Type.String({ description: 'APIGroup is the group for the resource being referenced', default: '' }),
    ),
    kind: Type.String({ description: 'Kind is the type of resource being referenced', default: '' }),
    name: Type.String({ description: 'Name is the name of resource being referenced', default: '' }),
  },
  {
    description: 'RoleRef contains information that points to the role being used',
    'x-protobuf': { apiGroup: 1, kind: 2, name: 3 },
    'x-component': 'io.k8s.api.rbac.v1.RoleRef',
    'x-kubernetes-map-type': 'atomic',
  },
);
