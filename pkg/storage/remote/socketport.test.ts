import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { Socket } from 'node:net';
import { serialize } from 'node:v8';
import { socketPort } from './socketport.js';

/** The message in its format on the socket. */
function framed(message: unknown): Buffer {
  const bytes = serialize(message);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function open(): { socket: PassThrough; received: unknown[] } {
  const socket = new PassThrough();
  const received: unknown[] = [];
  socketPort<unknown, unknown>(socket as unknown as Socket).receive((message) => received.push(message));
  return { socket, received };
}

const MESSAGES = [{ id: 1 }, { id: 2, value: Buffer.alloc(5_000, 7) }, { id: 3, limit: Infinity }];

test.each([1, 3, 4, 5, 1_000, 100_000])(
  'delivers messages in chunks of %d bytes complete and in order',
  async (size) => {
    const { socket, received } = open();
    const bytes = Buffer.concat(MESSAGES.map(framed));
    for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
    socket.end();
    for await (const _ of socket);
    expect(received).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3, limit: Infinity }]);
    const { value } = received[1] as { value: Uint8Array };
    expect(Buffer.from(value)).toEqual(Buffer.alloc(5_000, 7));
  },
);

test.each([
  ['a message that is too long', Buffer.from([255, 255, 255, 255])],
  ['an invalid message', Buffer.from([0, 0, 0, 2, 1, 2])],
])('closes the connection on %s', async (_, bytes) => {
  const { socket, received } = open();
  socket.write(bytes);
  await new Promise((resolve) => setImmediate(resolve));
  expect(socket.destroyed).toBe(true);
  expect(received).toEqual([]);
});
