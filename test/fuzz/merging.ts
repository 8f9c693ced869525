/** Fuzz targets that merge: strategic merge patches, applied configurations, and the field sets of their owners. */
import { ServiceAccount } from '../../api/core/v1/serviceaccount.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import type { JsonValue, KubeObject, ResourceDefinition } from '../../api/resource.js';
import { decodeBody } from '../../pkg/apimachinery/encoding/body.js';
import { DecodeError, decodeJson } from '../../pkg/apimachinery/encoding/json.js';
import { runToCompletion } from '../../pkg/apimachinery/eventloop/slices.js';
import { applySteps } from '../../pkg/apimachinery/managedfields/applyconfig.js';
import { ElementError } from '../../pkg/apimachinery/managedfields/fieldpath/element.js';
import { readFieldsV1 } from '../../pkg/apimachinery/managedfields/fieldpath/fieldsv1.js';
import { printFieldsV1 } from '../../pkg/apimachinery/managedfields/testing/printfieldsv1.js';
import { MEDIA_TYPE } from '../../pkg/apimachinery/negotiation.js';
import { decodeStrategicMergePatch } from '../../pkg/apimachinery/patch/decode.js';
import { applyStrategicMergePatch } from '../../pkg/apimachinery/patch/strategicmerge.js';
import { compilePatchType } from '../../pkg/apimachinery/patch/strategicmergetype.js';
import { trackedKind } from '../../pkg/registry/object/fieldmanager.js';
import { seedsOf } from './seeds.js';
import type { FuzzTarget } from './targets.js';

const NOW = '2026-01-01T00:00:00Z';

/** Applies the input to an empty object, then to what came of it as another manager. */
function applyTarget(definition: ResourceDefinition, configs: readonly string[]): FuzzTarget {
  const kind = trackedKind(definition);
  const apiVersion = definition.group === '' ? 'v1' : `${definition.group}/${definition.version}`;
  const application = { subresource: '', force: true, now: NOW };
  return {
    name: `apply-${definition.plural}`,
    seeds: () => configs.map((text) => Buffer.from(text)),
    read: (input) => {
      const { value } = decodeBody(input, MEDIA_TYPE.yaml, false, { kind: definition.kind });
      const live: KubeObject = { kind: definition.kind, apiVersion, metadata: { name: 'a' } };
      const first = runToCompletion(
        applySteps(kind, { ...application, live, config: value, manager: 'one' }),
      );
      runToCompletion(applySteps(kind, { ...application, live: first, config: value, manager: 'two' }));
    },
  };
}

const ACCOUNT: JsonValue = {
  kind: 'ServiceAccount',
  apiVersion: 'v1',
  metadata: { name: 'a', finalizers: ['x', 'y'], ownerReferences: [{ uid: 'u', kind: 'K', name: 'n' }] },
  secrets: [{ name: 'a' }, { name: 'b' }],
};
const patchType = compilePatchType(ServiceAccount);

export const MERGING_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'strategic-merge-patch',
    seeds: () => [
      ...seedsOf('strategicmerge', (line) => [JSON.stringify(line.patch)]).slice(0, 300),
      Buffer.from(
        '{"secrets":[{"name":"c"},{"$patch":"delete","name":"a"}],"$setElementOrder/secrets":[{"name":"b"}]}',
      ),
    ],
    read: (input) => {
      applyStrategicMergePatch(
        ACCOUNT,
        runToCompletion(decodeStrategicMergePatch(input, 'Strict')).value,
        patchType,
      );
    },
  },
  {
    name: 'field-set',
    seeds: () => seedsOf('fieldset', (line) => (line.kind === 'read' ? [line.in] : [])).slice(0, 300),
    read: (input) => {
      try {
        printFieldsV1(readFieldsV1(decodeJson(input).value));
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof ElementError)) throw error;
      }
    },
  },
  applyTarget(SharedSecret, [
    'apiVersion: management.svc.example/v1\nkind: SharedSecret\nmetadata: {name: a, labels: {a: b}}\nspec:\n  data: {k: dg==}\n  access: [{users: [u], verbs: [get]}]\n',
  ]),
  applyTarget(ServiceAccount, [
    'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, finalizers: [x/y]}\nsecrets: [{name: a}, {name: b}]\n',
    '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a","ownerReferences":[{"uid":"u"}]}}',
  ]),
];
