import { expect, test } from '@jest/globals';
import type { User } from '../../../authentication/interface.js';
import type { Exchange } from '../../httpexchange.js';
import { ExchangeEnd } from '../../exchangeend.js';
import { requestInfo, type RequestInfo } from '../../requestinfo.js';
import { Overloaded } from './fairslots.js';
import { flowControl as flowControlAt, type FlowLimits } from './flowcontrol.js';

/** The turn of the event loop never ends. */
const flowControl = (limits: FlowLimits) => flowControlAt(limits, () => 0);

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const exchange = (): Pick<Exchange, 'request' | 'end'> => ({
  request: { socket: { remoteAddress: '192.0.2.1' } } as Exchange['request'],
  end: new ExchangeEnd(() => undefined),
});
const MAPS = '/api/v1/namespaces/a/configmaps';

/** Whether the second of two requests is admitted at once while the first is served. */
function second(limits: Partial<FlowLimits>, who: User, one: string, two: string, bytes = 0): boolean {
  const admit = flowControl({ reads: 1, writes: 1, watches: 2, ...limits }).admitting({
    listBytes: () => bytes,
  });
  const ask = (text: string) => {
    const [method = '', url = ''] = text.split(' ');
    return admit(who, requestInfo(method, url), exchange());
  };
  expect(ask(one)).toHaveProperty('release');
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
  ['limits reads', `GET ${MAPS}/x`, `GET ${MAPS}`, false],
  ['limits writes', `POST ${MAPS}`, `DELETE ${MAPS}/x`, false],
  ['counts writes apart from reads', `GET ${MAPS}/x`, `POST ${MAPS}`, true],
  ['limits watches for each user', `GET ${MAPS}?watch=1`, `GET ${MAPS}?watch=1`, false],
  ['counts watches apart from reads', `GET ${MAPS}?watch=1`, `GET ${MAPS}`, true],
  ['limits discovery', 'GET /apis', 'GET /openapi/v2', false],
  ['does not limit health checks', 'GET /apis', 'GET /readyz', true],
])('%s', (_name, one, two, admitted) => {
  expect(second({}, user('jane'), one, two)).toBe(admitted);
});

test('does not limit system:masters', () => {
  expect(second({}, user('admin', 'system:masters'), `POST ${MAPS}`, `POST ${MAPS}`)).toBe(true);
});

test('counts a large list as several reads', () => {
  const limits = { reads: 100 };
  expect(second(limits, user('jane'), `GET ${MAPS}`, `GET ${MAPS}`, 5 * 1024 * 1024)).toBe(true);
  const admit = flowControl({ reads: 100, writes: 1, watches: 1 }).admitting({
    listBytes: () => 50 * 1024 * 1024,
  });
  const list = () => admit(user('jane'), requestInfo('GET', MAPS), exchange());
  for (let at = 0; at < 2; at += 1) expect(list()).toHaveProperty('release');
  const pending = list();
  expect(pending).toBeInstanceOf(Promise);
  void Promise.resolve(pending).catch(() => undefined);
});

test('gives an impersonator one share, and the service accounts of a namespace another', () => {
  const admit = flowControl({ reads: 8, writes: 8, watches: 8 }).admitting({ listBytes: () => 0 });
  const ask = (name: string, ...groups: string[]) => {
    const pending = admit(user(name, ...groups), requestInfo('GET', `${MAPS}/x`), exchange());
    if (pending instanceof Promise) pending.catch(() => undefined);
    return !(pending instanceof Promise);
  };
  expect(ask('system:serviceaccount:a:one')).toBe(true);
  expect(ask('system:serviceaccount:a:two')).toBe(false);
  expect(ask('system:serviceaccount:b:one')).toBe(true);
  expect(ask('system:anonymous', 'system:unauthenticated')).toBe(true);
  expect(ask('system:anonymous', 'system:unauthenticated')).toBe(false);
  expect(ask('jane')).toBe(true);
});

test('counts a long-running request as a watch', () => {
  const isLongRunning = (info: RequestInfo): boolean =>
    info.kind === 'resource' && info.subresource === 'exec';
  const admit = flowControl({ reads: 1, writes: 1, watches: 1 }).admitting({
    listBytes: () => 0,
    isLongRunning,
  });
  const exec = () => admit(user('jane'), requestInfo('POST', '/api/v1/namespaces/a/pods/p/exec'), exchange());
  expect(exec()).toHaveProperty('release');
  expect(exec).toThrow(Overloaded);
  expect(admit(user('jane'), requestInfo('POST', MAPS), exchange())).toHaveProperty('release');
});

test('ends the newest watch of the user with the most in favour of a user with few', () => {
  const admit = flowControl({ reads: 1, writes: 1, watches: 16 }).admitting({ listBytes: () => 0 });
  const ended: string[] = [];
  const watch = (name: string) => {
    const one = exchange();
    one.end.giveUp = () => void ended.push(name);
    return admit(user(name), requestInfo('GET', `${MAPS}?watch=1`), one);
  };
  for (let at = 0; at < 16; at += 1) void watch(`user-${Math.floor(at / 2)}`);
  expect(() => watch('user-0')).toThrow(Overloaded);
  expect(ended).toEqual([]);
  expect(watch('late')).toHaveProperty('release');
  expect(ended).toHaveLength(1);
  expect(() => watch('late')).toThrow(Overloaded);
});
