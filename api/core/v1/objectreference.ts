import { Type } from '../../type.js';

export const objectReferenceSchema = Type.Object(
  {
    apiVersion: Type.Optional(Type.String({ description: 'API version of the referent.' })),
    fieldPath: Type.Optional(
      Type.String({
        description:
          'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
      }),
    ),
    kind: Type.Optional(
      Type.String({
        description:
          'Kind of the referent. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
      }),
    ),
    name: Type.Optional(
      Type.String({
        description:
          'Name of the referent. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names',
      }),
    ),
    namespace: Type.Optional(
      Type.String({
        description:
          'Namespace of the referent. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/',
      }),
    ),
    resourceVersion: Type.Optional(
      Type.String({
        description:
          'Specific resourceVersion to which this reference is made, if any. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#concurrency-control-and-consistency',
      }),
    ),
    uid: Type.Optional(
      Type.String({
        description:
          'UID of the referent. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#uids',
      }),
    ),
  },
  {
    description:
      'ObjectReference contains enough information to let you inspect or modify the referred object.',
    'x-component': 'io.k8s.api.core.v1.ObjectReference',
    'x-kubernetes-map-type': 'atomic',
    'x-protobuf': {
      kind: 1,
      namespace: 2,
      name: 3,
      uid: 4,
      apiVersion: 5,
      resourceVersion: 6,
      fieldPath: 7,
    },
  },
);
