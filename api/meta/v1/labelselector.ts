import { Type } from '../../type.js';
import { labelSelectorRequirementSchema } from './labelselectorrequirement.js';
import { stringMap } from './schema.js';

export const labelSelectorSchema = Type.Object(
  {
    matchExpressions: Type.Optional(
      Type.Array(labelSelectorRequirementSchema, {
        description: 'matchExpressions is a list of label selector requirements. The requirements are ANDed.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    matchLabels: Type.Optional(
      stringMap({
        description:
          'matchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is equivalent to an element of matchExpressions, whose key field is "key", the operator is "In", and the values array contains only "value". The requirements are ANDed.',
      }),
    ),
  },
  {
    description:
      'A label selector is a label query over a set of resources. The result of matchLabels and matchExpressions are ANDed. An empty label selector matches all objects. A null label selector matches no objects.',
    'x-protobuf': { matchLabels: 1, matchExpressions: 2 },
    'x-component': 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
    'x-kubernetes-map-type': 'atomic',
  },
);
