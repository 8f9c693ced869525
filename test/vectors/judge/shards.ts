/** Lines of shards.jsonl. The line of kind `objects` holds what the others are matched with. */
import { hashField } from '../../../pkg/apimachinery/selectors/shard/hash.js';
import { parseShardSelector } from '../../../pkg/apimachinery/selectors/shard/shardselector.js';
import { same } from './same.js';

export interface ShardVector {
  readonly id: string;
  readonly kind: 'objects' | 'hash' | 'parse';
  readonly in: string;
  readonly error?: string;
  readonly objects: readonly { readonly uid: string; readonly namespace: string }[];
}

const PREFIX = 'invalid shard selector: ';
/** Texts of the grammar are those of its generator. */
const classOf = (error: string): string =>
  error.replace(/^(CEL parse error:) (Syntax error|unsupported syntax).*/, '$1');

export function judgeShard(vector: ShardVector, { objects }: ShardVector): void {
  if (vector.kind === 'objects') return;
  const { id: _, kind: __, in: ___, ...expected } = vector;
  const error = expected.error === undefined ? {} : { error: classOf(expected.error) };
  const found = vector.kind === 'hash' ? { out: hashField(vector.in) } : outcome(vector, objects);
  same(found, { ...expected, ...error });
}

function outcome({ in: text }: ShardVector, objects: ShardVector['objects']): Record<string, unknown> {
  try {
    const selector = parseShardSelector(text);
    const valueOf = ({ uid, namespace }: (typeof objects)[number]): string =>
      selector.field === 'object.metadata.uid' ? uid : namespace;
    const matches = objects.flatMap((object, at) => (selector.matches(valueOf(object)) ? [at] : []));
    return { out: selector.toString(), matches };
  } catch (error) {
    return { error: classOf((error as Error).message.slice(PREFIX.length)) };
  }
}
