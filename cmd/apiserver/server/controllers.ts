import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LEASE_NAME, runElection } from '../../../pkg/controllers/leaderelection.js';
import { CONTROLLERS } from '../../../pkg/management/controllers.js';
import { runControllers, type RunningControllers } from '../../../pkg/controllers/run.js';
import type { ResourceClient } from '../../../pkg/controllers/interface.js';
import type { ManagementSettings } from '../../../pkg/management/controllercontext.js';
import { isEnabled, isOfMode } from '../../../pkg/management/controllernames.js';
import type { ResourceStore } from '../../../pkg/registry/resourcestore.js';
import type { Leadership } from '../../../pkg/server/metrics/controllermetrics.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { controllerClient } from '../../../pkg/controllers/client/registryclient.js';

/** The options for the controllers of a process. */
export interface StartOptions extends ManagementSettings {
  readonly stores: readonly ResourceStore[];
  /** Clients of kinds at another API server. */
  readonly others?: readonly ResourceClient[];
  /** As `--controllers` lists them. */
  readonly chosen: readonly string[];
  /** Whether other servers use the same store: one of them runs the controllers. */
  readonly shared: boolean;
  /** The namespace of the Lease for leader election. */
  readonly leaseNamespace: string;
  /** Whether an API server in front of this one runs controllers that do some of the work. */
  readonly aggregated: boolean;
  readonly log: Logger;
}

/** The controllers of this process. */
export interface Controllers {
  /** Undefined while another server runs them. */
  running(): RunningControllers | undefined;
  /** Undefined if no other server can run them. */
  leadership(): Leadership | undefined;
  stop(): Promise<void>;
}

export function startControllers(settings: StartOptions): Controllers {
  const { chosen, shared, aggregated, others, leaseNamespace: namespace, log } = settings;
  // Objects with a storage alias are reconciled only in the form in which they are stored.
  const stores = settings.stores.filter(({ form }) => form === undefined);
  const mode = aggregated ? 'aggregated' : 'standalone';
  const loops = CONTROLLERS.filter(({ name }) => isEnabled(name, chosen) && isOfMode(name, mode));
  const clientFor = (user: string): ReturnType<typeof controllerClient> =>
    controllerClient(stores, user, others);
  let running: RunningControllers | undefined;
  const start = (): void => {
    running = runControllers(loops, { clientFor, log }, settings);
  };
  const stop = async (): Promise<void> => {
    const ended = running;
    running = undefined;
    await ended?.stop();
  };
  if (loops.length === 0 || !shared) {
    start();
    return { running: () => running, leadership: () => undefined, stop };
  }
  const election = runElection({
    client: clientFor('leader-election'),
    namespace,
    identity: `${hostname()}_${randomUUID()}`,
    log,
    started: start,
    stopped: stop,
  });
  const leadership = (): Leadership => ({ lease: LEASE_NAME, leads: running !== undefined });
  return { running: () => running, leadership, stop: () => election.stop() };
}
