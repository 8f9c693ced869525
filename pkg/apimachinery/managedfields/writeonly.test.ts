import { describe, expect, test } from '@jest/globals';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { OBJECT_META, type JsonSchema } from '../schema/jsonschema.js';
import { runToCompletion } from '../eventloop/slices.js';
import { applySteps } from './applyconfig.js';
import { setOf } from './fieldpath/fieldset.js';
import { compileMergeType } from './typed/mergeschema.js';
import { blankObject, type TrackedKind } from './trackedkind.js';
import { trackSteps } from './trackupdate.js';
import { LAST_APPLIED, redactLastApplied, withoutWriteOnly } from './writeonly.js';

const text: JsonSchema = { type: 'string' };
const schema: JsonSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: OBJECT_META,
    spec: { type: 'object', properties: { user: text, key: { ...text, writeOnly: true } } },
  },
};
const kind: TrackedKind = {
  group: '',
  kind: 'Key',
  apiVersions: ['v1'],
  type: compileMergeType(schema),
  always: {},
  resetFields: () => setOf(),
};
const now = '2026-01-01T00:00:00Z';
const config = (
  spec: { [member: string]: JsonValue },
  metadata: { [member: string]: JsonValue } = {},
): JsonValue => ({
  apiVersion: 'v1',
  kind: 'Key',
  metadata: { name: 'k', ...metadata },
  spec,
});

function apply(live: KubeObject, manager: string, body: JsonValue, force = false): KubeObject {
  return runToCompletion(applySteps(kind, { live, config: body, manager, subresource: '', force, now }));
}

/** The object as stored. */
function stored(object: KubeObject): KubeObject {
  const copy = withoutWriteOnly(kind.type, object as unknown as JsonValue) as unknown as KubeObject;
  return { ...copy, metadata: { ...copy.metadata, uid: 'u' } };
}

const fields = (object: KubeObject): unknown =>
  object.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);

describe('write-only fields', () => {
  test('are owned without being stored, until the manager gives them up', () => {
    const first = apply(blankObject(kind, 'v1'), 'm', config({ user: 'u', key: 'secret' }));
    expect(first).toMatchObject({ spec: { user: 'u', key: 'secret' } });
    const live = stored(first);
    expect(JSON.stringify(live)).not.toContain('secret');
    expect(fields(live)).toEqual([{ 'f:spec': { 'f:user': {}, 'f:key': {} } }]);
    const next = { ...live, spec: { user: 'v' } };
    const { managedFields } = runToCompletion(
      trackSteps(kind, { live, next, manager: 'n', subresource: '', now }),
    );
    expect(managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([
      { 'f:spec': { 'f:key': {} } },
      { 'f:spec': { 'f:user': {} } },
    ]);
    const without = apply(live, 'm', config({ user: 'u' }));
    expect(fields(without)).toEqual([{ 'f:spec': { 'f:user': {} } }]);
    expect(without).toMatchObject({ spec: { user: 'u' } });
  });

  test('conflict when another manager sets them', () => {
    const live = stored(apply(blankObject(kind, 'v1'), 'm', config({ key: 'secret' })));
    expect(() => apply(live, 'n', config({ key: 'other' }))).toThrow('conflict with "m": .spec.key');
    expect(fields(apply(live, 'n', config({ key: 'other' }), true))).toEqual([{ 'f:spec': { 'f:key': {} } }]);
  });

  test('do not appear in errors', () => {
    const wrong = (): KubeObject => apply(blankObject(kind, 'v1'), 'm', config({ key: 12345 }));
    expect(wrong).toThrow('.spec.key: expected string, got ');
    expect(wrong).not.toThrow('12345');
  });

  test("are removed from kubectl's annotation", () => {
    const live = stored(
      apply(
        blankObject(kind, 'v1'),
        'kubectl-client-side-apply',
        config({}, { annotations: { [LAST_APPLIED]: '{}' } }),
      ),
    );
    const object = apply(live, 'kubectl', config({ user: 'u', key: 'secret' }), true);
    const annotation = object.metadata.annotations?.[LAST_APPLIED] ?? '';
    expect(JSON.parse(annotation)).toEqual(config({ user: 'u' }));
    expect(annotation.endsWith('\n')).toBe(true);
  });

  test.each([
    ['{"spec":{"user":"u","key":"secret"}}', '{"spec":{"user":"u"}}\n'],
    ['{"spec":{"key":"secret"}}', '{"spec":null}\n'],
    ['{"spec":["secret"]}', '{"spec":null}\n'],
    ['{"spec":{"key":"secret"', undefined],
  ])('are removed from the annotation %j of a client', (sent, kept) => {
    const annotations: Record<string, string> = { other: 'a', [LAST_APPLIED]: sent };
    redactLastApplied(kind.type, { annotations });
    expect(annotations).toEqual({ other: 'a', ...(kept !== undefined && { [LAST_APPLIED]: kept }) });
  });
});
