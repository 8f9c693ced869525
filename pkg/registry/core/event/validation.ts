/** `k8s.io/kubernetes/pkg/apis/core/validation.legacyValidateEvent`, which is all that core/v1 asks of events. */
import type { KubeObject } from '../../../../api/resource.js';
import type { FieldError } from '../../../apimachinery/errors.js';
import { fieldInvalid, fieldRequired } from '../../../apimachinery/errors.js';
import { qualifiedName } from '../../../apimachinery/validation/names.js';

/** What is looked at; schema defaults have been applied. */
export interface EventParts extends KubeObject {
  involvedObject: { kind?: string; namespace?: string; name?: string; fieldPath?: string };
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string | null };
  action?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

const SHORT = 128;
const MESSAGE = 1024;

/** Events with an `eventTime` are of the new kind and must tell more of themselves. */
export function validateEvent(event: EventParts): FieldError[] {
  return typeof event.eventTime === 'string' ? newEvent(event) : oldEvent(event);
}

function oldEvent({ metadata: { namespace = '' }, involvedObject }: EventParts): FieldError[] {
  const { namespace: about = '' } = involvedObject;
  const fits = about === '' ? namespace === 'default' : about === namespace;
  return fits ? [] : [mismatch(about)];
}

function newEvent(event: EventParts): FieldError[] {
  const { namespace = '' } = event.metadata;
  const { reportingComponent = '', reportingInstance = '', message = '' } = event;
  const errors: FieldError[] = [];
  if (
    (event.involvedObject.namespace ?? '') === '' &&
    namespace !== 'default' &&
    namespace !== 'kube-system'
  ) {
    errors.push(mismatch(''));
  }
  if (reportingComponent === '') errors.push(fieldRequired('reportingComponent'));
  for (const text of qualifiedName(reportingComponent)) {
    errors.push(fieldInvalid('reportingComponent', reportingComponent, text));
  }
  errors.push(...shortText('reportingInstance', reportingInstance));
  errors.push(...shortText('action', event.action ?? ''));
  errors.push(...shortText('reason', event.reason ?? ''));
  if (Buffer.byteLength(message) > MESSAGE) {
    errors.push(fieldInvalid('message', '', `can have at most ${MESSAGE} characters`));
  }
  return errors;
}

const mismatch = (namespace: string): FieldError =>
  fieldInvalid('involvedObject.namespace', namespace, 'does not match event.namespace');

function shortText(path: string, value: string): FieldError[] {
  if (value === '') return [fieldRequired(path)];
  if (Buffer.byteLength(value) <= SHORT) return [];
  return [fieldInvalid(path, '', `can have at most ${SHORT} characters`)];
}
