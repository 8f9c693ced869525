/** Bodies that have not come to their end: they hold no slots, but memory, and that is bounded for each share and in all. */
import { Overloaded } from './fairslots.js';
import type { Flow } from './shares.js';
import { mostOf } from './shares.js';

export interface PendingBody {
  /** Tells of what has come. Throws {@link Overloaded}. */
  grew(bytes: number): void;
  /** Further calls do nothing. */
  over(): void;
}

export interface BodyBudget {
  /** `refuse` is called where another share needs the room. Throws {@link Overloaded}. */
  begin(flow: Flow, refuse: (error: Error) => void): PendingBody;
  counts(): { readonly bodies: number; readonly bytes: number };
}

export interface BodyLimits {
  readonly bodies: number;
  readonly bytes: number;
}

interface Pending {
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

  /** Refuses the newest body of the share that holds most. */
  function makeRoom(measure: (share: Share) => number): void {
    const [name, share] = [...shares].reduce((most, each) =>
      measure(each[1]) > measure(most[1]) ? each : most,
    );
    const newest = [...share.bodies].at(-1) as Pending;
    const { refuse } = newest;
    remove(name, share, newest);
    refuse(new Overloaded());
  }

  return {
    begin(flow, refuse) {
      const name = flow.share;
      const share = shares.get(name) ?? { bytes: 0, bodies: new Set() };
      if (share.bodies.size >= mostOf(limits.bodies, flow)) throw new Overloaded();
      shares.set(name, share);
      if (bodies >= limits.bodies) makeRoom((each) => each.bodies.size);
      const one: Pending = { bytes: 0, refuse };
      share.bodies.add(one);
      shares.set(name, share);
      bodies += 1;
      return {
        grew(more) {
          if (!share.bodies.has(one)) return;
          one.bytes += more;
          share.bytes += more;
          bytes += more;
          if (share.bytes > mostOf(limits.bytes, flow)) throw new Overloaded();
          if (bytes > limits.bytes) makeRoom((each) => each.bytes);
        },
        over: () => remove(name, share, one),
      };
    },
    counts: () => ({ bodies, bytes }),
  };
}
