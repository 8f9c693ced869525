import { expect, test } from '@jest/globals';
import { ApiError } from '../client/status.js';
import { en } from './en.js';
import { messageOf } from './messageof.js';

const deleting = 'object is being deleted: projects "web" already exists';

test.each([
  [new ApiError(409, { reason: 'AlreadyExists', message: 'projects "web" already exists' }), en.state.exists],
  [new ApiError(409, { reason: 'AlreadyExists', message: deleting }), deleting],
  [new Error('no'), 'no'],
  [undefined, en.state.failed],
])('%s', (error, message) => {
  expect(messageOf(error, en)).toBe(message);
});
