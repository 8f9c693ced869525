/** Errors of the server (`meta/v1 Status`). */
import { ApiError, type Status, type StatusCause } from '../../../api/client/apierror.js';
import type { FetchAnswer } from '../../../api/client/transport.js';
import { isObject } from '../../../api/members.js';

export { ApiError };

/** Reasons that this browser reports: there was no response (`code` 0), or the response is no Status. */
export const OFFLINE = 'Offline';
export const UNREADABLE = 'Unreadable';

/** There was no response. */
export const offline = (): ApiError => new ApiError(0, { reason: OFFLINE, message: '' });

export function errorOf(code: number, body: unknown): ApiError {
  if (!isObject(body) || body.kind !== 'Status')
    return new ApiError(code, { reason: UNREADABLE, message: '' });
  const { details, ...status }: Status = body;
  return new ApiError(code, {
    message: '',
    ...status,
    code,
    details: { ...details, causes: once(details?.causes) },
  });
}

export const isOk = ({ status }: FetchAnswer): boolean => status >= 200 && status < 300;

/** Undefined for other text. */
export async function jsonOf(answer: FetchAnswer): Promise<unknown> {
  try {
    return JSON.parse(await answer.text());
  } catch {
    return undefined;
  }
}

/** Removes duplicates: several checks may report the same about a field. */
const once = (causes: readonly StatusCause[] = []): StatusCause[] =>
  causes.filter(
    ({ field, message }, at) =>
      causes.findIndex((other) => other.field === field && other.message === message) === at,
  );

/** The server's messages about one field, and fields below it. */
export function causesOf(error: unknown, field: string): string[] {
  if (!(error instanceof ApiError)) return [];
  return error.causes
    .filter(({ field: at = '' }) => at === field || at.startsWith(`${field}.`) || at.startsWith(`${field}[`))
    .map(({ message = '' }) => message);
}
