/** The trace of the request that the running code belongs to, through all that it awaits. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingRequest, RequestTrace, Span } from './interface.js';

const current = new AsyncLocalStorage<RequestTrace>();

/** Runs `work`, and all that it calls and awaits, as part of a request. */
export const inTrace = <T>(trace: RequestTrace, work: () => T): T => current.run(trace, work);

/** A part of the current request that begins now; undefined where no trace of it is exported. */
export const beginSpan = (name: string, outgoing?: OutgoingRequest): Span | undefined =>
  current.getStore()?.begin(name, outgoing);

/** `pending`, whose end is that of the span. */
export const traced = <T>(span: Span | undefined, pending: Promise<T>): Promise<T> =>
  span === undefined ? pending : pending.finally(() => span.end());
