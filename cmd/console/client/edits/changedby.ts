/** Who made a change that managedFields tell of: they name the program and the time, and the audit log the person. */
import { whoOf, type AuditEvent } from '../audit.js';
import type { FieldChange } from './changes.js';

const SECOND_MS = 1_000;

/** The field manager of a request: that of its query, or else the first part of the program's name; `unknown`: neither. */
function managerOf({ requestURI = '', userAgent = '' }: AuditEvent): string {
  const query = new URLSearchParams(requestURI.replace(/^[^?]*/, ''));
  return query.get('fieldManager') || userAgent.replace(/\/.*/s, '') || 'unknown';
}

/**
 * Whoever wrote with this manager in this second. Undefined: no event tells, or several people did. Times of
 * managedFields are full seconds.
 */
export function changedBy({ manager, time }: FieldChange, events: readonly AuditEvent[]): string | undefined {
  const at = Date.parse(time);
  const isThen = ({ requestReceivedTimestamp: from = '', stageTimestamp: to = from }: AuditEvent): boolean =>
    Date.parse(from) < at + SECOND_MS && Date.parse(to) >= at;
  const then = events.filter((event) => isThen(event) && managerOf(event) === manager);
  const people = new Set(then.map(whoOf));
  const [person] = people;
  return people.size === 1 ? person : undefined;
}
