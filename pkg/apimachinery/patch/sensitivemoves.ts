/** Values that must not leave their place: an error, an event or the metadata of the object would show them. */
import type { JsonValue } from '../../../api/resource.js';
import { failure, quote } from '../errors.js';
import type { CompiledSchema } from '../schema/compile.js';
import { tokensOf } from './pointer.js';
import { isMap } from './strategicmergevalue.js';

/**
 * Refuses a JSON patch that moves or copies sensitive values to where values are none: within `spec.data`, say, they may be
 * moved. Throws StatusError 422.
 */
export function refuseSensitiveMoves(patch: JsonValue, schema: Pick<CompiledSchema, 'sensitivityOf'>): void {
  if (!Array.isArray(patch)) return;
  for (const operation of patch) {
    if (!isMap(operation) || (operation['op'] !== 'move' && operation['op'] !== 'copy')) continue;
    const { from, path } = operation;
    if (typeof from !== 'string' || typeof path !== 'string') continue;
    if (schema.sensitivityOf(tokensOf(from)) === 'none') continue;
    const to = tokensOf(path);
    if (schema.sensitivityOf(to) === 'sensitive' && to[0] !== 'metadata') continue;
    throw failure(
      'Invalid',
      `a JSON patch may not move or copy ${quote(from)}, which is or holds a secret value, to ${quote(path)}, which is not secret`,
      {},
    );
  }
}

/**
 * Refuses a JSON patch that would tell its sender, who may not read the object, something of it: by a copy into the metadata
 * that the answer shows, or by a test. Throws StatusError 403.
 */
export function refuseReadingPatch(patch: JsonValue): void {
  if (!Array.isArray(patch)) return;
  for (const operation of patch) {
    if (!isMap(operation)) continue;
    const { op, from, path } = operation;
    const read = op === 'test' ? path : op === 'move' || op === 'copy' ? from : undefined;
    if (typeof read !== 'string' || isShown(tokensOf(read))) continue;
    throw failure(
      'Forbidden',
      `the operation ${quote(String(op))} of a JSON patch at ${quote(read)} takes the right to get the object`,
      {},
    );
  }
}

/** Of what the answer shows in any case: it may be compared, and copied. */
const SHOWN = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'labels', 'finalizers'];
const isShown = ([top, member = '']: readonly string[]): boolean =>
  top === 'metadata' && SHOWN.includes(member);
