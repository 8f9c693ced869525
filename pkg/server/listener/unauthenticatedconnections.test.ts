import { expect, test } from '@jest/globals';
import { limitUnauthenticated, type UnauthenticatedConnection } from './unauthenticatedconnections.js';

function world() {
  const ended: string[] = [];
  const strangers = limitUnauthenticated({ all: 6, address: 3 });
  const connect = (remoteAddress: string, name: string, busy = false): UnauthenticatedConnection => {
    const made: UnauthenticatedConnection = {
      remoteAddress,
      busy: () => busy,
      destroy: () => void ended.push(name),
    };
    strangers.add(made);
    return made;
  };
  return { strangers, ended, connect };
}

test('closes the oldest idle connection of an address beyond the limit', () => {
  const { ended, connect, strangers } = world();
  connect('a', 'a1', true);
  for (const name of ['a2', 'a3', 'a4', 'a5']) connect('a', name);
  connect('b', 'b1');
  expect(ended).toEqual(['a2', 'a3']);
  expect(strangers.count()).toBe(4);
});

test('closes the oldest connection if all have requests in flight', () => {
  const { ended, connect } = world();
  for (const name of ['a1', 'a2', 'a3', 'a4']) connect('a', name, true);
  expect(ended).toEqual(['a1']);
});

test('closes a connection of the address with the most beyond the total limit', () => {
  const { ended, connect } = world();
  for (const name of ['a1', 'b1', 'b2', 'b3', 'c1', 'c2']) connect(name.slice(0, 1), name);
  connect('d', 'd1');
  expect(ended).toEqual(['b1']);
});

test('does not count authenticated and closed connections', () => {
  const { ended, connect, strangers } = world();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) strangers.delete(connect('a', name));
  expect(strangers.count()).toBe(0);
  expect(ended).toEqual([]);
});

test('counts an IPv6 network of 64 bits as one address', () => {
  const { ended, connect } = world();
  for (const at of [1, 2, 3, 4]) connect(`2001:db8::1:2:3:${at}`, `a${at}`);
  expect(ended).toEqual(['a1']);
});
