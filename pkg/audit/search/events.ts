/** Parses a line of the audit log. */
import { isObject } from '../../apimachinery/encoding/members.js';
import type { RecordedEvent } from './filter.js';

/**
 * Every line begins like this (`pkg/audit/event.ts`). An object within a body may do so, but no string, as its quotes
 * are escaped.
 */
const BEGIN = Buffer.from('{"kind":"Event","apiVersion":"audit.k8s.io/v1",');
/** Of one line. */
const MAX_ATTEMPTS = 16;

/**
 * Undefined if the line has no event. After an interrupted write, a line begins with part of another one: only the
 * event that reaches to the end of the line is read, never one within a body.
 */
export function eventOf(line: Buffer): RecordedEvent | undefined {
  let event = parsed(line);
  let at = line.length;
  for (let attempts = 0; event === undefined && at > 0 && attempts < MAX_ATTEMPTS; attempts += 1) {
    at = line.lastIndexOf(BEGIN, at - 1);
    if (at > 0) event = parsed(line.subarray(at));
  }
  return event;
}

function parsed(line: Buffer): RecordedEvent | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Other members are not looked at: a line that something else wrote may have any. */
function isEvent(value: unknown): value is RecordedEvent {
  return isObject(value) && value.kind === 'Event';
}
