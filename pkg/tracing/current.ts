/** The trace of the current request, through everything that it awaits. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingRequest, RequestTrace, Span } from './interface.js';

const current = new AsyncLocalStorage<RequestTrace>();

/** Runs `work`, with all that it calls and awaits, in the trace of a request. */
export const inTrace = <T>(trace: RequestTrace, work: () => T): T => current.run(trace, work);

/** Begins a span of the current request; undefined: its trace is not exported. */
export const beginSpan = (name: string, outgoing?: OutgoingRequest): Span | undefined =>
  current.getStore()?.begin(name, outgoing);

/** Returns `pending`; the span ends with it. */
export const traced = <T>(span: Span | undefined, pending: Promise<T>): Promise<T> =>
  span === undefined ? pending : pending.finally(() => span.end());
