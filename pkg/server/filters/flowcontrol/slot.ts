/** The slot of one request: taken when it is let in, lent while its body has not come, given back when it is over. */
import type { BodyBudget, PendingBody } from './bodybudget.js';
import type { Release } from './fairslots.js';
import type { Flow } from './shares.js';

export interface Slot {
  /** Whose share it is of. Absent for those that are never held up. */
  readonly flow?: Flow;
  /** Further calls do nothing. */
  release(): void;
  /** Gives the slot back until {@link resume}; undefined where the body is held by nobody's share. Throws `Overloaded`. */
  awaitBody(refuse: (error: Error) => void): PendingBody | undefined;
  /** Takes the slot again. Throws or rejects: `Overloaded`. */
  resume(): Promise<void> | undefined;
}

/** For those that are never held up. */
export const NO_SLOT: Slot = {
  release: () => undefined,
  awaitBody: () => undefined,
  resume: () => undefined,
};

/** `enter` takes the slot anew. */
export function slotOf(
  flow: Flow,
  entered: Release,
  enter: () => Release | Promise<Release>,
  bodies: BodyBudget,
): Slot {
  let release: Release | undefined = entered;
  const give = (): void => {
    release?.();
    release = undefined;
  };
  return {
    flow,
    release: give,
    awaitBody(refuse) {
      const pending = bodies.begin(flow, refuse);
      give();
      return pending;
    },
    resume() {
      const again = enter();
      if (!(again instanceof Promise)) return void (release = again);
      return again.then((taken) => void (release = taken));
    },
  };
}
