/** The slot of one request: taken when it is let in, lent while its body has not come, given back when it is over. */
import type { BodyBudget, PendingBody } from './bodybudget.js';
import type { Release } from './fairslots.js';
import type { Flow } from './shares.js';

export interface Slot {
  /** Its share. Absent for exempt requests. */
  readonly flow?: Flow;
  /** Further calls do nothing. */
  release(): void;
  /** Releases the slot until {@link resume}; undefined for exempt requests. Throws `Overloaded`. */
  awaitBody(refuse: (error: Error) => void): PendingBody | undefined;
  /** Takes the slot again. Throws or rejects: `Overloaded`. */
  resume(): Promise<void> | undefined;
}

/** For exempt requests. */
export const NO_SLOT: Slot = {
  release: () => undefined,
  awaitBody: () => undefined,
  resume: () => undefined,
};

/** `enter` takes the slot again. */
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
