import { expect, test } from '@jest/globals';
import { outline } from './outline.js';

const fits = outline({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { list: { type: 'array' }, count: { type: 'integer' }, any: {}, text: { type: 'string' } },
    },
  },
});

test.each([{}, { spec: null }, { spec: { list: [1], count: 1, any: {}, text: '', other: 1 } }, { other: 1 }])(
  '%j fits',
  (object) => {
    expect(fits(object)).toBe(true);
  },
);

test.each([
  { spec: 'text' },
  { spec: [] },
  { spec: { list: {} } },
  { spec: { list: 'text' } },
  { spec: { count: '1' } },
  { spec: { text: [] } },
])('refuses %j', (object) => {
  expect(fits(object)).toBe(false);
});
