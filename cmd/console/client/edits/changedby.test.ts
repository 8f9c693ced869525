import { expect, test } from '@jest/globals';
import { changedBy } from './changedby.js';

const event = (username: string, received: string, told: string, program: string) => ({
  user: { username },
  requestReceivedTimestamp: `2026-01-01T00:00:${received}Z`,
  stageTimestamp: `2026-01-01T00:00:${told}Z`,
  ...(program.startsWith('?')
    ? { requestURI: `/apis/x${program}` }
    : { requestURI: '/x', userAgent: program }),
});
const change = { manager: 'console', time: '2026-01-01T00:00:05Z', fields: [] };

test.each([
  ['in the same second', [event('ada', '05.100', '05.200', '?fieldManager=console')], 'ada'],
  ['that began before', [event('ada', '04.900', '05.200', '?dryRun=&fieldManager=console')], 'ada'],
  ['by the name of the program', [event('ada', '05.000', '05.900', 'console/1.0 (linux)')], 'ada'],
  ['too early', [event('ada', '03.000', '04.999', 'console')], undefined],
  ['too late', [event('ada', '06.000', '06.100', 'console')], undefined],
  ['by another program', [event('ada', '05.100', '05.200', 'kubectl/1.36')], undefined],
  [
    'twice by one',
    [event('ada', '05.100', '05.200', 'console'), event('ada', '05.300', '05.400', 'console')],
    'ada',
  ],
  [
    'by two at once',
    [event('ada', '05.100', '05.200', 'console'), event('bob', '05.300', '05.400', 'console')],
    undefined,
  ],
])('a change %s', (_when, events, who) => {
  expect(changedBy(change, events)).toBe(who);
});

test('a program without a name is unknown', () => {
  const unknown = { ...change, manager: 'unknown' };
  expect(changedBy(unknown, [event('ada', '05.000', '05.900', '')])).toBe('ada');
});
