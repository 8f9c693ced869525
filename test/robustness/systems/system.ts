/** What is put to the test: servers on one store, and what can be done to them. */
import type { ServerFixture } from '../../fixtures/servers/server.js';
import type { Fault } from '../faults/fault.js';

export interface Servers {
  readonly name: string;
  readonly servers: readonly ServerFixture[];
  readonly faults: readonly Fault[];
  /** What this machine cannot do, and why. */
  readonly leftOut: readonly string[];
  remove(): Promise<void>;
}

export interface System extends Servers {
  /** Of each server, for clients and watchers. */
  readonly urls: readonly string[];
}

export interface SystemOptions {
  /** Where the compiled server is; the one of the project unless it is told. */
  readonly dist?: string;
}

export type StartServers = (options: SystemOptions) => Promise<Servers>;
export type StartSystem = (options: SystemOptions) => Promise<System>;

/** @param hindrances by the kinds of faults; undefined: there is none */
export const leftOutFor = (hindrances: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(hindrances).flatMap(([kinds, why]) => (why === undefined ? [] : [`${kinds} (${why})`]));
