/** The share of each user in the audit log, in bytes, so that nobody flushes what others did out of it. */
import type { LeftOut } from './sampling.js';

/** One user who does nothing else for a week leaves a third of the log to everybody else. */
const HOURS_OF_LOG = 250;
/** Of a log whose size is not limited here: the default one. */
const DEFAULT_LOG_BYTES = 11 * 100 * 1024 * 1024;
/** The part of a share that reads leave to changes. */
const FOR_CHANGES = 0.5;
const HOUR_MS = 3_600_000;
/** Interval of reports about omitted lines, in ms. */
const TELL_MS = 10_000;
/** Maximum number of users with a share of their own; further ones have one together. */
const MAX_USERS = 10_000;
const OTHERS = 'system:others';
/** Looking for full shares takes as long as there are users: once in this time, in ms. */
const FORGET_MS = 10_000;

/** In bytes an hour. `maxBytes`: of a file; 0: no limit. `maxBackups`: rotated files that are kept; 0: all. */
export function hourlyShare({
  maxBytes,
  maxBackups,
}: {
  readonly maxBytes: number;
  readonly maxBackups: number;
}): number {
  const bytes = maxBytes === 0 || maxBackups === 0 ? DEFAULT_LOG_BYTES : maxBytes * (maxBackups + 1);
  return bytes / HOURS_OF_LOG;
}

interface Share {
  /** In bytes. */
  left: number;
  at: number;
  reads: number;
  changes: number;
  since: number;
}

/** A share fills up again within an hour. */
export class AuditShares {
  private readonly shares = new Map<string, Share>();
  private readonly total = { reads: 0, changes: 0 };
  private timer: NodeJS.Timeout | undefined;
  private forgot = -Infinity;

  /** `tell` is called with omitted lines, some seconds later. `now`: ms since 1970. */
  constructor(
    private readonly hourBytes: number,
    private readonly tell: (left: LeftOut) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Whether to write a line of this length. Reads are left out when half of the share is used up. */
  takes(user: string, bytes: number, isRead: boolean): boolean {
    const at = this.now();
    const share = this.shareOf(user, at);
    const gained = (Math.max(0, at - share.at) / HOUR_MS) * this.hourBytes;
    share.left = Math.min(this.hourBytes, share.left + gained);
    share.at = at;
    if (share.left - bytes >= (isRead ? this.hourBytes * FOR_CHANGES : 0)) {
      share.left -= bytes;
      return true;
    }
    if (share.reads + share.changes === 0) share.since = at;
    share[isRead ? 'reads' : 'changes'] += 1;
    this.total[isRead ? 'reads' : 'changes'] += 1;
    this.timer ??= setTimeout(() => this.tellAll(), TELL_MS).unref();
    return false;
  }

  /** Number of omitted lines so far. */
  leftOut(): { readonly reads: number; readonly changes: number } {
    return { ...this.total };
  }

  private tellAll(): void {
    this.timer = undefined;
    for (const [caller, share] of this.shares) {
      const { reads, changes, since } = share;
      if (reads + changes === 0) continue;
      share.reads = 0;
      share.changes = 0;
      this.tell({ caller, count: reads + changes, changes, since });
    }
  }

  private shareOf(user: string, at: number): Share {
    const known = this.shares.get(user);
    if (known !== undefined) return known;
    if (this.shares.size >= MAX_USERS) this.forgetFull(at);
    if (this.shares.size >= MAX_USERS && user !== OTHERS) return this.shareOf(OTHERS, at);
    const made: Share = { left: this.hourBytes, at, reads: 0, changes: 0, since: at };
    this.shares.set(user, made);
    return made;
  }

  /** After an hour without a line a share is full. */
  private forgetFull(at: number): void {
    if (at - this.forgot < FORGET_MS) return;
    this.forgot = at;
    for (const [user, { at: last, reads, changes }] of this.shares)
      if (reads + changes === 0 && at - last >= HOUR_MS) this.shares.delete(user);
  }
}
