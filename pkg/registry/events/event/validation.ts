/** `k8s.io/kubernetes/pkg/apis/core/validation`: events.go, of requests through events.k8s.io/v1. */
import { fieldInvalid, fieldRequired, type FieldError } from '../../../apimachinery/errors.js';
import { sameJson } from '../../object/metadata.js';
import { validateEvent, type EventParts } from '../../core/event/validation.js';

/** The field's name in errors; other fields keep their core/v1 names. */
const CONTROLLER = 'reportingController';
const IMMUTABLE = 'field is immutable';
const UNCHANGING = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason', // kube-apiserver also reports it twice
  'type',
  'eventTime',
  'action',
  'related',
] as const;

/** Validates every event. `event`: in its core/v1 form, as everywhere in this file. */
export const validateAny = (event: EventParts): FieldError[] => validateEvent(event, CONTROLLER);

/** Validates a new event, which must not have deprecated fields. */
export function validateNew(event: EventParts): FieldError[] {
  const { type = '', source = {} } = event;
  const errors = validateSeries(event);
  if (typeof event.eventTime !== 'string') errors.push(fieldRequired('eventTime'));
  if (type !== 'Normal' && type !== 'Warning')
    errors.push(fieldInvalid('type', '', `has invalid value: ${type}`));
  const unset = {
    firstTimestamp: event.firstTimestamp == null,
    lastTimestamp: event.lastTimestamp == null,
    count: (event.count ?? 0) === 0,
    source: (source.component ?? '') === '' && (source.host ?? '') === '',
  };
  for (const [path, isUnset] of Object.entries(unset)) {
    if (!isUnset) errors.push(fieldInvalid(path, '', 'needs to be unset'));
  }
  return errors;
}

/** Only the series may change. */
export function validateChange(next: EventParts, previous: EventParts): FieldError[] {
  const errors = sameJson(next.series, previous.series) ? [] : validateSeries(next);
  const changed = (member: string): boolean => !sameJson(next[member], previous[member]);
  for (const member of UNCHANGING.filter(changed)) errors.push(fieldInvalid(member, next[member], IMMUTABLE));
  const { reportingComponent, reportingInstance } = next;
  if (changed('reportingComponent')) errors.push(fieldInvalid(CONTROLLER, reportingComponent, IMMUTABLE));
  if (changed('reportingInstance'))
    errors.push(fieldInvalid('reportingInstance', reportingInstance, IMMUTABLE));
  return errors;
}

function validateSeries({ series }: EventParts): FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(fieldInvalid('series.count', '', 'should be at least 2'));
  if (typeof series.lastObservedTime !== 'string') errors.push(fieldRequired('series.lastObservedTime'));
  return errors;
}
