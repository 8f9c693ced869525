/** Limits the bytes that each user writes, so that none fills the store or stops the writes of others. */
import { failure } from '../../apimachinery/errors.js';
import { LOOPBACK_USER, type Requester } from '../requester.js';
import type { Write } from '../../storage/interface.js';

/** In bytes: what a user may write at once, and then in a second. */
export const BURST_BYTES = 16 * 1024 * 1024;
export const BYTES_PER_SECOND = 1024 * 1024;
/** Of each write, besides its key and value: what an engine stores with it, about. */
const OVERHEAD_BYTES = 128;
/** Maximum number of users with a budget of their own; further ones have one together. */
const MAX_USERS = 10_000;
const OTHERS = '';
/** Looking for full budgets takes as long as there are users: once in this time, in ms. */
const FORGET_MS = 10_000;

/** Administrators, and what the server and its cluster write themselves. */
const EXEMPT_GROUP = 'system:masters';
const EXEMPT_USERS = [LOOPBACK_USER, 'system:kube-controller-manager'];
const EXEMPT_PREFIX = 'system:serviceaccount:kube-system:';

/** In bytes. */
interface Budget {
  left: number;
  at: number;
}

export class WriteBudgets {
  private readonly budgets = new Map<string, Budget>();
  private forgot = -Infinity;

  /** `now`: ms of a clock that only grows. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Charges a commit to its writer, and returns what takes that back. Throws StatusError 429 with `Retry-After` if the
   * writer has used up the budget; a commit may overdraw it.
   */
  charge(writer: Requester, writes: Iterable<Write>): () => void {
    if (isExempt(writer)) return () => undefined;
    const budget = this.budgetOf(writer.name);
    if (budget.left <= 0) throw exceeded(budget);
    const bytes = sizeOf(writes);
    budget.left -= bytes;
    return () => {
      budget.left += bytes;
    };
  }

  private budgetOf(user: string): Budget {
    const at = this.now();
    const known = this.budgets.get(user);
    if (known !== undefined) {
      known.left = leftAt(known, at);
      known.at = at;
      return known;
    }
    if (this.budgets.size >= MAX_USERS) this.forgetFull(at);
    if (this.budgets.size >= MAX_USERS && user !== OTHERS) return this.budgetOf(OTHERS);
    const made: Budget = { left: BURST_BYTES, at };
    this.budgets.set(user, made);
    return made;
  }

  private forgetFull(at: number): void {
    if (at - this.forgot < FORGET_MS) return;
    this.forgot = at;
    for (const [user, budget] of this.budgets)
      if (leftAt(budget, at) >= BURST_BYTES) this.budgets.delete(user);
  }
}

const leftAt = ({ left, at: before }: Budget, at: number): number =>
  Math.min(BURST_BYTES, left + ((at - before) / 1000) * BYTES_PER_SECOND);

const isExempt = ({ name, groups, internal }: Requester): boolean =>
  internal === true ||
  groups.includes(EXEMPT_GROUP) ||
  EXEMPT_USERS.includes(name) ||
  name.startsWith(EXEMPT_PREFIX);

function sizeOf(writes: Iterable<Write>): number {
  let bytes = 0;
  for (const { key, value } of writes) bytes += key.length + (value?.length ?? 0) + OVERHEAD_BYTES;
  return bytes;
}

function exceeded({ left }: Budget): Error {
  const retryAfterSeconds = Math.max(1, Math.ceil(-left / BYTES_PER_SECOND));
  const most = `${BYTES_PER_SECOND} bytes a second, and ${BURST_BYTES} at once`;
  return failure('TooManyRequests', `too much is written by this user: the limit is ${most}; retry later`, {
    retryAfterSeconds,
  });
}
