/** Sequences of creates, updates, patches and applies against what Kubernetes' libraries made of them. */
import { describe, expect, test } from '@jest/globals';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { readMergeKinds } from '../../../test/vectors/mergekinds.js';
import type { MergeKind } from '../../../test/vectors/mergekinds.js';
import { readVectors } from '../../../test/vectors/read.js';
import { StatusError } from '../errors.js';
import { applyConfig } from './applyconfig.js';
import { fieldElement } from './element.js';
import { setOf } from './fieldset.js';
import { compileMergeType } from './mergeschema.js';
import { equalValues } from './order.js';
import { settleTimes } from './times.js';
import type { TrackedKind } from './trackedkind.js';
import { trackUpdate } from './trackupdate.js';

interface Problem {
  path: string;
  text: string;
}

interface Expected {
  object?: KubeObject;
  changed?: boolean;
  trackingLost?: boolean;
  error?: {
    code: number;
    reason?: string;
    message?: string;
    causes?: { reason: string; message: string; field: string }[];
    prefix?: string;
    problems?: Problem[];
  };
}

interface Operation {
  op: 'create' | 'update' | 'patch-result' | 'apply';
  manager?: string;
  subresource?: string;
  force?: boolean;
  apiVersion: string;
  schema?: string;
  time: string;
  object: JsonValue;
  expect: Expected;
}

interface Vector {
  id: string;
  schema: string;
  live: KubeObject | null;
  ops: Operation[];
}

const UID = '00000000-0000-4000-8000-000000000001';
const CREATED = '2001-01-01T00:00:00Z';

const kinds = new Map(
  [...readMergeKinds()].map(([name, kind]) => [name, { kind, tracked: trackedKind(kind) }]),
);

function trackedKind({ group, kind, servedVersions, schema, resetFields }: MergeKind): TrackedKind {
  const prefix = group === '' ? '' : `${group}/`;
  const reset = new Map(
    Object.entries(resetFields).map(([subresource, paths]) => [
      subresource,
      setOf(...paths.map((path) => path.map(fieldElement))),
    ]),
  );
  return {
    group,
    kind,
    apiVersions: servedVersions.map((version) => prefix + version),
    type: compileMergeType(schema),
    always: {},
    resetFields: (subresource) => reset.get(subresource) ?? setOf(),
  };
}

interface Outcome {
  object: KubeObject;
  lost: boolean;
}

function run(tracked: TrackedKind, live: KubeObject, operation: Operation): Outcome {
  const { op, manager = '', subresource = '', force = false, time: now, object } = operation;
  if (op === 'apply') {
    const application = { live, config: object, manager, subresource, force, now };
    return { object: structuredClone(applyConfig(tracked, application)), lost: false };
  }
  const next = structuredClone(object) as unknown as KubeObject;
  next.metadata ??= {};
  if (op === 'patch-result' && live.metadata.managedFields !== undefined)
    next.metadata.managedFields = live.metadata.managedFields;
  const { managedFields, lost } = trackUpdate(tracked, { live, next, manager, subresource, now });
  return { object: withManagedFields(next, managedFields), lost: lost !== undefined };
}

function withManagedFields(
  object: KubeObject,
  managedFields: KubeObject['metadata']['managedFields'],
): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

/** What README.md has the server do around the field manager. */
function settle(
  kind: MergeKind,
  subresource: string,
  before: KubeObject | null,
  after: KubeObject,
): KubeObject {
  const object = structuredClone(after);
  const resets = Object.keys(kind.resetFields).length > 0;
  if (before === null) {
    if (resets) delete object['status'];
    object.metadata.uid = UID;
    object.metadata.creationTimestamp = CREATED;
    return object;
  }
  const settled = resets ? withReset(subresource, before, object) : object;
  settled.metadata.uid = before.metadata.uid as string;
  if (before.metadata.creationTimestamp === undefined) delete settled.metadata.creationTimestamp;
  else settled.metadata.creationTimestamp = before.metadata.creationTimestamp;
  return withManagedFields(settled, settleTimes(before, settled));
}

function withReset(subresource: string, before: KubeObject, after: KubeObject): KubeObject {
  const { status: liveStatus, ...live } = before;
  const { status, ...rest } = after;
  const kept = subresource === 'status' ? status : liveStatus;
  const object =
    subresource === 'status' ? withManagedFields(live as KubeObject, after.metadata.managedFields) : rest;
  return (kept === undefined ? object : { ...object, status: kept }) as KubeObject;
}

function expectError(error: unknown, wanted: NonNullable<Expected['error']>): void {
  if (!(error instanceof StatusError)) throw error;
  const { status } = error;
  if (wanted.code === 500) {
    expect(status.code).toBe(400);
    expectProblems(status.message ?? '', wanted.prefix ?? '', wanted.problems ?? []);
    return;
  }
  expect({ code: status.code, reason: status.reason, message: status.message }).toEqual({
    code: wanted.code,
    reason: wanted.reason,
    message: wanted.message,
  });
  const sorted = (causes: object[] = []): string[] => causes.map((cause) => JSON.stringify(cause)).sort();
  const shape = (wanted.causes ?? []).map(({ reason, message, field }) => ({ reason, message, field }));
  expect(sorted(status.details?.causes)).toEqual(sorted(shape));
}

/** The library tells some of the problems, in any order; what follows `, got` prints Go values. */
function expectProblems(message: string, prefix: string, problems: readonly Problem[]): void {
  expect(message.startsWith(prefix)).toBe(true);
  const lines = message
    .slice(prefix.length)
    .replace(/^errors:\n {2}/, '')
    .split('\n  ');
  const known = problems.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(known).toContain(line.replace(/, got .*$/, ''));
}

function at(live: KubeObject | null, operation: Operation, tracked: TrackedKind): KubeObject {
  const { apiVersion } = operation;
  if (live === null) return { apiVersion, kind: tracked.kind, metadata: {} };
  return { ...live, apiVersion, metadata: live.metadata ?? {} };
}

describe('apply', () => {
  test.each(readVectors<Vector>('apply').map((vector) => [vector.id, vector] as const))(
    '%s',
    (_id, vector) => {
      let stored = vector.live;
      let schema = vector.schema;
      for (const operation of vector.ops) {
        schema = operation.schema ?? schema;
        const { kind, tracked } = kinds.get(schema) as { kind: MergeKind; tracked: TrackedKind };
        const { error, object, changed, trackingLost = false } = operation.expect;
        const live = at(stored, operation, tracked);
        if (error !== undefined) {
          let thrown: unknown;
          try {
            run(tracked, live, operation);
          } catch (caught) {
            thrown = caught;
          }
          expectError(thrown, error);
          continue;
        }
        const outcome = run(tracked, live, operation);
        const before = stored === null ? null : live;
        const after = settle(kind, operation.subresource ?? '', before, outcome.object);
        expect(after).toEqual(object);
        expect(outcome.lost).toBe(trackingLost);
        if (stored !== null) expect(!equalValues(live, after)).toBe(changed);
        stored = after;
      }
    },
  );
});
