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
    if (schema.sensitivityOf(tokensOf(path)) === 'sensitive') continue;
    throw failure(
      'Invalid',
      `a JSON patch may not move or copy ${quote(from)}, which is or holds a secret value, to ${quote(path)}, which is not secret`,
      {},
    );
  }
}
