// Reasons of errors: the closed table that every failure comes from.
import { CODE_OF_REASON } from '../../dist/pkg/apimachinery/status.js';
import { code, page, table } from './markdown.mjs';

const MEANINGS = {
  BadRequest: ['The request cannot be understood; the message names the part.', 'Correct the request.'],
  Unauthorized: [
    'There are no credentials, or they are not valid (any more).',
    'Log in again, or use another key.',
  ],
  Forbidden: [
    'The user may not do this, or admission or a scope denies it.',
    'Ask for the right that the message names.',
  ],
  NotFound: ['There is no such object, namespace or path.', 'Check the name and the namespace.'],
  MethodNotAllowed: ['The resource does not have this verb.', 'See the verbs of the [kind](api.md).'],
  NotAcceptable: ['The server has none of the media types in `Accept`.', 'Accept `application/json`.'],
  AlreadyExists: ['An object of this name exists.', 'Choose another name, or update the object.'],
  Conflict: [
    'The object has changed since it was read, a precondition failed, or server-side apply met a field of another manager.',
    'Read the object again and repeat the change.',
  ],
  Expired: ['The resourceVersion or continue token is too old, or rights have changed since.', 'List again.'],
  RequestEntityTooLarge: [
    'The body or the object exceeds a [limit](../configuration.md#limits).',
    'Send less.',
  ],
  UnsupportedMediaType: [
    'The server does not read this `Content-Type`.',
    'Use JSON, YAML or a patch type that the message lists.',
  ],
  Invalid: ['A field has a value that is not valid; `details.causes` names each.', 'Correct the fields.'],
  TooManyRequests: [
    'Too many requests are in flight, or a cache is loading.',
    'Retry after `Retry-After` seconds.',
  ],
  InternalError: [
    'An error that nobody foresaw; the message has the id under which the log has the details.',
    'Report it.',
  ],
  ServerTimeout: ['The server could not do it in time.', 'Retry after `Retry-After` seconds.'],
  ServiceUnavailable: [
    'The store, the host or a connected cluster cannot be reached, or the store is full (its disk, or the quota of etcd).',
    'Retry after `Retry-After` seconds.',
  ],
  Timeout: [
    'The request took too long. The outcome of a write is unknown.',
    'Read the object before you repeat a write.',
  ],
};

export function reasons() {
  const rows = Object.entries(CODE_OF_REASON).map(([reason, status]) => {
    const meaning = MEANINGS[reason];
    if (meaning === undefined) throw new Error(`hack/reference/reasons.mjs does not explain ${reason}`);
    return [code(reason), String(status), ...meaning];
  });
  return page(
    'Errors',
    `Every error is a Kubernetes \`Status\` with one of these reasons in \`reason\`, and a message that says what, where and what to
do. \`platform\` ends with an [exit code](../platform.md#scripts) of its own for the common ones.`,
    table(['reason', 'HTTP status', 'meaning', 'what to do'], rows),
  );
}
