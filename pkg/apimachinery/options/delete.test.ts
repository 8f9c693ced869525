import { describe, expect, test } from '@jest/globals';
import { deleteOptionsFromBody, parseDeleteOptions } from './delete.js';
import { EMPTY_QUERY } from './query.js';

describe('options in the body of a DELETE', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['nothing', {}, { dryRun: [] }],
    ['all', { gracePeriodSeconds: 3, dryRun: ['All'] }, { gracePeriodSeconds: 3, dryRun: ['All'] }],
    [
      'false is a value',
      { kind: 'DeleteOptions', orphanDependents: false },
      { dryRun: [], orphanDependents: false },
    ],
    ['null is absence', { gracePeriodSeconds: null, dryRun: null, preconditions: null }, { dryRun: [] }],
    ['unknown members are ignored', { toString: 1, constructor: 2 }, { dryRun: [] }],
    ['an empty uid counts', { preconditions: { uid: '' } }, { dryRun: [], preconditions: { uid: '' } }],
  ])('%s', (_name, body, expected) => {
    expect(deleteOptionsFromBody(body)).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['grace as text', { gracePeriodSeconds: '3' }, 'gracePeriodSeconds must be of type integer'],
    ['a fraction', { gracePeriodSeconds: 1.5 }, 'gracePeriodSeconds must be of type integer'],
    ['dryRun as text', { dryRun: 'All' }, 'dryRun must be of type list of strings'],
    ['preconditions as list', { preconditions: [] }, 'preconditions must be of type object'],
    ['uid as number', { preconditions: { uid: 1 } }, 'preconditions.uid must be of type string'],
  ])('%s is 400', (_name, body, message) => {
    const decode = () => deleteOptionsFromBody(body);
    expect(decode).toThrow(message);
    expect(decode).toThrow(expect.objectContaining({ code: 400 }));
  });

  test('have defaults for an empty query', () => {
    expect(parseDeleteOptions(EMPTY_QUERY)).toEqual({ dryRun: [] });
  });
});
