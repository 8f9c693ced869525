import { TokenRequest } from '../../authentication.k8s.io/v1/tokenrequest.js';
import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { objectReferenceSchema } from './objectreference.js';

const localObjectReferenceSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description:
          'Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be empty. Instances of this type with an empty value here are almost certainly wrong. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names',
      }),
    ),
  },
  {
    description:
      'LocalObjectReference contains enough information to let you locate the referenced object inside the same namespace.',
    'x-component': 'io.k8s.api.core.v1.LocalObjectReference',
    'x-kubernetes-map-type': 'atomic',
    'x-protobuf': { name: 1 },
  },
);

export const ServiceAccount = defineResource({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  subresources: [{ name: 'token', verbs: ['create'], object: TokenRequest }],
  unconditionalUpdate: true,
  builtIn: true,
  description:
    'ServiceAccount binds together: * a name, understood by users, and perhaps by peripheral systems, for an identity * a principal that can be authenticated and authorized * a set of secrets',
  schema: Type.Object(
    {
      automountServiceAccountToken: Type.Optional(
        Type.Boolean({
          description:
            'AutomountServiceAccountToken indicates whether pods running as this service account should have an API token automatically mounted. Can be overridden at the pod level.',
          'x-keep-empty': true,
        }),
      ),
      imagePullSecrets: Type.Optional(
        Type.Array(localObjectReferenceSchema, {
          description:
            'ImagePullSecrets is a list of references to secrets in the same namespace to use for pulling any images in pods that reference this ServiceAccount. ImagePullSecrets are distinct from Secrets because Secrets can be mounted in the pod, but ImagePullSecrets are only accessed by the kubelet. More info: https://kubernetes.io/docs/concepts/containers/images/#specifying-imagepullsecrets-on-a-pod',
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
      secrets: Type.Optional(
        Type.Array(objectReferenceSchema, {
          description:
            'Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount are allowed to use. Pods are only limited to this list if this service account has a "kubernetes.io/enforce-mountable-secrets" annotation set to "true". The "kubernetes.io/enforce-mountable-secrets" annotation is deprecated since v1.32. Prefer separate namespaces to isolate access to mounted secrets. This field should not be used to find auto-generated service account token secrets for use outside of pods. Instead, tokens can be requested directly using the TokenRequest API, or service account token secrets can be manually created. More info: https://kubernetes.io/docs/concepts/configuration/secret',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'name',
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, secrets: 2, imagePullSecrets: 3, automountServiceAccountToken: 4 } },
  ),
});

export type ServiceAccount = ObjectOf<typeof ServiceAccount>;
