import { Type } from '../../type.js';

export const nonResourceAttributesSchema = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'path is the URL path of the request' })),
    verb: Type.Optional(Type.String({ description: 'verb is the standard HTTP verb' })),
  },
  {
    description:
      'NonResourceAttributes includes the authorization attributes available for non-resource requests to the Authorizer interface',
    'x-protobuf': { path: 1, verb: 2 },
    'x-component': 'io.k8s.api.authorization.v1.NonResourceAttributes',
  },
);
