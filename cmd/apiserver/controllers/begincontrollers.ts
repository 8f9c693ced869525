import { loggableError } from '../../../pkg/server/logging/loggableerror.js';
import type { StartOptions } from './controllers.js';
import type { Operations } from '../server/telemetry.js';

/** The options of controllers that depend on the mode; the others are configured. */
export type ControllerParts = Omit<
  StartOptions,
  'chosen' | 'projectNamespacePrefix' | 'eventTtlMs' | 'accessKeyRetentionMs' | 'log'
>;

/** Loads and starts the controllers in the background; the shutdown hooks stop them. */
export function beginControllers(operations: Operations, parts: ControllerParts): void {
  const { config, log, shutdownHooks, controllers: state } = operations;
  const starting = import('./controllers.js').then(({ startControllers }) => {
    const { controllers: chosen, eventTtlMs, accessKeyRetentionMs } = config;
    const { projectNamespacePrefix } = config.settings;
    const keeping = { eventTtlMs, accessKeyRetentionMs, projectNamespacePrefix };
    const controllers = startControllers({ ...parts, chosen, ...keeping, log });
    state.running = controllers.running;
    state.leadership = controllers.leadership;
    return controllers;
  });
  starting.catch((error: unknown) =>
    log.error({ error: loggableError(error) }, 'the controllers do not run'),
  );
  shutdownHooks.push(async () => (await starting).stop());
}
