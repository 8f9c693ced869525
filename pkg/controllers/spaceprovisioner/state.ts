import type { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { withWantedConditions } from '../condition.js';

/** What is told of a space. */
export interface SpaceState {
  readonly phase: 'Pending' | 'Ready' | 'Terminating';
  /** In CamelCase; empty: nothing is to be said. */
  readonly reason: string;
  readonly message: string;
  /** When to look again, where nothing tells. */
  readonly again?: 'soon' | 'later';
}

export const READY: SpaceState = { phase: 'Ready', reason: '', message: '' };

/** Reason of a space whose cluster cannot be asked. */
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

/** Undefined where the status says so already. */
export function withState(
  copy: SpaceInstance,
  { phase, reason, message }: SpaceState,
): SpaceInstance | undefined {
  const { reason: oldReason = '', message: oldMessage = '', ...rest } = copy.status ?? {};
  const condition = {
    type: 'Ready',
    status: phase === 'Ready' ? ('True' as const) : ('False' as const),
    reason: reason === '' ? phase : reason,
    message,
  };
  const next = withWantedConditions(copy, [condition]);
  const same = rest.phase === phase && oldReason === reason && oldMessage === message;
  if (same && next === undefined) return undefined;
  const { conditions } = (next ?? copy).status ?? {};
  const said = reason === '' ? {} : { reason, message };
  return { ...copy, status: { ...rest, ...(conditions !== undefined && { conditions }), phase, ...said } };
}
