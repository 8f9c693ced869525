/** The messages between workers and the process that started them. */
import { join } from 'node:path';
import type { MetricObject } from 'prom-client';
import type { Answer, Request } from '../../../pkg/storage/remote/messages.js';

/** The variable with the directory of the embedded store, in the environment of workers. */
export const STORE_VARIABLE = 'OWNER_STORE_DIRECTORY';

/** The file in which the owner of the embedded store writes its newest revision for workers. */
export const revisionFileIn = (directory: string): string => join(directory, 'newest-revision');

export interface ReadyWorker {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** Of the start alone: it ends by itself. */
  readonly consoleLink?: string | undefined;
}

export type ToPrimary =
  | { readonly store: Request }
  /** Text for the audit log, acknowledged by {@link ToWorker} `audited` with the same id. */
  | { readonly audit: { readonly id: number; readonly text: string } }
  /** Requests the metrics of all workers. */
  | { readonly gather: number }
  /** The metrics of this worker, in response to `collect`. */
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
