import type { Client } from '../client.js';
import type { Bounds, Load } from '../load.js';
import type { OwnName, Target } from '../targets/target.js';

/** What rows need of the run. */
export interface Context {
  readonly target: Target;
  /** Shorter rows, for a first look. */
  readonly quick: boolean;
  /** An administrator's unless another bearer token is told. */
  client(connections: number, token?: string): Client;
  /** Makes the namespace with so many objects, once for each target. */
  seeded(namespace: string, count: number): Promise<void>;
  /** How many objects were seeded or told of by `created` so far. */
  objects(): number;
  /** Tells of objects that a row created by itself. */
  created(count: number): void;
  /** Takes down what the server used while `load` runs. */
  measure(load: () => Promise<Load>): Promise<Measured>;
}

/** `cpu`: seconds for each operation; `memory`: bytes; `time`: seconds. */
export type Unit = 'cpu' | 'memory' | 'time';

export interface Measured {
  /** In the row's unit. */
  readonly value: number;
  readonly residentBytes: number;
  readonly load?: Load;
  /** What V8 allocated on its heap for each operation, in bytes; undefined where it is not told. */
  readonly allocated?: number;
  /** CPU of the target's etcd for each operation, in seconds. */
  readonly storeCpu?: number;
  /** Longest block of the server's event loop, in seconds. */
  readonly blocked?: number;
}

export interface Row {
  /** What `--only` matches and the table shows. */
  readonly name: string;
  readonly unit: Unit;
  /** Whether it has a server of its own, which has just started. */
  readonly cold?: boolean;
  /** Whether only this project's server has what is measured. */
  readonly ownOnly?: boolean;
  /** In the row's unit; absent where nothing was aimed at. */
  readonly aim?: Readonly<Record<OwnName, number>>;
  /** How many times less than kube-apiserver is aimed at, where that is the aim. */
  readonly aimRatio?: Readonly<Record<OwnName, number>>;
  run(context: Context): Promise<Measured>;
}

/** The same aim on both engines. */
export const onBoth = (aim: number): NonNullable<Row['aim']> => ({ embedded: aim, etcd: aim });

/** Asks for a while, so that V8 has compiled the path, and measures the same for longer. */
export async function measureWarm(
  context: Context,
  ask: (bounds: Bounds) => Promise<Load>,
): Promise<Measured> {
  const seconds = context.quick ? 1.5 : 4;
  await ask({ operations: 5_000, seconds: seconds / 3 });
  return context.measure(() => ask({ operations: 50_000, seconds }));
}
