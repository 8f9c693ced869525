import { OVERLOADED } from './fairslots.js';
import { maxOf, type Flow } from './shares.js';

export interface PendingBody {
  /** Counts bytes that were received. Throws `Overloaded`. */
  grew(bytes: number): void;
  /** Further calls do nothing. */
  over(): void;
}

export interface BodyLimits {
  readonly bodies: number;
  readonly bytes: number;
}

interface Pending {
  /** The flow's turn within the share. */
  readonly turn: string;
  bytes: number;
  refuse: (error: Error) => void;
}

/** The pending bodies of one share, oldest first. */
interface Share {
  bytes: number;
  readonly bodies: Set<Pending>;
}

/** Limits the memory of request bodies that have not ended, for each share and in total. They hold no slots. */
export class BodyBudget {
  private readonly shares = new Map<string, Share>();
  private bodies = 0;
  private bytes = 0;

  constructor(private readonly limits: BodyLimits) {}

  /** `refuse` is called if another share or turn needs the room. Throws `Overloaded`. */
  begin(flow: Flow, refuse: (error: Error) => void): PendingBody {
    const name = flow.share;
    const share = this.shares.get(name) ?? { bytes: 0, bodies: new Set() };
    if (share.bodies.size >= maxOf(this.limits.bodies, flow)) this.makeRoomIn(name, share, flow.turn);
    this.shares.set(name, share);
    if (this.bodies >= this.limits.bodies) this.makeRoom((each) => each.bodies.size);
    const pending: Pending = { turn: flow.turn, bytes: 0, refuse };
    share.bodies.add(pending);
    this.shares.set(name, share);
    this.bodies += 1;
    const maxBytes = maxOf(this.limits.bytes, flow);
    return {
      grew: (more) => {
        if (!share.bodies.has(pending)) return;
        pending.bytes += more;
        share.bytes += more;
        this.bytes += more;
        if (share.bytes > maxBytes) throw OVERLOADED;
        if (this.bytes > this.limits.bytes) this.makeRoom((each) => each.bytes);
      },
      over: () => this.remove(name, share, pending),
    };
  }

  counts(): { readonly bodies: number; readonly bytes: number } {
    return { bodies: this.bodies, bytes: this.bytes };
  }

  private remove(name: string, share: Share, pending: Pending): void {
    if (!share.bodies.delete(pending)) return;
    // A Set that shrinks keeps its old entries in memory for a while.
    pending.refuse = () => undefined;
    this.bodies -= 1;
    this.bytes -= pending.bytes;
    share.bytes -= pending.bytes;
    if (share.bodies.size === 0 && this.shares.get(name) === share) this.shares.delete(name);
  }

  private evict(name: string, share: Share, pending: Pending): void {
    const { refuse } = pending;
    this.remove(name, share, pending);
    refuse(OVERLOADED);
  }

  /** Refuses the newest body of the largest share. */
  private makeRoom(measure: (share: Share) => number): void {
    const [name, share] = [...this.shares].reduce((most, each) =>
      measure(each[1]) > measure(most[1]) ? each : most,
    );
    this.evict(name, share, [...share.bodies].at(-1)!);
  }

  /** In a full share: refuses the newest body of the turn with the most bodies, unless `turn` would then have more. */
  private makeRoomIn(name: string, share: Share, turn: string): void {
    const counts = new Map<string, number>();
    for (const pending of share.bodies) counts.set(pending.turn, (counts.get(pending.turn) ?? 0) + 1);
    const [most, count] = [...counts].reduce((first, each) => (each[1] > first[1] ? each : first), ['', 0]);
    if (count <= (counts.get(turn) ?? 0) + 1) throw OVERLOADED;
    const newest = [...share.bodies].findLast((pending) => pending.turn === most)!;
    this.evict(name, share, newest);
  }
}
