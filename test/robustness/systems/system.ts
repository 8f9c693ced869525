/** The system under test: servers on one store, and the faults that can be injected. */
import type { ServerFixture } from '../../fixtures/servers/server.js';
import type { Fault } from '../faults/fault.js';

export interface Servers {
  readonly name: string;
  readonly servers: readonly ServerFixture[];
  readonly faults: readonly Fault[];
  /** The faults that this machine does not support, and why. */
  readonly leftOut: readonly string[];
  remove(): Promise<void>;
}

export interface System extends Servers {
  /** The URL of each server, for clients and watchers. */
  readonly urls: readonly string[];
}

export interface SystemOptions {
  /** The folder of the compiled server; absent: that of the project. */
  readonly dist?: string;
}

export type StartServers = (options: SystemOptions) => Promise<Servers>;
export type StartSystem = (options: SystemOptions) => Promise<System>;

/**
 * @param hindrances by the kinds of faults; undefined: the kind is supported
 */
export const leftOutFor = (hindrances: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(hindrances).flatMap(([kinds, why]) => (why === undefined ? [] : [`${kinds} (${why})`]));
