import * as rfc6902 from 'rfc6902';
import type { JsonValue } from '../../../api/resource.js';
import { badRequest, failure, tooManyValues, type StatusError } from '../errors.js';
import { MAX_DEPTH } from '../encoding/depth.js';
import { encodeJson, setMember } from '../encoding/json.js';
import { MAX_BODY_VALUES, valuesIn } from '../encoding/valuecount.js';
import { goType } from '../encoding/body.js';
import { indexOf, isContainer, locate, read, type Container, type Target } from './pointer.js';
import type { Steps } from '../eventloop/slices.js';

/** The maximum number of operations in a patch. */
const MAX_OPERATIONS = 10_000;
/** The number of operations in one step. */
const OPERATIONS_OF_STEP = 100;
/** The maximum number of list items that the operations of a patch may shift. */
const MAX_MOVED_ITEMS = 50_000_000;
/** The maximum size of all copies of a patch, in bytes of JSON. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

type Operation = { [member: string]: JsonValue };

/** The state of an application: the current document, and the size of copies. */
interface Run {
  document: Container;
  copied: number;
  copiedValues: number;
  movedItems: number;
  readonly copyLimit: number;
}

/**
 * RFC 6902 with the leniencies of Kubernetes' library (`gopkg.in/evanphx/json-patch.v4`): `replace` and `copy` of an
 * absent member succeed, `test` of an absent member against null passes, indices may be negative; only `replace` and
 * `test` reach the whole document. A `null` patch changes nothing. Neither argument is changed. The steps yield to
 * other work.
 *
 * Throws a StatusError: 400 for what is no list of operations, 413 for too many, 422 with a general text for any
 * operation that fails.
 */
export function* jsonPatchSteps(
  document: JsonValue,
  patch: JsonValue,
  copyLimit = MAX_COPIED_BYTES,
): Steps<JsonValue> {
  const operations = operationsOf(patch);
  if (operations.length > MAX_OPERATIONS) {
    throw failure(
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  if (!isContainer(document)) throw inapplicable();
  const run: Run = {
    document: clone(document),
    copied: 0,
    copiedValues: 0,
    movedItems: 0,
    copyLimit,
  };
  yield;
  yield* applyAll(run, operations);
  yield;
  if (isDeeper(run.document, MAX_DEPTH)) throw inapplicable();
  return run.document;
}

function* applyAll(run: Run, operations: readonly (Operation | null)[]): Steps<void> {
  try {
    for (const [index, operation] of operations.entries()) {
      applyOperation(run, operation ?? {});
      if (index % OPERATIONS_OF_STEP === OPERATIONS_OF_STEP - 1) yield;
    }
  } catch (error) {
    // Moves can nest a document so deep that walking it exhausts the stack.
    throw error instanceof RangeError ? inapplicable() : error;
  }
}

function operationsOf(patch: JsonValue): (Operation | null)[] {
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw badRequest(`json: cannot unmarshal ${goType(patch)} into Go value of type jsonpatch.Patch`);
  return patch.map((operation) => {
    if (typeof operation === 'object' && !Array.isArray(operation)) return operation;
    throw badRequest(`json: cannot unmarshal ${goType(operation)} into Go value of type jsonpatch.Operation`);
  });
}

/** As in Kubernetes, clients do not see the cause. */
const inapplicable = (): StatusError =>
  failure('Invalid', 'the server rejected our request due to an error in our request', {});

function applyOperation(run: Run, operation: Operation): void {
  const path = textOf(operation, 'path');
  switch (operation['op']) {
    case 'add':
      return add(run, targetOf(run, path), valueOf(operation));
    case 'remove':
      return remove(run, targetOf(run, path));
    case 'replace':
      return replace(run, path, valueOf(operation));
    case 'test':
      return test(run, path, valueOf(operation));
    case 'move':
      return move(run, textOf(operation, 'from'), path);
    case 'copy':
      return copy(run, textOf(operation, 'from'), path);
    default:
      throw inapplicable();
  }
}

function textOf(operation: Operation, member: 'path' | 'from'): string {
  const text = Object.hasOwn(operation, member) ? operation[member] : undefined;
  if (typeof text !== 'string') throw inapplicable();
  return text;
}

/** An absent value is null. */
const valueOf = (operation: Operation): JsonValue =>
  Object.hasOwn(operation, 'value') ? clone(operation['value'] ?? null) : null;

function targetOf(run: Run, path: string): Target {
  const target = locate(run.document, path);
  if (target === undefined) throw inapplicable();
  return target;
}

function add(run: Run, target: Target, value: JsonValue): void {
  const { container, key } = target;
  if (!Array.isArray(container)) return setMember(container, key, value);
  const index = key === '-' ? container.length : indexOf(key, container.length + 1);
  edit(run, container, index, 'add', value);
}

function remove(run: Run, target: Target): void {
  if (read(target) === undefined) throw inapplicable();
  const { container, key } = target;
  if (Array.isArray(container)) edit(run, container, indexOf(key, container.length), 'remove');
  else delete container[key];
}

function replace(run: Run, path: string, value: JsonValue): void {
  if (path === '') {
    if (!isContainer(value)) throw inapplicable();
    run.document = value;
    return;
  }
  const { container, key } = targetOf(run, path);
  if (!Array.isArray(container)) return setMember(container, key, value);
  edit(run, container, indexOf(key, container.length), 'replace', value);
}

function test(run: Run, path: string, expected: JsonValue): void {
  const target = path === '' ? undefined : targetOf(run, path);
  const actual = target === undefined ? run.document : read(target);
  if (actual === undefined && Array.isArray(target?.container)) throw inapplicable();
  if (!equal(actual ?? null, expected)) throw inapplicable();
}

function move(run: Run, from: string, path: string): void {
  const source = targetOf(run, from);
  const value = read(source);
  remove(run, source);
  add(run, targetOf(run, path), value ?? null);
}

function copy(run: Run, from: string, path: string): void {
  const source = targetOf(run, from);
  const value = read(source);
  if (value === undefined && Array.isArray(source.container)) throw inapplicable();
  const target = targetOf(run, path);
  // Moves may nest it deeper than any parsed text.
  if (isDeeper(value ?? null, MAX_DEPTH)) throw inapplicable();
  if (value !== undefined && value !== null) run.copied += Buffer.byteLength(encodeJson(value));
  if (run.copied > run.copyLimit) throw inapplicable();
  run.copiedValues += 1 + valuesIn(value ?? null, MAX_BODY_VALUES);
  if (run.copiedValues > MAX_BODY_VALUES) throw tooManyValues(MAX_BODY_VALUES);
  add(run, target, clone(value ?? null));
}

/**
 * Applies one strict operation on a list with the library, which inserts or removes the item; the value is set
 * afterwards, because the library's copies lose a member called `__proto__`. Members of objects are set here too: the
 * library's pointers refuse names like `constructor`, which are ordinary data in Kubernetes.
 */
function edit(
  run: Run,
  list: JsonValue[],
  index: number | undefined,
  op: 'add' | 'remove' | 'replace',
  value: JsonValue = null,
): void {
  if (index === undefined) throw inapplicable();
  if (op !== 'replace') run.movedItems += list.length - index;
  if (run.movedItems > MAX_MOVED_ITEMS) throw tooManyMoves();
  const [error] = rfc6902.applyPatch(list, [{ op, path: `/${index}`, value: null }]);
  if (error !== null && error !== undefined) throw inapplicable();
  if (op !== 'remove') list[index] = value;
}

const tooManyMoves = (): StatusError =>
  failure(
    'RequestEntityTooLarge',
    `Request entity too large: the JSON patch moves more than ${MAX_MOVED_ITEMS} items of lists`,
  );

function equal(a: JsonValue, b: JsonValue): boolean {
  if (!isContainer(a) || !isContainer(b)) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equal(item, b[index] ?? null));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal(a[name] ?? null, b[name] ?? null));
}

function isDeeper(value: JsonValue, limit: number): boolean {
  if (!isContainer(value)) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, limit - 1));
  for (const name in value) if (isDeeper(value[name] ?? null, limit - 1)) return true;
  return false;
}

function clone(value: Container): Container;
function clone(value: JsonValue): JsonValue;
function clone(value: JsonValue): JsonValue {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(clone);
  const out: { [member: string]: JsonValue } = {};
  for (const name of Object.keys(value)) setMember(out, name, clone(value[name] ?? null));
  return out;
}
