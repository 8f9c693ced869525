/** Objects that follow from those of another kind, and are served but not stored. */
import type { KubeObject, ObjectKey, ResourceDefinition } from '../../../api/resource.js';
import type { Derivation } from '../../cache/interface.js';
import type { RecordCodec } from './record.js';

export interface DerivedObjects extends Pick<Derivation, 'owns' | 'beginning' | 'read'> {
  /** Their kinds, each with an object of every name, in the scope of the kind that they follow from. */
  readonly kinds: readonly DerivedKind[];
  /** The object of this name, with all its metadata but the resourceVersion. `content`: as `read` returned it. */
  object(this: void, content: string, kind: DerivedKind, key: ObjectKey): KubeObject;
}

export type DerivedKind = Pick<ResourceDefinition, 'group' | 'plural'>;

/** How an own kind is named in the cache, and how its objects are serialized. */
export interface ServedForm {
  readonly resource: string;
  readonly codec: Pick<RecordCodec, 'encode' | 'serve'>;
}

/** Undefined if this server does not have one of the kinds in its own store: others write the objects then. */
export function derivationOf(
  { kinds, object, ...rest }: DerivedObjects,
  find: (kind: DerivedKind) => ServedForm | undefined,
): Derivation | undefined {
  const forms = kinds.flatMap((kind) => {
    const found = find(kind);
    if (found === undefined) return [];
    const { resource, codec } = found;
    const encode = (content: string, key: ObjectKey, revision: number): Buffer =>
      codec.serve(codec.encode(object(content, kind, key)), revision);
    return [{ resource, encode }];
  });
  return forms.length < kinds.length ? undefined : { ...rest, forms };
}
