import { expect, test } from '@jest/globals';
import { Event } from '../../../../api/core/v1/event.js';
import type { KubeObject } from '../../../../api/resource.js';
import { compileSchema } from '../../../apimachinery/schema/compile.js';
import { fieldOf } from '../../object/indexkeys.js';
import { entryOf } from '../../resourcestore.js';
import { eventStrategy } from './strategy.js';

const schema = compileSchema(Event);

function decoded(members: object, namespace = 'n'): KubeObject {
  const object: KubeObject = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'e', namespace },
    ...members,
  };
  schema.prune(object);
  schema.applyDefaults(object);
  return object;
}

test('adds the fields that Go always writes', () => {
  const { metadata: _, ...rest } = decoded({ count: 0, message: '' });
  expect(rest).toEqual({
    kind: 'Event',
    apiVersion: 'v1',
    count: 0,
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  });
});

const about = (namespace: string): object => ({ involvedObject: { kind: 'Secret', namespace, name: 's' } });
const eventTime = '2026-01-01T00:00:00.000000Z';
const whole = { eventTime, reportingComponent: 'c', reportingInstance: 'i', action: 'a', reason: 'r' };
const MISMATCH = 'involvedObject.namespace: Invalid value: "x": does not match event.namespace';

test.each<[string, object, string, string[]]>([
  ['about its own namespace', about('n'), 'n', []],
  ['about another namespace', about('x'), 'n', [MISMATCH]],
  ['about a cluster-scoped object', about(''), 'default', []],
  ['about a cluster-scoped object, elsewhere', about(''), 'n', [MISMATCH.replace('"x"', '""')]],
  ['with eventTime', { ...about('x'), ...whole }, 'n', []],
  ['with eventTime, in kube-system', { ...about(''), ...whole }, 'kube-system', []],
  [
    'with eventTime and missing fields',
    { ...about('n'), eventTime },
    'n',
    [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      expect.stringContaining(
        'reportingComponent: Invalid value: "": name part must consist of',
      ) as unknown as string,
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  ],
  [
    'with eventTime and fields that are too long',
    { ...about('n'), ...whole, reportingInstance: 'x'.repeat(129), message: 'x'.repeat(1025) },
    'n',
    [
      'reportingInstance: Invalid value: "": can have at most 128 characters',
      'message: Invalid value: "": can have at most 1024 characters',
    ],
  ],
])('validates an event %s', (_name, members, namespace, expected) => {
  const errors = eventStrategy.validate?.(decoded(members, namespace)) ?? [];
  expect(errors.map(({ path, body }) => `${path}: ${body}`)).toEqual(expected);
});

test.each<[string, object, unknown[]]>([
  [
    'with a count',
    {
      ...about('n'),
      type: 'Warning',
      reason: 'r',
      message: ' text\n',
      source: { component: 'c', host: 'h' },
      count: 3,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:50Z',
    },
    ['10s', 'Warning', 'r', 'secret/s', '', 'c, h', 'text', '60s', 3, 'e'],
  ],
  [
    'with eventTime',
    { ...about('n'), ...whole },
    ['60s', '', 'r', 'secret/s', '', 'c, i', '', '60s', 1, 'e'],
  ],
  [
    'in a series',
    {
      involvedObject: { kind: 'Node', fieldPath: 'p' },
      ...whole,
      series: { count: 7, lastObservedTime: '2026-01-01T00:00:58.000000Z' },
    },
    ['2s', '', 'r', 'node', 'p', 'c, i', '', '60s', 7, 'e'],
  ],
  ['of nothing', {}, ['<unknown>', '', '', '', '', '', '', '<unknown>', 1, 'e']],
])('prints an event %s', (_name, members, expected) => {
  const object = decoded(members);
  const now = Date.parse('2026-01-01T00:01:00Z');
  expect((eventStrategy.columns ?? []).map((column) => column.cell(object, now))).toEqual(expected);
});

test.each<[string, object, string, string]>([
  ['its component', { source: { component: 'c' } }, 'source', 'c'],
  ['its component first', { source: { component: 'c' }, reportingComponent: 'r' }, 'source', 'c'],
  ['the controller that reports, where no component is told', { reportingComponent: 'r' }, 'source', 'r'],
  ['nothing', {}, 'source', ''],
  ['the controller', { source: { component: 'c' }, reportingComponent: 'r' }, 'reportingComponent', 'r'],
])('selects by the source of an event %s', (_name, members, field, text) => {
  const entry = entryOf({ namespace: 'n', name: 'e' }, 64, Buffer.from(JSON.stringify(decoded(members))));
  expect(fieldOf(Event, entry, field)).toBe(text);
});
