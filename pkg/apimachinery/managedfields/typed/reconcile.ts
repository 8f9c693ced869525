/** Converts field sets of an older schema (`structured-merge-diff/v6/typed`, reconcile_schema.go). */
import type { FieldNode, FieldSet } from '../fieldpath/fieldset.js';
import type { FieldType, MapType, MergeType } from './mergeschema.js';

/** If a type became atomic, owning a part becomes owning the whole. If it became granular, the whole stays owned. */
export function reconcileSet(type: MergeType, set: FieldSet): FieldSet {
  let changed: Map<string, FieldNode> | undefined;
  for (const [element, node] of set) {
    const below = typeBelow(type, element);
    const next = below === undefined ? node : reconcileNode(below, node);
    if (next === node) continue;
    changed ??= new Map(set);
    changed.set(element, next);
  }
  return changed ?? set;
}

const WHOLE: FieldNode = Object.freeze({ member: true, children: undefined });

function reconcileNode(type: MergeType, node: FieldNode): FieldNode {
  const { map, scalar, list } = type;
  const { children } = node;
  if (children === undefined) return node;
  if (map !== undefined) {
    if (isUntyped(map)) return node;
    if (map.atomic) return WHOLE;
  } else if (scalar !== undefined) {
    return node;
  } else if (list?.relation === 'atomic') {
    return WHOLE;
  }
  const next = reconcileSet(type, children);
  return next === children ? node : { member: node.member, children: next };
}

/** Free-form data has no rules that could change. */
const isUntyped = (map: MapType): boolean => map.fields.size === 0 && map.values?.scalar === 'untyped';

function typeBelow({ map, scalar, list }: MergeType, element: string): MergeType | undefined {
  if (map !== undefined) return fieldOf(map, element)?.type ?? map.values;
  return scalar !== undefined ? undefined : list?.items;
}

function fieldOf(map: MapType | undefined, element: string): FieldType | undefined {
  return element.startsWith('f:') ? map?.fields.get(element.slice(2)) : undefined;
}

/** The set, with the named fields on the paths to its members. */
export function withNamedFields(type: MergeType | undefined, set: FieldSet): FieldSet {
  const out = new Map<string, FieldNode>();
  for (const [element, node] of set) {
    const { children } = node;
    if (children === undefined) {
      out.set(element, node);
      continue;
    }
    const field = fieldOf(type?.map, element);
    const below = withNamedFields(field?.type ?? otherType(type, element), children);
    out.set(element, { member: node.member || field !== undefined, children: below });
  }
  return out;
}

function otherType(type: MergeType | undefined, element: string): MergeType | undefined {
  if (element.startsWith('f:')) return type?.map?.values;
  return element.startsWith('k:') ? type?.list?.items : undefined;
}
