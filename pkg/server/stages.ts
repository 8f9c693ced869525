/** When a request passed the stages of its life, in milliseconds of `performance.now()`; 0: it did not get there. */
export class Stages {
  fresh = 0;
  authenticated = 0;
  admitted = 0;
  authorized = 0;
}

/** Milliseconds that each stage took. A stage that was not reached, or not passed, is absent. */
export interface StageTimes {
  /** Until this server has all writes from before the request. */
  freshness?: number;
  authentication?: number;
  /** Until it was its turn among other requests (flow control). */
  queue?: number;
  authorization?: number;
  /** All the rest: the body, admission, the store, the answer as fast as the client reads it. */
  handling?: number;
}

/** @param began and `ended`: of the whole request. */
export function stageTimes(stages: Stages, began: number, ended: number): StageTimes {
  const times: StageTimes = {};
  let before = began;
  const passed = (stage: keyof StageTimes, at: number): void => {
    if (at === 0) return;
    times[stage] = rounded(at - before);
    before = at;
  };
  passed('freshness', stages.fresh);
  passed('authentication', stages.authenticated);
  passed('queue', stages.admitted);
  passed('authorization', stages.authorized);
  if (stages.authorized !== 0) passed('handling', ended);
  return times;
}

/** To microseconds. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
