import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { labelSelectorAttributesSchema } from './labelselectorattributes.js';
import { fieldSelectorRequirementSchema } from '../../meta/v1/fieldselectorrequirement.js';

const fieldSelectorAttributesSchema = Type.Object(
  {
    rawSelector: Type.Optional(
      Type.String({
        description:
          "rawSelector is the serialization of a field selector that would be included in a query parameter. Webhook implementations are encouraged to ignore rawSelector. The kube-apiserver's *SubjectAccessReview will parse the rawSelector as long as the requirements are not present.",
      }),
    ),
    requirements: Type.Optional(
      Type.Array(fieldSelectorRequirementSchema, {
        description:
          'requirements is the parsed interpretation of a field selector. All requirements must be met for a resource instance to match the selector. Webhook implementations should handle requirements, but how to handle them is up to the webhook. Since requirements can only limit the request, it is safe to authorize as unlimited request if the requirements are not understood.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description:
      'FieldSelectorAttributes indicates a field limited access. Webhook authors are encouraged to * ensure rawSelector and requirements are not both set * consider the requirements field if set * not try to parse or consider the rawSelector field if set. This is to avoid another CVE-2022-2880 (i.e. getting different systems to agree on how exactly to parse a query is not something we want), see https://www.oxeye.io/resources/golang-parameter-smuggling-attack for more details. For the *SubjectAccessReview endpoints of the kube-apiserver: * If rawSelector is empty and requirements are empty, the request is not limited. * If rawSelector is present and requirements are empty, the rawSelector will be parsed and limited if the parsing succeeds. * If rawSelector is empty and requirements are present, the requirements should be honored * If rawSelector is present and requirements are present, the request is invalid.',
    'x-protobuf': { rawSelector: 1, requirements: 2 },
    'x-component': 'io.k8s.api.authorization.v1.FieldSelectorAttributes',
  },
);

export const resourceAttributesSchema = Type.Object(
  {
    fieldSelector: Type.Optional(
      component(fieldSelectorAttributesSchema, {
        description:
          'fieldSelector describes the limitation on access based on field. It can only limit access, not broaden it.',
      }),
    ),
    group: Type.Optional(
      Type.String({ description: 'group is the API Group of the Resource. "*" means all.' }),
    ),
    labelSelector: Type.Optional(
      component(labelSelectorAttributesSchema, {
        description:
          'labelSelector describes the limitation on access based on labels. It can only limit access, not broaden it.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        description:
          'name is the name of the resource being requested for a "get" or deleted for a "delete". "" (empty) means all.',
      }),
    ),
    namespace: Type.Optional(
      Type.String({
        description:
          'namespace is the namespace of the action being requested. Currently, there is no distinction between no namespace and all namespaces "" (empty) is defaulted for LocalSubjectAccessReviews "" (empty) is empty for cluster-scoped resources "" (empty) means "all" for namespace scoped resources from a SubjectAccessReview or SelfSubjectAccessReview',
      }),
    ),
    resource: Type.Optional(
      Type.String({ description: 'resource is one of the existing resource types. "*" means all.' }),
    ),
    subresource: Type.Optional(
      Type.String({ description: 'subresource is one of the existing resource types. "" means none.' }),
    ),
    verb: Type.Optional(
      Type.String({
        description:
          'verb is a kubernetes resource API verb, like: get, list, watch, create, update, delete, proxy. "*" means all.',
      }),
    ),
    version: Type.Optional(
      Type.String({ description: 'version is the API Version of the Resource. "*" means all.' }),
    ),
  },
  {
    description:
      'ResourceAttributes includes the authorization attributes available for resource requests to the Authorizer interface',
    'x-protobuf': {
      namespace: 1,
      verb: 2,
      group: 3,
      version: 4,
      resource: 5,
      subresource: 6,
      name: 7,
      fieldSelector: 8,
      labelSelector: 9,
    },
    'x-component': 'io.k8s.api.authorization.v1.ResourceAttributes',
  },
);
