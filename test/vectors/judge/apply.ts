/** Lines of apply.jsonl: sequences of creates, updates, patches and applies. */
import { ok } from 'node:assert/strict';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { mergeKindsOf, type MergeKind } from '../mergekinds.js';
import type { StatusError } from '../../../pkg/apimachinery/errors.js';
import { runToCompletion } from '../../../pkg/apimachinery/eventloop/slices.js';
import { applySteps } from '../../../pkg/apimachinery/managedfields/applyconfig.js';
import { fieldElement } from '../../../pkg/apimachinery/managedfields/fieldpath/element.js';
import { setOf } from '../../../pkg/apimachinery/managedfields/fieldpath/fieldset.js';
import { compileMergeType } from '../../../pkg/apimachinery/managedfields/typed/mergeschema.js';
import { equalValues } from '../../../pkg/apimachinery/managedfields/fieldpath/order.js';
import { settleTimes } from '../../../pkg/apimachinery/managedfields/times.js';
import type { TrackedKind } from '../../../pkg/apimachinery/managedfields/trackedkind.js';
import { trackSteps } from '../../../pkg/apimachinery/managedfields/trackupdate.js';
import { refusalOf, same } from './same.js';

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

export interface ApplyVector {
  id: string;
  schema: string;
  live: KubeObject | null;
  ops: Operation[];
}

const UID = '00000000-0000-4000-8000-000000000001';
const CREATED = '2001-01-01T00:00:00Z';

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
    return { object: structuredClone(runToCompletion(applySteps(tracked, application))), lost: false };
  }
  const next = structuredClone(object) as unknown as KubeObject;
  next.metadata ??= {};
  if (op === 'patch-result' && live.metadata.managedFields !== undefined)
    next.metadata.managedFields = live.metadata.managedFields;
  const { managedFields, lost } = runToCompletion(trackSteps(tracked, { live, next, manager, subresource, now }));
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

function sameError(error: StatusError | undefined, wanted: NonNullable<Expected['error']>): void {
  ok(error, 'nothing is refused');
  const { status } = error;
  if (wanted.code === 500) {
    same(status.code, 400);
    knownProblems(status.message ?? '', wanted.prefix ?? '', wanted.problems ?? []);
    return;
  }
  same(
    { code: status.code, reason: status.reason, message: status.message },
    {
      code: wanted.code,
      reason: wanted.reason,
      message: wanted.message,
    },
  );
  const sorted = (causes: object[] = []): string[] => causes.map((cause) => JSON.stringify(cause)).sort();
  const shape = (wanted.causes ?? []).map(({ reason, message, field }) => ({ reason, message, field }));
  same(sorted(status.details?.causes), sorted(shape));
}

/** The library tells some of the problems, in any order; what follows `, got` prints Go values. */
function knownProblems(message: string, prefix: string, problems: readonly Problem[]): void {
  ok(message.startsWith(prefix), `${message} does not begin with ${prefix}`);
  const lines = message
    .slice(prefix.length)
    .replace(/^errors:\n {2}/, '')
    .split('\n  ');
  const known = problems.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
  for (const line of lines) ok(known.includes(line.replace(/, got .*$/, '')), `unknown problem: ${line}`);
}

function at(live: KubeObject | null, operation: Operation, tracked: TrackedKind): KubeObject {
  const { apiVersion } = operation;
  if (live === null) return { apiVersion, kind: tracked.kind, metadata: {} };
  return { ...live, apiVersion, metadata: live.metadata ?? {} };
}

type Kinds = ReadonlyMap<string, { readonly kind: MergeKind; readonly tracked: TrackedKind }>;

/** `schemas`: the kinds of schemas.json. */
export function applyJudge(schemas: Parameters<typeof mergeKindsOf>[0]): (vector: ApplyVector) => void {
  const kinds: Kinds = new Map(
    [...mergeKindsOf(schemas)].map(([name, kind]) => [name, { kind, tracked: trackedKind(kind) }]),
  );
  return (vector) => {
    let stored = vector.live;
    let schema = vector.schema;
    for (const operation of vector.ops) {
      schema = operation.schema ?? schema;
      const found = kinds.get(schema);
      if (found === undefined) throw new Error(`schemas.json has no ${schema}`);
      stored = judgeOperation(found, stored, operation);
    }
  };
}

/** Answers what is stored afterwards. */
function judgeOperation(
  { kind, tracked }: { readonly kind: MergeKind; readonly tracked: TrackedKind },
  stored: KubeObject | null,
  operation: Operation,
): KubeObject | null {
  const { error, object, changed, trackingLost = false } = operation.expect;
  const live = at(stored, operation, tracked);
  if (error !== undefined) {
    sameError(
      refusalOf(() => run(tracked, live, operation)),
      error,
    );
    return stored;
  }
  const outcome = run(tracked, live, operation);
  const after = settle(kind, operation.subresource ?? '', stored === null ? null : live, outcome.object);
  same(after, object);
  same(outcome.lost, trackingLost);
  if (stored !== null) same(!equalValues(live, after), changed);
  return after;
}
