/** Assigns requests to shares of the slots. */
import { UNAUTHENTICATED } from '../../../authentication/groups.js';
import type { User } from '../../../authentication/interface.js';
import { networkOf } from '../../listener/networkof.js';

export interface Flow {
  /** Requests of one share have together at most {@link part}. */
  readonly share: string;
  /** Within a share, waiting requests are admitted turn by turn. */
  readonly turn: string;
  /** Of all slots, up to 1. At least one slot. */
  readonly part: number;
}

/** A user has an eighth of the slots. */
const OF_A_USER = 1 / 8;
/** All anonymous requests together have a twentieth. */
const OF_STRANGERS = 1 / 20;

const ACCOUNT = 'system:serviceaccount:';

/**
 * By the authenticated user, without impersonation, which would allow any number of shares. The service accounts of a
 * namespace share, as one owner can create many. Anonymous requests take turns by `address`.
 */
export function flowOf({ name, groups }: User, address: () => string): Flow {
  if (groups.includes(UNAUTHENTICATED)) {
    return { share: UNAUTHENTICATED, turn: networkOf(address()), part: OF_STRANGERS };
  }
  if (!name.startsWith(ACCOUNT)) return { share: `user:${name}`, turn: '', part: OF_A_USER };
  const end = name.indexOf(':', ACCOUNT.length);
  return { share: end < 0 ? name : name.slice(0, end), turn: name, part: OF_A_USER };
}

/** The part of `all` that a share may have. */
export const maxOf = (all: number, { part }: Flow): number => Math.max(1, Math.ceil(all * part));
