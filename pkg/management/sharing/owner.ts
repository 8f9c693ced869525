/** `spec.owner` of the kinds that have one. */
import type { KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { TEAM_GROUP, type Owner } from './rights.js';
import type { TableColumn } from '../../registry/strategy.js';
import { textColumn } from '../columns.js';

interface Ownable extends KubeObject {
  readonly spec?: { readonly owner?: Owner };
}

export function ownerOf({ spec }: Ownable): Owner | undefined {
  return spec?.owner;
}

function isOwned(object: KubeObject): boolean {
  const { user = '', team = '' } = ownerOf(object) ?? {};
  return user !== '' || team !== '';
}

/** Sets the creator as the owner of a new object without one. */
export function giveOwner(object: KubeObject, creator: string): void {
  if (isOwned(object)) return;
  const owner: Owner = creator.startsWith(TEAM_GROUP)
    ? { team: creator.slice(TEAM_GROUP.length) }
    : { user: creator };
  object.spec = { ...membersOf(object.spec), owner };
}

/** Keeps the owner that an update omits. */
export function keepOwner(next: KubeObject, previous: KubeObject): void {
  const owner = ownerOf(previous);
  if (isOwned(next) || owner === undefined) return;
  next.spec = { ...membersOf(next.spec), owner: structuredClone(owner) };
}

/** `noun`: the name of the kind: `secret`. */
export function ownerColumn(noun: string, priority = 0): TableColumn {
  const text = (object: KubeObject): string => {
    const { user = '', team = '' } = ownerOf(object) ?? {};
    return user === '' ? team : user;
  };
  return textColumn('Owner', `The user or team that owns the ${noun}.`, text, priority);
}
