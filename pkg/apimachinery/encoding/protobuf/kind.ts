/** The protobuf forms of a kind that declares them. */
import type { ResourceDefinition } from '../../../../api/resource.js';
import { codecOf, type Codec } from './codec.js';
import { declaresProtobuf, kindMessage } from './fromschema.js';
import { listOf } from './meta.js';

export interface KindProtobuf {
  readonly object: Codec;
  readonly list: Codec;
  /** The two codecs by kind. */
  readonly byKind: Readonly<Record<string, Codec>>;
}

const known = new WeakMap<object, KindProtobuf>();

/** Undefined for a kind with JSON and YAML only. */
export function protobufOf(definition: ResourceDefinition): KindProtobuf | undefined {
  if (!declaresProtobuf(definition)) return undefined;
  let forms = known.get(definition);
  if (forms === undefined) {
    const { kind } = definition;
    const object = codecOf(() => kindMessage(definition));
    const list = codecOf(() => listOf(kindMessage(definition)));
    forms = { object, list, byKind: { [kind]: object, [`${kind}List`]: list } };
    known.set(definition, forms);
  }
  return forms;
}
