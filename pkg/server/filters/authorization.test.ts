import { expect, test } from '@jest/globals';
import type { AuthorizedRequest } from '../requestcontext.js';
import type { dispatch } from '../dispatch.js';
import { requestInfo } from '../requestinfo.js';

type Dispatched = Parameters<typeof dispatch>[2];

test('dispatch of an unauthorized request, or without a visibility filter, does not compile', () => {
  const info = requestInfo('GET', '/api/v1/namespaces');
  // @ts-expect-error: only authorize creates such a request
  const dispatched: Dispatched = info;
  // @ts-expect-error: the view is always explicit
  const view: AuthorizedRequest['view'] = undefined;
  expect([dispatched, view]).toEqual([info, undefined]);
});
