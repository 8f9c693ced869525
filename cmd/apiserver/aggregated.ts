import type { Config } from './complete.js';
import type { HostConfig } from './hostconfig.js';
import type { Started } from './standalone.js';
import { StartError } from './starterror.js';

/** A server behind the API server of a cluster. Throws StartError. */
export function startAggregated(_config: Config, _host: HostConfig): Promise<Started> {
  return Promise.reject(new StartError('--mode=aggregated: this build has it not'));
}
