import { describe, expect, test } from '@jest/globals';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import { ConfigMap } from '../../../api/core/v1/configmap.js';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { KubeObject, ManagedFieldsEntry, ResourceDefinition } from '../../../api/resource.js';
import { fieldsV1Of } from '../../apimachinery/managedfields/fieldpath/fieldsv1.js';
import { blankObject } from '../../apimachinery/managedfields/trackedkind.js';
import { mutate, type AdmissionAttributes } from '../admission.js';
import { trackedKind } from './fieldmanager.js';

describe('resets fields in a write of', () => {
  test.each<[string, ResourceDefinition, string, object]>([
    ['a kind with a status', SharedSecret, '', { 'f:status': {} }],
    ['the status', SharedSecret, 'status', { 'f:metadata': {}, 'f:spec': {} }],
    ["Kubernetes' own kind", Namespace, '', { 'f:status': {} }],
    ["the status of Kubernetes' own kind", Namespace, 'status', { 'f:spec': {} }],
    ['the finalizers of a namespace', Namespace, 'finalize', { 'f:status': {} }],
    ['a kind without status', ConfigMap, '', {}],
  ])('%s', (_name, definition, subresource, fields) => {
    expect(fieldsV1Of(trackedKind(definition).resetFields(subresource))).toEqual(fields);
  });
});

test.each<[ResourceDefinition, object]>([
  [SharedSecret, { spec: {}, status: {} }],
  [Role, { rules: null }],
  [ConfigMap, {}],
])('a new object of $kind starts without managed fields', (definition, members) => {
  const kind = trackedKind(definition);
  const blank = { apiVersion: 'v1', kind: definition.kind, metadata: {}, ...members };
  expect(blankObject(kind, 'v1')).toEqual(blank);
});

describe('managedFields: mutating admission', () => {
  const entry: ManagedFieldsEntry = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
  };
  const attributes = {} as AdmissionAttributes;

  test.each<[string, ManagedFieldsEntry[] | undefined, ManagedFieldsEntry[] | undefined, number]>([
    ['may change entries', [{ ...entry, manager: 'n' }], [{ ...entry, manager: 'n' }], 0],
    ['may remove entries', undefined, undefined, 0],
    ['cannot break an entry', [{ ...entry, operation: 'Nope' }], [entry], 1],
    ['cannot set invalid fields', [{ ...entry, fieldsV1: { nope: {} } }], [entry], 1],
  ])('%s', async (_name, changed, kept, warned) => {
    const warnings: string[] = [];
    const object: KubeObject = { kind: 'K', apiVersion: 'v1', metadata: { managedFields: [entry] } };
    const plugin = {
      mutate: (_: AdmissionAttributes, { metadata }: KubeObject) => {
        if (changed === undefined) delete metadata.managedFields;
        else metadata.managedFields = changed;
        return Promise.resolve();
      },
      validate: () => Promise.resolve([]),
    };
    await mutate(plugin, attributes, object, undefined, (text) => warnings.push(text));
    expect(object.metadata.managedFields).toEqual(kept);
    expect(warnings).toHaveLength(warned);
  });
});
