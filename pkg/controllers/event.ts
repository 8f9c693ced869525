import { randomBytes } from 'node:crypto';

const SUFFIX_BYTES = 8;
/** The characters of the object's name in the name of its Event. */
const NAME_LENGTH = 200;

/** The subject of an Event (ObjectReference). */
interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface Occurrence {
  readonly involvedObject: InvolvedObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The controller that reports it. */
  readonly component: string;
}

/** A core/v1 Event with a unique name that occurred once, now (`client-go/tools/record`: makeEvent). */
export function eventOf({ involvedObject, component, ...occurrence }: Occurrence) {
  const { namespace, name } = involvedObject;
  const suffix = randomBytes(SUFFIX_BYTES).toString('hex');
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { namespace, name: `${name.slice(0, NAME_LENGTH)}.${suffix}` },
    involvedObject,
    ...occurrence,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
