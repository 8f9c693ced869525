import { eventSourceSchema } from '../../core/v1/event.js';
import { objectReferenceSchema } from '../../core/v1/objectreference.js';
import { component, microTime, time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { Type } from '../../type.js';

const eventSeriesSchema = Type.Object(
  {
    count: Type.Integer({
      description: 'count is the number of occurrences in this series up to the last heartbeat time.',
      format: 'int32',
      default: 0,
    }),
    lastObservedTime: microTime({
      description:
        'lastObservedTime is the time when last Event from the series was seen before last heartbeat.',
      default: null,
    }),
  },
  {
    description:
      'EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time. How often to update the EventSeries is up to the event reporters. The default event reporter in "k8s.io/client-go/tools/events/event_broadcaster.go" shows how this struct is updated on heartbeats and can guide customized reporter implementations.',
    'x-protobuf': { count: 1, lastObservedTime: 2 },
    'x-component': 'io.k8s.api.events.v1.EventSeries',
  },
);

const text = (description: string) => Type.Optional(Type.String({ description }));
const deprecated = (member: string) =>
  `${member} is the deprecated field assuring backward compatibility with core.v1 Event type.`;

/** The events of core/v1 under their newer names: the same objects. */
export const Event = defineResource({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  namespaced: true,
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  selectableFields: [
    'reason',
    'regarding.apiVersion',
    'regarding.fieldPath',
    'regarding.kind',
    'regarding.name',
    'regarding.namespace',
    'regarding.resourceVersion',
    'regarding.uid',
    'reportingController',
    'type',
  ],
  description:
    'Event is a report of an event somewhere in the cluster. It generally denotes some state change in the system. Events have a limited retention time and triggers and messages may evolve with time.  Event consumers should not rely on the timing of an event with a given Reason reflecting a consistent underlying trigger, or the continued existence of events with that Reason.  Events should be treated as informative, best-effort, supplemental data.',
  schema: Type.Object(
    {
      action: text(
        'action is what action was taken/failed regarding to the regarding object. It is machine-readable. This field cannot be empty for new Events and it can have at most 128 characters.',
      ),
      deprecatedCount: Type.Optional(
        Type.Integer({ description: deprecated('deprecatedCount'), format: 'int32' }),
      ),
      deprecatedFirstTimestamp: Type.Optional(
        time({ description: deprecated('deprecatedFirstTimestamp'), default: null }),
      ),
      deprecatedLastTimestamp: Type.Optional(
        time({ description: deprecated('deprecatedLastTimestamp'), default: null }),
      ),
      deprecatedSource: Type.Optional(
        component(eventSourceSchema, { description: deprecated('deprecatedSource'), default: {} }),
      ),
      eventTime: microTime({
        description: 'eventTime is the time when this Event was first observed. It is required.',
        default: null,
      }),
      note: text(
        'note is a human-readable description of the status of this operation. Maximal length of the note is 1kB, but libraries should be prepared to handle values up to 64kB.',
      ),
      reason: text(
        'reason is why the action was taken. It is human-readable. This field cannot be empty for new Events and it can have at most 128 characters.',
      ),
      regarding: Type.Optional(
        component(objectReferenceSchema, {
          description:
            "regarding contains the object this Event is about. In most cases it's an Object reporting controller implements, e.g. ReplicaSetController implements ReplicaSets and this event is emitted because it acts on some changes in a ReplicaSet object.",
          default: {},
        }),
      ),
      related: Type.Optional(
        component(objectReferenceSchema, {
          description:
            'related is the optional secondary object for more complex actions. E.g. when regarding object triggers a creation or deletion of related object.',
        }),
      ),
      reportingController: text(
        'reportingController is the name of the controller that emitted this Event, e.g. `kubernetes.io/kubelet`. This field cannot be empty for new Events.',
      ),
      reportingInstance: text(
        'reportingInstance is the ID of the controller instance, e.g. `kubelet-xyzf`. This field cannot be empty for new Events and it can have at most 128 characters.',
      ),
      series: Type.Optional(
        component(eventSeriesSchema, {
          description:
            "series is data about the Event series this event represents or nil if it's a singleton Event.",
        }),
      ),
      type: text(
        'type is the type of this event (Normal, Warning), new types could be added in the future. It is machine-readable. This field cannot be empty for new Events.',
      ),
    },
    {
      'x-protobuf': {
        metadata: 1,
        eventTime: 2,
        series: 3,
        reportingController: 4,
        reportingInstance: 5,
        action: 6,
        reason: 7,
        regarding: 8,
        related: 9,
        note: 10,
        type: 11,
        deprecatedSource: 12,
        deprecatedFirstTimestamp: 13,
        deprecatedLastTimestamp: 14,
        deprecatedCount: 15,
      },
    },
  ),
});

export type Event = ObjectOf<typeof Event>;
