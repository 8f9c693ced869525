import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { fieldSelectorAttributesSchema } from './fieldselectorattributes.js';
import { labelSelectorAttributesSchema } from './labelselectorattributes.js';

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
