import type { Logger } from '../../pkg/server/logging/log.js';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import type { Config } from './options/complete.js';
import type { ShutdownHooks } from './server/shutdownhooks.js';
import { openReport } from './server/telemetry.js';

/** Loads tracing if it is configured. */
export async function withTracing(
  config: Config,
  log: Logger,
  shutdownHooks: ShutdownHooks,
): Promise<Config> {
  const { tracingConfig } = config;
  if (tracingConfig === undefined) return config;
  const { openTracing } = await import('../../pkg/tracing/opentelemetry.js');
  const report = openReport(log);
  const failed = (error: unknown): void => report('spans cannot be exported', error);
  const tracing = openTracing(tracingConfig, SERVER_VERSION, failed);
  shutdownHooks.push(() => tracing.close());
  log.info({ endpoint: tracingConfig.url, samplingRatio: tracingConfig.ratio }, 'requests are traced');
  return { ...config, tracing };
}
