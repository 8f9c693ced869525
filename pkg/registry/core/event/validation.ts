/** `k8s.io/kubernetes/pkg/apis/core/validation.legacyValidateEvent`, the only validation of core/v1 events. */
import type { KubeObject } from '../../../../api/resource.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../../apimachinery/errors.js';
import { qualifiedName } from '../../../apimachinery/validation/names.js';

interface ObjectParts {
  kind?: string;
  namespace?: string;
  name?: string;
  fieldPath?: string;
}

/** The fields of an event; bookmarks of watches have no involvedObject. */
interface MarkParts extends KubeObject {
  involvedObject?: ObjectParts;
  related?: object;
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

/** The fields of an event after schema defaults were applied. */
export interface EventParts extends MarkParts {
  involvedObject: ObjectParts;
}

const isAboutSomething = (object: MarkParts): object is EventParts => object.involvedObject !== undefined;

/** Returns the same event; a bookmark gets an empty involvedObject. */
export const eventParts = (object: MarkParts): EventParts =>
  isAboutSomething(object) ? object : { ...object, involvedObject: {} };

const SHORT = 128;
const MESSAGE = 1024;

/** Events with an `eventTime` must have more fields. `controller`: the name of `reportingComponent` in errors. */
export function validateEvent(event: EventParts, controller = 'reportingComponent'): FieldError[] {
  return typeof event.eventTime === 'string' ? newEvent(event, controller) : oldEvent(event);
}

function oldEvent({ metadata: { namespace = '' }, involvedObject }: EventParts): FieldError[] {
  const { namespace: about = '' } = involvedObject;
  const fits = about === '' ? namespace === 'default' : about === namespace;
  return fits ? [] : [mismatch(about)];
}

function newEvent(event: EventParts, controller: string): FieldError[] {
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
  if (reportingComponent === '') errors.push(fieldRequired(controller));
  for (const text of qualifiedName(reportingComponent)) {
    errors.push(fieldInvalid(controller, reportingComponent, text));
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
