/** Whose share of the slots a request takes. */
import { UNAUTHENTICATED } from '../../../authentication/groups.js';
import type { User } from '../../../authentication/interface.js';
import { networkOf } from '../../listener/networkof.js';

export interface Flow {
  /** Those of one share have together at most {@link part}. */
  readonly share: string;
  /** Within a share, those that wait are let in in turns. */
  readonly turn: string;
  /** Of all slots, up to 1. At least one slot. */
  readonly part: number;
}

/** A user has an eighth of the slots. */
const OF_A_USER = 1 / 8;
/** All who are not known have a twentieth together. */
const OF_STRANGERS = 1 / 20;

const ACCOUNT = 'system:serviceaccount:';

/**
 * By who proved to be the client, not by whom it acts as: whoever may act as others would have shares without end. Those
 * of one namespace share as its service accounts are made by one owner. Strangers take turns by `address`.
 */
export function flowOf({ name, groups }: User, address: () => string): Flow {
  if (groups.includes(UNAUTHENTICATED)) {
    return { share: UNAUTHENTICATED, turn: networkOf(address()), part: OF_STRANGERS };
  }
  if (!name.startsWith(ACCOUNT)) return { share: `user:${name}`, turn: '', part: OF_A_USER };
  const end = name.indexOf(':', ACCOUNT.length);
  return { share: end < 0 ? name : name.slice(0, end), turn: name, part: OF_A_USER };
}

/** How many of `all` a share may have. */
export const mostOf = (all: number, { part }: Flow): number => Math.max(1, Math.ceil(all * part));
