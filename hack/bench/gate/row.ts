/** A row of the gate, and what it is measured on. */
import type { Client } from '../client.js';
import type { Load } from '../load.js';
import type { Target } from '../targets/target.js';

export interface GateRow {
  readonly name: string;
  /** Rows of events are short and few where a load of requests is long: how many of its loads warm it up. */
  readonly warmUps: number;
  /** Made once for each server. */
  prepare(subject: Subject): Promise<Prepared>;
}

/** A row on one server. */
export interface Prepared {
  /** Each call does the same once more. */
  load(): Promise<Load>;
  close(): void;
}

/** One of the two servers. */
export interface Subject {
  readonly target: Target;
  /** An administrator's, or of the token's user. */
  client(connections: number, token?: string): Client;
  /** The load's length: 1, or less for a quick look. */
  readonly scale: number;
}
