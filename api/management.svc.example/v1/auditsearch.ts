import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { freeForm, oneOf } from '../../meta/v1/schema.js';

/** Of one filter, in characters. */
const MAX_FILTER = 1024;
/** A line of the audit log has no more. */
const MAX_EVENT_BYTES = 1_048_576;
const filter = (description: string) => Type.Optional(Type.String({ description, maxLength: MAX_FILTER }));

/** RFC 3339, as finely as it is given: not rounded to seconds. */
const moment = (description: string) => Type.Optional(Type.String({ description, format: 'date-time' }));

/** Events that an answer has at most, and by default. */
const MAX_EVENTS = 500;
export const USUAL_EVENTS = 100;

const asked = Type.Object(
  {
    about: Type.Optional(
      oneOf(['Changes', 'SecretReads', 'Refused'], {
        description:
          'What the events are about. Changes: writes that were done, without reviews, Events and Leases. SecretReads: reads of SharedSecrets, ProjectSecrets and Secrets whose answers have values, so no tables. Refused: answers 401 and 403.',
      }),
    ),
    user: filter('Name of the user who made the request, or as whom it was made.'),
    verb: filter('Verb of the request: get, list, create, …'),
    resource: filter('Resource of the request: sharedsecrets, or with its subresource: pods/log.'),
    namespace: filter('Namespace of the object.'),
    name: filter('Name of the object.'),
    code: Type.Optional(
      Type.String({
        maxLength: 3,
        description: 'HTTP status code of the response: 403, or 4xx for all of its hundred.',
        pattern: '^[1-5]([0-9][0-9]|xx)$',
      }),
    ),
    sourceIP: filter('Address that the request came from.'),
    auditID: filter('ID of the request, which every response has in the header Audit-Id.'),
    after: moment('Only events that were recorded at this time or later.'),
    before: moment('Only events that were recorded before this time.'),
    limit: Type.Optional(
      Type.Integer({
        description: `Most events of the answer, from 1 to ${MAX_EVENTS}. Defaults to ${USUAL_EVENTS}.`,
        minimum: 1,
        maximum: MAX_EVENTS,
      }),
    ),
    continue: filter('status.continue of an answer: the search continues where that one ended.'),
  },
  { description: 'The events that are looked for: those that match every filter.', default: {} },
);

const answer = Type.Object(
  {
    server: Type.Optional(
      Type.String({ description: 'Host name of the server that answered.', maxLength: MAX_FILTER }),
    ),
    log: Type.Optional(
      oneOf(['File', 'StandardOutput', 'None'], {
        description:
          'Where this server writes its audit log. Only a log in files can be searched: otherwise there are no events.',
      }),
    ),
    events: Type.Optional(
      Type.Array(
        freeForm({
          description: 'An event of audit.k8s.io/v1.',
          'x-max-bytes': MAX_EVENT_BYTES,
          'x-sensitive': true,
        }),
        {
          description: 'The events, the newest first.',
          maxItems: MAX_EVENTS,
          'x-kubernetes-list-type': 'atomic',
        },
      ),
    ),
    continue: Type.Optional(
      Type.String({
        maxLength: MAX_FILTER,
        description:
          'Set if there may be more events, even if this answer has none: one request searches a bounded part of the log.',
      }),
    ),
    searchedTo: moment('The time back to which the log has been searched. Not set at its end.'),
    unreadable: Type.Optional(
      Type.Integer({
        description:
          'Number of lines in the searched part that are no event, or are longer than 1 MiB. They are left out.',
      }),
    ),
  },
  { description: 'The answer.', default: {} },
);

/** Which recorded requests are like this? */
export const AuditSearch = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'AuditSearch',
  plural: 'auditsearches',
  namespaced: false,
  verbs: ['create'],
  description:
    'AuditSearch searches the audit log that the answering server keeps. It is answered and not kept.',
  schema: Type.Object({ spec: Type.Optional(asked), status: Type.Optional(answer) }),
});

export type AuditSearch = ObjectOf<typeof AuditSearch>;
