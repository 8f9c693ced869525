import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { component, time } from '../../meta/v1/schema.js';

const text = (description: string) => Type.Optional(Type.String({ description }));

const namespaceCondition = Type.Object(
  {
    type: Type.String({ description: 'Type of namespace controller condition.', default: '' }),
    status: Type.String({
      description: 'Status of the condition, one of True, False, Unknown.',
      default: '',
    }),
    lastTransitionTime: Type.Optional(
      time({
        description: 'Last time the condition transitioned from one status to another.',
        default: null,
      }),
    ),
    reason: text("Unique, one-word, CamelCase reason for the condition's last transition."),
    message: text('Human-readable message indicating details about last transition.'),
  },
  {
    description: 'NamespaceCondition contains details about state of namespace.',
    'x-component': 'io.k8s.api.core.v1.NamespaceCondition',
    'x-protobuf': { type: 1, status: 2, lastTransitionTime: 4, reason: 5, message: 6 },
  },
);

const namespaceSpec = Type.Object(
  {
    finalizers: Type.Optional(
      Type.Array(Type.String({ description: 'Who empties the namespace before it goes.' }), {
        description:
          'Finalizers is an opaque list of values that must be empty to permanently remove object from storage.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description: 'NamespaceSpec describes the attributes on a Namespace.',
    'x-component': 'io.k8s.api.core.v1.NamespaceSpec',
    'x-protobuf': { finalizers: 1 },
  },
);

const namespaceStatus = Type.Object(
  {
    phase: Type.Optional(
      Type.String({
        description: 'Phase is the current lifecycle phase of the namespace.',
        'x-known-values': ['Active', 'Terminating'],
      }),
    ),
    conditions: Type.Optional(
      Type.Array(namespaceCondition, {
        description: "The latest available observations of the namespace's current state.",
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'type',
      }),
    ),
  },
  {
    description: 'NamespaceStatus is information about the current status of a Namespace.',
    'x-component': 'io.k8s.api.core.v1.NamespaceStatus',
    'x-protobuf': { phase: 1, conditions: 2 },
  },
);

export const Namespace = defineResource({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  nameRule: 'label',
  unconditionalUpdate: true,
  builtIn: true,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  selectableFields: ['status.phase'],
  subresources: [
    { name: 'finalize', verbs: ['update'] },
    { name: 'status', verbs: ['get', 'patch', 'update'] },
  ],
  description: 'Namespace provides a scope for Names. Use of multiple namespaces is optional.',
  schema: Type.Object(
    {
      spec: Type.Optional(
        component(namespaceSpec, { description: 'Spec defines the behavior of the Namespace.', default: {} }),
      ),
      status: Type.Optional(
        component(namespaceStatus, {
          description: 'Status describes the current status of a Namespace.',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type Namespace = ObjectOf<typeof Namespace>;
