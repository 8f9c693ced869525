import { describe, expect, test } from '@jest/globals';
import { Event as CoreEvent } from '../../../../api/core/v1/event.js';
import { Event } from '../../../../api/events.k8s.io/v1/event.js';
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../../api/resource.js';
import { compileSchema } from '../../../apimachinery/schema/compile.js';
import { eventForm } from './form.js';
import { kind as eventKind } from './kind.js';

const ABOUT = { kind: 'Secret', namespace: 'n', name: 's' };
const TIME = '2026-01-01T00:00:00Z';
const MICRO_TIME = '2026-01-01T00:00:00.000000Z';
const WHOLE = {
  eventTime: MICRO_TIME,
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'a',
  reason: 'r',
  type: 'Normal',
  regarding: ABOUT,
};

/** Decodes an object like that of a client. */
function decoded(definition: ResourceDefinition, members: object): KubeObject {
  const object: KubeObject = {
    kind: 'Event',
    apiVersion: apiVersionOf(definition),
    metadata: { name: 'e', namespace: 'n' },
    ...members,
  };
  const schema = compileSchema(definition);
  schema.prune(object);
  schema.applyDefaults(object);
  return object;
}

describe('conversion of an event', () => {
  test.each<[string, object, object]>([
    ['without fields', {}, {}],
    [
      'without eventTime',
      {
        involvedObject: ABOUT,
        message: 'm',
        count: 3,
        firstTimestamp: TIME,
        lastTimestamp: TIME,
        source: { component: 'c', host: 'h' },
        type: 'Warning',
      },
      {
        regarding: ABOUT,
        note: 'm',
        deprecatedCount: 3,
        deprecatedFirstTimestamp: TIME,
        deprecatedLastTimestamp: TIME,
        deprecatedSource: { component: 'c', host: 'h' },
        type: 'Warning',
      },
    ],
    [
      'with eventTime, in a series',
      {
        involvedObject: ABOUT,
        eventTime: MICRO_TIME,
        reportingComponent: 'c',
        reportingInstance: 'i',
        related: ABOUT,
        series: { count: 2, lastObservedTime: MICRO_TIME },
      },
      {
        regarding: ABOUT,
        eventTime: MICRO_TIME,
        reportingController: 'c',
        reportingInstance: 'i',
        related: ABOUT,
        series: { count: 2, lastObservedTime: MICRO_TIME },
      },
    ],
  ])('%s', (_name, core, own) => {
    const kept = decoded(CoreEvent, core);
    const served = decoded(Event, own);
    expect(eventForm.served(kept)).toEqual(served);
    expect(eventForm.stored(served)).toEqual(kept);
  });

  test('with count and lastObservedTime in every series', () => {
    expect(eventForm.served(decoded(CoreEvent, { series: {} }))).toMatchObject({
      series: { count: 0, lastObservedTime: null },
    });
  });
});

const problems = (errors: readonly { path: string; body: string }[] | undefined): string[] =>
  (errors ?? []).map(({ path, body }) => `${path}: ${body}`);

/** The errors are those of kube-apiserver. */
test.each<[string, object, string[]]>([
  ['that tells enough', WHOLE, []],
  ['in a series', { ...WHOLE, series: { count: 2, lastObservedTime: MICRO_TIME } }, []],
  [
    'without fields',
    { regarding: ABOUT },
    ['eventTime: Required value', 'type: Invalid value: "": has invalid value: '],
  ],
  [
    'with fields of core/v1',
    {
      ...WHOLE,
      type: 'Odd',
      deprecatedCount: 2,
      deprecatedSource: { host: 'h' },
      deprecatedFirstTimestamp: TIME,
      deprecatedLastTimestamp: TIME,
    },
    [
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ],
  ],
  [
    'in a series of one',
    { ...WHOLE, series: { count: 1 } },
    ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
  ],
  [
    'without a reporting instance',
    { ...WHOLE, reportingController: 'a b', reportingInstance: '' },
    [
      expect.stringContaining('reportingController: Invalid value: "a b": ') as unknown as string,
      'reportingInstance: Required value',
    ],
  ],
])('a new event %s', (_name, members, expected) => {
  const event = decoded(Event, members);
  expect(
    problems([
      ...(eventKind.strategy.validate?.(event) ?? []),
      ...(eventKind.strategy.validateCreate?.(event) ?? []),
    ]),
  ).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ['its series', { series: { count: 2, lastObservedTime: MICRO_TIME } }, []],
  [
    'the series to an empty one',
    { series: { count: 0 } },
    ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
  ],
  [
    'all other fields',
    {
      note: 'x',
      reason: 'x',
      type: 'x',
      deprecatedCount: 4,
      reportingController: 'x',
      reportingInstance: 'x',
    },
    [
      'reason: Invalid value: "x": field is immutable',
      'message: Invalid value: "x": field is immutable',
      'count: Invalid value: 4: field is immutable',
      'reason: Invalid value: "x": field is immutable',
      'type: Invalid value: "x": field is immutable',
      'reportingController: Invalid value: "x": field is immutable',
      'reportingInstance: Invalid value: "x": field is immutable',
    ],
  ],
])('a change of %s', (_name, members, expected) => {
  const change = decoded(Event, { ...WHOLE, ...members });
  expect(problems(eventKind.strategy.validateUpdate?.(change, decoded(Event, WHOLE)))).toEqual(expected);
});

test('prints the columns of core/v1', () => {
  const event = decoded(Event, { ...WHOLE, note: ' said ' });
  const cells = (eventKind.strategy.columns ?? []).map(({ cell }) => cell(event, Date.parse(TIME) + 60_000));
  expect(cells).toEqual(['60s', 'Normal', 'r', 'secret/s', '', 'example.com/c, i', 'said', '60s', 1, 'e']);
});
