/** What workers and the process that started them tell each other. */
import { join } from 'node:path';
import type { MetricObject } from 'prom-client';
import type { Answer, Request } from '../../../pkg/storage/remote/messages.js';

/** In the environment of workers: the directory of the embedded store. */
export const STORE_VARIABLE = 'OWNER_STORE_DIRECTORY';

/** Where the process that owns the embedded store notes its newest revision for workers. */
export const revisionFileIn = (directory: string): string => join(directory, 'newest-revision');

export interface ReadyWorker {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
}

export type ToPrimary =
  | { readonly store: Request }
  /** Text for the audit log, answered by {@link ToWorker} `audited` with the same id. */
  | { readonly audit: { readonly id: number; readonly text: string } }
  /** Asks for the metrics of all workers. */
  | { readonly gather: number }
  /** The metrics of this one, as it was asked for them by `collect`. */
  | { readonly collected: { readonly id: number; readonly metrics: readonly MetricObject[] } }
  | { readonly ready: ReadyWorker }
  | { readonly pong: true }
  /** Why it cannot start, for the operator. */
  | { readonly refused: string };

export type ToWorker =
  | { readonly store: Answer }
  | { readonly audited: { readonly id: number; readonly problem?: string } }
  | { readonly collect: number }
  | { readonly gathered: { readonly id: number; readonly metrics: readonly (readonly MetricObject[])[] } }
  | { readonly ping: true }
  | { readonly stop: true };
