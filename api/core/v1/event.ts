import { Type } from '../../type.js';
import { component, microTime, time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { objectReferenceSchema } from './objectreference.js';

const eventSeriesSchema = Type.Object(
  {
    count: Type.Optional(
      Type.Integer({
        description: 'Number of occurrences in this series up to the last heartbeat time',
        format: 'int32',
      }),
    ),
    lastObservedTime: Type.Optional(
      microTime({ description: 'Time of the last occurrence observed', default: null }),
    ),
  },
  {
    description:
      'EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time.',
    'x-protobuf': { count: 1, lastObservedTime: 2 },
    'x-component': 'io.k8s.api.core.v1.EventSeries',
  },
);

export const eventSourceSchema = Type.Object(
  {
    component: Type.Optional(Type.String({ description: 'Component from which the event is generated.' })),
    host: Type.Optional(Type.String({ description: 'Node name on which the event is generated.' })),
  },
  {
    description: 'EventSource contains information for an event.',
    'x-protobuf': { component: 1, host: 2 },
    'x-component': 'io.k8s.api.core.v1.EventSource',
  },
);

export const Event = defineResource({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  namespaced: true,
  nameRule: 'path',
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  selectableFields: [
    'involvedObject.apiVersion',
    'involvedObject.fieldPath',
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.resourceVersion',
    'involvedObject.uid',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  selectedMembers: { source: ['source.component', 'reportingComponent'] },
  description:
    'Event is a report of an event somewhere in the cluster. Events have a limited retention time and triggers and messages may evolve with time. Event consumers should not rely on the timing of an event with a given Reason reflecting a consistent underlying trigger, or the continued existence of events with that Reason. Events should be treated as informative, best-effort, supplemental data.',
  schema: Type.Object(
    {
      action: Type.Optional(
        Type.String({ description: 'What action was taken/failed regarding to the Regarding object.' }),
      ),
      count: Type.Optional(
        Type.Integer({ description: 'The number of times this event has occurred.', format: 'int32' }),
      ),
      eventTime: Type.Optional(
        microTime({ description: 'Time when this Event was first observed.', default: null }),
      ),
      firstTimestamp: Type.Optional(
        time({
          description:
            'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
          default: null,
        }),
      ),
      involvedObject: component(objectReferenceSchema, {
        description: 'The object that this event is about.',
        default: {},
      }),
      lastTimestamp: Type.Optional(
        time({
          description: 'The time at which the most recent occurrence of this event was recorded.',
          default: null,
        }),
      ),
      message: Type.Optional(
        Type.String({ description: 'A human-readable description of the status of this operation.' }),
      ),
      reason: Type.Optional(
        Type.String({
          description:
            "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
        }),
      ),
      related: Type.Optional(
        component(objectReferenceSchema, {
          description: 'Optional secondary object for more complex actions.',
        }),
      ),
      reportingComponent: Type.Optional(
        Type.String({
          description: 'Name of the controller that emitted this Event, e.g. `kubernetes.io/kubelet`.',
          default: '',
        }),
      ),
      reportingInstance: Type.Optional(
        Type.String({ description: 'ID of the controller instance, e.g. `kubelet-xyzf`.', default: '' }),
      ),
      series: Type.Optional(
        component(eventSeriesSchema, {
          description: "Data about the Event series this event represents or nil if it's a singleton Event.",
        }),
      ),
      source: Type.Optional(
        component(eventSourceSchema, {
          description: 'The component reporting this event. Should be a short machine understandable string.',
          default: {},
        }),
      ),
      type: Type.Optional(
        Type.String({
          description: 'Type of this event (Normal, Warning), new types could be added in the future',
        }),
      ),
    },
    {
      'x-protobuf': {
        metadata: 1,
        involvedObject: 2,
        reason: 3,
        message: 4,
        source: 5,
        firstTimestamp: 6,
        lastTimestamp: 7,
        count: 8,
        type: 9,
        eventTime: 10,
        series: 11,
        action: 12,
        related: 13,
        reportingComponent: 14,
        reportingInstance: 15,
      },
    },
  ),
});

export type Event = ObjectOf<typeof Event>;
