import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { Handshakes } from './handshakes.js';
import { Newcomers } from './newcomers.js';

/** Accepts one connection in each turn, as Node does, unless `sameTurn`. */
function world() {
  const begun: string[] = [];
  const sockets = new Map<string, { remoteAddress: string; destroyed: boolean; name: string }>();
  const handshakes = new Handshakes(new Newcomers(), (socket) => {
    begun.push((socket as unknown as { name: string }).name);
  });
  const connect = (...names: string[]): void => {
    for (const name of names) {
      const socket = { remoteAddress: `192.0.2.${name.charCodeAt(0)}`, destroyed: false, name };
      sockets.set(name, socket);
      handshakes.add(socket as unknown as Socket);
    }
  };
  const close = (name: string): void => void (sockets.get(name)!.destroyed = true);
  /** Runs a turn of the event loop. Returns the handshakes that it started. */
  const turn = async (): Promise<string[]> => {
    const before = begun.length;
    await nextTurn();
    return begun.slice(before);
  };
  return { begun, connect, close, turn };
}

test('begins the handshake of a single connection at once', async () => {
  const { begun, connect, turn } = world();
  connect('a1');
  expect(begun).toEqual(['a1']);
  expect([await turn(), await turn(), await turn()]).toEqual([[], [], []]);
  connect('a2');
  expect(begun).toEqual(['a1', 'a2']);
});

test('begins a few of many handshakes in a turn: the newest, then the oldest, and none twice', async () => {
  const { begun, connect, turn } = world();
  connect('a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9');
  expect(begun).toEqual(['a0']);
  expect(await turn()).toEqual([]);
  expect(await turn()).toEqual(['a9', 'a8', 'a7', 'a1']);
  expect(await turn()).toEqual(['a6', 'a5', 'a4', 'a2']);
  expect(await turn()).toEqual(['a3']);
  expect(await turn()).toEqual([]);
});

test('begins no waiting handshake while connections arrive', async () => {
  const { connect, turn } = world();
  connect('a0', 'a1');
  expect(await turn()).toEqual([]);
  connect('a2');
  expect(await turn()).toEqual([]);
  expect(await turn()).toEqual(['a2', 'a1']);
});

test('alternates between networks, and skips closed connections', async () => {
  const { connect, close, turn } = world();
  connect('a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1');
  close('a5');
  close('b1');
  expect(await turn()).toEqual([]);
  expect(await turn()).toEqual(['c1', 'a4', 'a3', 'a1']);
});
