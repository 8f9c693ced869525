/** Bodies that have not come to their end: they hold no slots, but memory, and that is bounded for each share and in all. */
import { OVERLOADED } from './fairslots.js';
import type { Flow } from './shares.js';
import { mostOf } from './shares.js';

export interface PendingBody {
  /** Tells of what has come. Throws `Overloaded`. */
  grew(bytes: number): void;
  /** Further calls do nothing. */
  over(): void;
}

export interface BodyBudget {
  /** `refuse` is called where others need the room, of another share or turn. Throws `Overloaded`. */
  begin(flow: Flow, refuse: (error: Error) => void): PendingBody;
  counts(): { readonly bodies: number; readonly bytes: number };
}

export interface BodyLimits {
  readonly bodies: number;
  readonly bytes: number;
}

interface Pending {
  /** Whose turn it is of, within the share. */
  readonly turn: string;
  bytes: number;
  refuse: (error: Error) => void;
}

/** The pending bodies of one share, the oldest first. */
interface Share {
  bytes: number;
  readonly bodies: Set<Pending>;
}

export function bodyBudget(limits: BodyLimits): BodyBudget {
  const shares = new Map<string, Share>();
  let [bodies, bytes] = [0, 0];

  function remove(name: string, share: Share, one: Pending): void {
    if (!share.bodies.delete(one)) return;
    // Tables that a Set has outgrown keep what was in them for a while.
    one.refuse = () => undefined;
    bodies -= 1;
    bytes -= one.bytes;
    share.bytes -= one.bytes;
    if (share.bodies.size === 0 && shares.get(name) === share) shares.delete(name);
  }

  function cut(name: string, share: Share, one: Pending): void {
    const { refuse } = one;
    remove(name, share, one);
    refuse(OVERLOADED);
  }

  /** Refuses the newest body of the share that holds most. */
  function makeRoom(measure: (share: Share) => number): void {
    const [name, share] = [...shares].reduce((most, each) =>
      measure(each[1]) > measure(most[1]) ? each : most,
    );
    cut(name, share, [...share.bodies].at(-1)!);
  }

  /** In a share that is full: refuses the newest body of whoever has most of it, where that is more than `turn` would have. */
  function makeRoomIn(name: string, share: Share, turn: string): void {
    const counts = new Map<string, number>();
    for (const one of share.bodies) counts.set(one.turn, (counts.get(one.turn) ?? 0) + 1);
    const [most, count] = [...counts].reduce((first, each) => (each[1] > first[1] ? each : first), ['', 0]);
    if (count <= (counts.get(turn) ?? 0) + 1) throw OVERLOADED;
    cut(
      name,
      share,
      [...share.bodies].findLast((one) => one.turn === most)!,
    );
  }

  return {
    begin(flow, refuse) {
      const name = flow.share;
      const share = shares.get(name) ?? { bytes: 0, bodies: new Set() };
      if (share.bodies.size >= mostOf(limits.bodies, flow)) makeRoomIn(name, share, flow.turn);
      shares.set(name, share);
      if (bodies >= limits.bodies) makeRoom((each) => each.bodies.size);
      const one: Pending = { turn: flow.turn, bytes: 0, refuse };
      share.bodies.add(one);
      shares.set(name, share);
      bodies += 1;
      return {
        grew(more) {
          if (!share.bodies.has(one)) return;
          one.bytes += more;
          share.bytes += more;
          bytes += more;
          if (share.bytes > mostOf(limits.bytes, flow)) throw OVERLOADED;
          if (bytes > limits.bytes) makeRoom((each) => each.bytes);
        },
        over: () => remove(name, share, one),
      };
    },
    counts: () => ({ bodies, bytes }),
  };
}
