import { ApiError, OFFLINE, UNREADABLE } from '../client/status.js';
import type { Texts } from './en.js';

/** The error message for users: the message of the server if there is one. */
export function messageOf(error: unknown, { state }: Pick<Texts, 'state'>): string {
  if (error instanceof ApiError && error.reason === OFFLINE) return state.unreachable;
  if (error instanceof ApiError && error.reason === UNREADABLE) return state.unreadable(error.code);
  // Of one that is being deleted, the server says that.
  if (error instanceof ApiError && error.reason === 'AlreadyExists' && !/being deleted/.test(error.message))
    return state.exists;
  return (error instanceof Error && error.message) || state.failed;
}
