import type { Logger } from '../../pkg/server/log.js';
import type { Closers } from './closers.js';
import type { Config } from './complete.js';
import type { HostConfig } from './hostconfig.js';
import type { Started } from './standalone.js';
export async function startAggregated(
  _config: Config,
  _host: HostConfig,
  _log: Logger,
  _closers: Closers,
): Promise<Started> {
  return Promise.reject(new Error('not yet'));
}
