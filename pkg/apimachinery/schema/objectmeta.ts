import type { SchemaNode } from './node.js';

const string: SchemaNode = { type: 'string' };
const strings: SchemaNode = { type: 'object', additionalProperties: string };

/** `meta/v1 ObjectMeta`, for decoding: members and types. */
export const OBJECT_META: SchemaNode = {
  type: 'object',
  properties: {
    name: string,
    generateName: string,
    namespace: string,
    selfLink: string,
    uid: string,
    resourceVersion: string,
    generation: { type: 'integer' },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: strings,
    annotations: strings,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: string,
          kind: string,
          name: string,
          uid: string,
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
    finalizers: { type: 'array', items: string },
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          manager: string,
          operation: string,
          apiVersion: string,
          time: { type: 'string', format: 'date-time' },
          fieldsType: string,
          fieldsV1: { 'x-kubernetes-preserve-unknown-fields': true },
          subresource: string,
        },
      },
    },
  },
};
