import type { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import { withWantedConditions, type WantedCondition } from '../../../controllers/condition.js';

/** The reported state of a space. */
export interface SpaceState {
  readonly phase: 'Pending' | 'Ready' | 'Terminating';
  /** In CamelCase; empty: there is nothing to report. */
  readonly reason: string;
  readonly message: string;
  /** When to check again without a change. */
  readonly again?: 'soon' | 'later' | 'rarely';
  /** Of the members' rights in the namespace; absent: as it was. */
  readonly members?: WantedCondition;
}

export const READY: SpaceState = { phase: 'Ready', reason: '', message: '' };

/** The reason of a space whose cluster is unreachable. */
export const UNREACHABLE = 'ClusterUnreachable';

export const pending = (reason: string, message: string): SpaceState => ({
  phase: 'Pending',
  reason,
  message,
});

export const unreachable = (message: string): SpaceState => ({
  ...pending(UNREACHABLE, message),
  again: 'later',
});

/** Undefined if the status needs no change. */
export function withState(
  copy: SpaceInstance,
  { phase, reason, message, members }: SpaceState,
): SpaceInstance | undefined {
  const { reason: oldReason = '', message: oldMessage = '', ...rest } = copy.status ?? {};
  const condition = {
    type: 'Ready',
    status: phase === 'Ready' ? ('True' as const) : ('False' as const),
    reason: reason === '' ? phase : reason,
    message,
  };
  const next = withWantedConditions(copy, members === undefined ? [condition] : [condition, members]);
  const same = rest.phase === phase && oldReason === reason && oldMessage === message;
  if (same && next === undefined) return undefined;
  const { conditions } = (next ?? copy).status ?? {};
  const explanation = reason === '' ? {} : { reason, message };
  return {
    ...copy,
    status: { ...rest, ...(conditions !== undefined && { conditions }), phase, ...explanation },
  };
}
