import { Type } from 'typebox';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { conditions } from '../../conditions.js';

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
  subresources: [
    { name: 'finalize', verbs: ['update'] },
    { name: 'status', verbs: ['get', 'patch', 'update'] },
  ],
  description: 'Namespace provides a scope for Names. Use of multiple namespaces is optional.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          finalizers: Type.Optional(
            Type.Array(Type.String(), {
              description:
                'Finalizers is an opaque list of values that must be empty to permanently remove object from storage.',
              'x-kubernetes-list-type': 'atomic',
            }),
          ),
        },
        { description: 'Spec defines the behavior of the Namespace.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          phase: Type.Optional(
            Type.String({ description: 'Phase is the current lifecycle phase of the namespace.' }),
          ),
          conditions: Type.Optional(
            conditions("The latest available observations of the namespace's current state."),
          ),
        },
        { description: 'Status describes the current status of a Namespace.', default: {} },
      ),
    ),
  }),
});

export type Namespace = ObjectOf<typeof Namespace>;
