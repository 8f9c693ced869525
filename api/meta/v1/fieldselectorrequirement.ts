import { Type } from '../../type.js';

export const fieldSelectorRequirementSchema = Type.Object(
  {
    key: Type.String({
      description: 'key is the field selector key that the requirement applies to.',
      default: '',
    }),
    operator: Type.String({
      description:
        "operator represents a key's relationship to a set of values. Valid operators are In, NotIn, Exists, DoesNotExist. The list of operators may grow in the future.",
      default: '',
    }),
    values: Type.Optional(
      Type.Array(Type.String({ description: 'A value.' }), {
        description:
          'values is an array of string values. If the operator is In or NotIn, the values array must be non-empty. If the operator is Exists or DoesNotExist, the values array must be empty.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description:
      'FieldSelectorRequirement is a selector that contains values, a key, and an operator that relates the key and values.',
    'x-protobuf': { key: 1, operator: 2, values: 3 },
    'x-component': 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement',
  },
);
