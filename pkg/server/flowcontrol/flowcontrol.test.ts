import { expect, test } from '@jest/globals';
import type { User } from '../../authentication/interface.js';
import { requestInfo } from '../requestinfo.js';
import { Overloaded } from './fairseats.js';
import type { FlowLimits } from './flowcontrol.js';
import { flowControl } from './flowcontrol.js';

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const MAPS = '/api/v1/namespaces/a/configmaps';

/** Whether the second of two requests is let in at once while the first is under way. */
function second(limits: Partial<FlowLimits>, who: User, one: string, two: string, bytes = 0): boolean {
  const admit = flowControl({ reads: 1, writes: 1, watches: 2, ...limits }).admitting(() => bytes);
  const ask = (text: string) => {
    const [method = '', url = ''] = text.split(' ');
    return admit(who, requestInfo(method, url));
  };
  expect(ask(one)).toBeInstanceOf(Function);
  try {
    const pending = ask(two);
    if (!(pending instanceof Promise)) return true;
    pending.catch(() => undefined);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Overloaded);
    return false;
  }
}

test.each<[string, string, string, boolean]>([
  ['reads are counted', `GET ${MAPS}/x`, `GET ${MAPS}`, false],
  ['writes are counted', `POST ${MAPS}`, `DELETE ${MAPS}/x`, false],
  ['apart from reads', `GET ${MAPS}/x`, `POST ${MAPS}`, true],
  ['watches are counted, half for each user', `GET ${MAPS}?watch=1`, `GET ${MAPS}?watch=1`, false],
  ['apart from reads', `GET ${MAPS}?watch=1`, `GET ${MAPS}`, true],
  ['discovery counts', 'GET /apis', 'GET /openapi/v2', false],
  ['health does not', 'GET /apis', 'GET /readyz', true],
])('%s', (_name, one, two, admitted) => {
  expect(second({}, user('jane'), one, two)).toBe(admitted);
});

test('masters are not held up', () => {
  expect(second({}, user('admin', 'system:masters'), `POST ${MAPS}`, `POST ${MAPS}`)).toBe(true);
});

test('big lists count for several', () => {
  const limits = { reads: 100 };
  expect(second(limits, user('jane'), `GET ${MAPS}`, `GET ${MAPS}`, 9 * 1024 * 1024)).toBe(true);
  const admit = flowControl({ reads: 100, writes: 1, watches: 1 }).admitting(() => 50 * 1024 * 1024);
  const list = () => admit(user('jane'), requestInfo('GET', MAPS));
  for (let at = 0; at < 10; at += 1) expect(list()).toBeInstanceOf(Function);
  const pending = list();
  expect(pending).toBeInstanceOf(Promise);
  void Promise.resolve(pending).catch(() => undefined);
});
