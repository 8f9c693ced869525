import { humanAge } from '../../../apimachinery/table.js';
import type { Strategy, TableColumn } from '../../strategy.js';
import { eventParts, validateEvent, type EventParts } from './validation.js';

/** Events about other objects. */
export const eventStrategy: Strategy = {
  generation: false,
  columns: [
    column('Last Seen', 0, 'When the event was last seen.', lastSeen),
    column('Type', 0, 'Normal or Warning.', ({ type }) => type ?? ''),
    column('Reason', 0, 'Why it happened, in one word.', ({ reason }) => reason ?? ''),
    column(
      'Object',
      0,
      'The object that the event is about.',
      ({ involvedObject: { kind = '', name = '' } }) =>
        name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`,
    ),
    column('Subobject', 1, 'The part of the object.', ({ involvedObject }) => involvedObject.fieldPath ?? ''),
    column('Source', 1, 'Who reports the event.', source),
    column('Message', 0, 'What happened, for people.', ({ message }) => (message ?? '').trim()),
    column('First Seen', 1, 'When the event was first seen.', firstSeen),
    column('Count', 1, 'How often the event was seen.', ({ series, count }) =>
      series === undefined ? (count ?? 1) : (series.count ?? 0),
    ),
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name must be unique within a namespace.',
      priority: 1,
      cell: ({ metadata }) => metadata.name ?? '',
    },
  ],
  validate: (object) => validateEvent(eventParts(object)),
};

function column(
  name: string,
  priority: number,
  description: string,
  print: (event: EventParts, now: number) => string | number,
): TableColumn {
  const cell: TableColumn['cell'] = (object, now) => print(eventParts(object), now);
  return { name, type: 'string', format: '', description, priority, cell };
}

function since(time: string | null | undefined, now: number): string {
  return typeof time === 'string' ? humanAge(Date.parse(time), now) : '<unknown>';
}

function firstSeen({ firstTimestamp, eventTime }: EventParts, now: number): string {
  return since(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: EventParts, now: number): string {
  if (event.series !== undefined) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp == null ? firstSeen(event, now) : since(event.lastTimestamp, now);
}

function source({ source: from = {}, reportingComponent = '', reportingInstance = '' }: EventParts): string {
  const component = from.component ?? reportingComponent;
  const instance = from.host ?? reportingInstance;
  return instance === '' ? component : `${component}, ${instance}`;
}
