/** The messages between a process and the owner of the store. */
import type {
  CommitResult,
  GetResult,
  Guard,
  KeyRange,
  ReadOptions,
  ScanOptions,
  ScanResult,
  StorageFailure,
  WatchBatch,
  Write,
} from '../interface.js';

/**
 * One end of an ordered, lossless connection: IPC of processes, or a MessagePort. Buffers arrive as Buffers
 * or Uint8Arrays.
 */
export interface Port<Sent, Received> {
  post(message: Sent): void;
  receive(listener: (message: Received) => void): void;
  /** Calls the listener once, when the other end has closed. */
  closed(listener: () => void): void;
}

/** A call with one {@link Answer}, which has its `id`. */
export type Call =
  | { readonly call: 'get'; readonly key: string; readonly options: ReadOptions }
  | { readonly call: 'scan'; readonly range: KeyRange; readonly options: ScanOptions }
  | { readonly call: 'commit'; readonly writes: readonly Write[]; readonly guards: readonly Guard[] }
  | { readonly call: 'currentRevision' }
  | { readonly call: 'compact'; readonly revision: number };

export type Request =
  | { readonly id: number; readonly ask: Call }
  /**
   * Opens a watch; its batches are sent without a call, at most {@link BATCHES_AHEAD} more than were taken.
   */
  | { readonly id: number; readonly watch: { readonly range: KeyRange; readonly after: number } }
  /** One batch was taken by the consumer. */
  | { readonly id: number; readonly taken: true }
  | { readonly id: number; readonly cancel: true };

export type Answered = GetResult | ScanResult | CommitResult | number | undefined;

/** Why a call or a watch failed: the failure of the engine, or a message. */
export type Failed = { readonly failure: StorageFailure } | { readonly error: string };

export type Answer =
  | { readonly id: number; readonly answer: Answered }
  | { readonly id: number; readonly failed: Failed }
  | { readonly id: number; readonly standing: true }
  | { readonly id: number; readonly batch: WatchBatch }
  /** The watch ended normally. */
  | { readonly id: number; readonly ended: true };

/**
 * How many batches of a watch are sent ahead; one has at most a thousand events, or a little more than 1 MiB.
 */
export const BATCHES_AHEAD = 4;
