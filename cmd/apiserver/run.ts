import { setTimeout } from 'node:timers/promises';
import { createLog, type Logger } from '../../pkg/server/logging/log.js';
import { closeAll, stop, type ShutdownHooks } from './server/shutdownhooks.js';
import type { Config } from './options/complete.js';
import { openOperations, openReport } from './server/telemetry.js';
import { revealingOptions } from './memory.js';
import type { Started } from './standalone/standalone.js';
import { SERVER_VERSION } from '../../pkg/server/version.js';

/** A running server. */
export interface RunningServer {
  /** The URL for clients on this machine: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  /** The path of a link that logs one browser in as the administrator. */
  readonly consoleLink?: string | undefined;
  /**
   * Makes `/readyz` fail, and serves for the shutdown delay. Then it refuses connections, ends watches, waits
   * for requests in flight, and closes the store. Resolves within ten seconds after the delay, even if the
   * store hangs. Never rejects.
   */
  stop(): Promise<void>;
}

/** Opens everything and listens; its places are made. `write` gets the output for a terminal. Throws StartError. */
export async function run(
  config: Config,
  write: (text: string) => void,
  log: Logger = createLog({ verbosity: config.verbosity }),
): Promise<RunningServer> {
  const options = revealingOptions();
  if (options.length > 0)
    log.warn(
      { options },
      'options of Node let others read the memory of the server, with every secret in it',
    );
  const shutdownHooks: ShutdownHooks = [];
  try {
    const { url, authority, consoleLink, leave } = await start(
      await withTracing(config, log, shutdownHooks),
      log,
      shutdownHooks,
    );
    announce(config, { url, consoleLink }, write);
    const stopping = async (): Promise<void> => {
      log.info('stopping');
      leave();
      await setTimeout(config.shutdownDelayMs);
      await stop(shutdownHooks, log);
    };
    return { url, authority, consoleLink, stop: stopping };
  } catch (error) {
    await closeAll(shutdownHooks, log);
    throw error;
  }
}

/** Loads only the code of the mode. */
async function start(config: Config, log: Logger, shutdownHooks: ShutdownHooks): Promise<Started> {
  if (config.host !== undefined) {
    const { startAggregated } = await import('./aggregated/aggregated.js');
    return startAggregated(config, config.host, log, shutdownHooks);
  }
  const { startStandalone } = await import('./standalone/standalone.js');
  return startStandalone(openOperations(config, log, shutdownHooks));
}

/** Prints the URL and the next steps. Only a terminal that somebody types at gets the link that logs in: other output is kept as a log. */
export function announce(
  config: Config,
  { url, consoleLink }: Pick<RunningServer, 'url' | 'consoleLink'>,
  write: (text: string) => void,
): void {
  const { host, firstContact, console } = config;
  if (host !== undefined) return write(`Serving on ${url}\n`);
  const link = process.stdout.isTTY && process.stdin.isTTY ? consoleLink : undefined;
  const logsIn = `Console: ${url}${link} (logs in once, within 15 minutes)\n`;
  const plain = firstContact ? `Console: ${url}/console/\n` : '';
  const pages = !console ? '' : link === undefined ? plain : logsIn;
  write(`Serving on ${url}\n${pages}${nextStep(config)}\n`);
}

function nextStep({ kubeconfigShown: kubeconfig, firstContact }: Config): string {
  if (kubeconfig === undefined) return 'Start with --write-kubeconfig FILE to get credentials.';
  if (firstContact) return `Next, in another terminal: platform --kubeconfig ${quoted(kubeconfig)} login`;
  return `Try: kubectl --kubeconfig ${kubeconfig} get sharedsecrets -A`;
}

/** Quotes a path for a shell. */
const quoted = (path: string): string =>
  /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Loads tracing if it is configured. */
async function withTracing(config: Config, log: Logger, shutdownHooks: ShutdownHooks): Promise<Config> {
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
