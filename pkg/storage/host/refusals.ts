/** Converts an unsuccessful response of the host to an error. */
import { textIn } from '../../apimachinery/encoding/members.js';
import type { ResourceDefinition } from '../../../api/resource.js';
import {
  failure,
  groupResource,
  quote,
  resourceDetails,
  type StatusReason,
} from '../../apimachinery/errors.js';
import { HostUnreachable, type HostAnswer } from '../../hostclient/interface.js';
import { StorageError } from '../interface.js';

const REASONS: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
};

export interface Asked {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';
  readonly definition: ResourceDefinition;
  /** `namespace/name`; `''` for a collection. */
  readonly path: string;
}

/**
 * Returns a StatusError with the host's message for a permanent refusal, which the client gets; a
 * StorageError `unavailable` for a temporary one.
 */
export function refusal({ verb, definition, path }: Asked, { status, body }: HostAnswer): Error {
  const message = textIn(body, 'message') ?? '';
  const reason = REASONS[status];
  const what = `${groupResource(definition)}${path === '' ? '' : ` ${quote(path)}`}`;
  const text = `the host cluster refuses to ${verb} ${what}: ${message === '' ? `it answers ${status}` : message}`;
  if (reason !== undefined)
    return failure(reason, text, resourceDetails(definition, path.slice(path.indexOf('/') + 1)), status);
  const written = verb === 'create' || verb === 'update' || verb === 'delete';
  const outcome = written && status >= 500 ? 'unknown' : 'none';
  return new StorageError({ code: 'unavailable', reason: text, outcome });
}

/** The error for a host that did not answer. Other errors are returned unchanged. */
export function notReached(error: unknown): unknown {
  if (!(error instanceof HostUnreachable)) return error;
  const outcome = error.sent ? 'unknown' : 'none';
  return new StorageError({ code: 'unavailable', reason: error.message, outcome }, { cause: error });
}
