import { expect, test } from '@jest/globals';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { User } from '../../authentication/interface.js';
import type { ResourceCache } from '../../cache/interface.js';
import type { Visible } from '../../authorization/interface.js';
import { EVERYTHING } from '../../registry/visibilityfilter.js';
import type { Reading } from '../../authorization/visibility.js';
import { createVisibility } from './visibility.js';
import { roleFreshness } from './rolefreshness.js';

const user = (...groups: string[]): User => ({ name: 'jo', uid: '', groups, extra: {} });
const reading = (verb: Reading['verb']): Reading => ({
  definition: SharedSecret,
  namespace: 'ns',
  verb,
  objects: {} as ResourceCache,
});
const SOME: Visible = { objects: 'names', names: new Set(['a']) };
const HELD = { unchangedSince: () => true };
const AGAIN = { code: 503, headers: { 'Retry-After': '1' } };

function visibilityOf(seen: Visible, followed: () => boolean) {
  const roles = roleFreshness(followed, 1);
  const feed = { follow: () => ({ cancel: () => undefined }) };
  const authorizer = { visible: () => seen, namespaces: () => [] };
  const visibility = createVisibility(authorizer, feed, { roles: HELD, objects: HELD }, roles);
  return { visibility, close: roles.close };
}

test('hides objects whose roles are stale', () => {
  let followed = true;
  const narrow = visibilityOf(SOME, () => followed);
  const wide = visibilityOf({ objects: 'all' }, () => followed);
  const { visibility } = narrow;
  expect(visibility.view(user(), reading('list'))?.current()).toBeDefined();
  expect(visibility.wideView(user(), reading('list'))).toHaveProperty('filter');
  followed = false;
  for (const verb of ['list', 'watch', 'deletecollection'] as const) {
    expect(() => visibility.view(user(), reading(verb))).toThrow(expect.objectContaining(AGAIN));
    expect(() => wide.visibility.view(user(), reading(verb))).toThrow(expect.objectContaining(AGAIN));
  }
  expect(() => visibility.wideView(user(), reading('list'))).toThrow(expect.objectContaining(AGAIN));
  expect(() => wide.visibility.wideView(user(), reading('watch'))).toThrow(expect.objectContaining(AGAIN));
  const all = wide.visibility.wideView(user(), reading('list'));
  expect('filter' in all && all.filter.current()).toEqual(EVERYTHING);
  expect(visibility.wideView(user('system:masters'), reading('watch'))).toEqual(EVERYTHING);
  narrow.close();
  wide.close();
});

test('ends watches when roles become stale', async () => {
  let followed = true;
  const { visibility, close } = visibilityOf(SOME, () => followed);
  const view = visibility.view(user(), reading('watch'));
  const told = await new Promise<string>((resolve) => {
    view?.follow(() => resolve('cancelled')).cancel();
    view?.follow(resolve);
    followed = false;
  });
  expect(told).toBe('identity');
  close();
});
