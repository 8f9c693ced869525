import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../embedded/embedded.js';
import type { Storage } from '../interface.js';
import { ALL, commitOne, failureOf, put, stateOf } from '../testing/conformance/case.js';
import { readWatch } from '../testing/conformance/reader.js';
import { describeStorage } from '../testing/conformance.js';
import type { Answer, Port, Request } from './messages.js';
import { openRemote, type RemoteOptions } from './open.js';
import { serveStorage } from './owner.js';

function portOf<Sent, Received>(port: MessagePort): Port<Sent, Received> {
  return {
    post: (message) => port.postMessage(message),
    receive: (listener) => port.on('message', listener),
    closed: (listener) => port.once('close', listener),
  };
}

interface Connected {
  readonly storage: Storage;
  /** Cuts the connection, as if one of the processes had died. */
  cut(): void;
}

/** Connects over ports that copy messages, like those between processes. */
function connect(owner: Storage, revisions?: RemoteOptions['revisions']): Connected {
  const { port1, port2 } = new MessageChannel();
  serveStorage(owner, portOf<Answer, Request>(port1));
  const options = { capabilities: owner.capabilities, ...(revisions && { revisions }) };
  const storage = openRemote(portOf<Request, Answer>(port2), options);
  return { storage, cut: () => port2.close() };
}

describeStorage('of another process', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'remote-'));
  let owner = await openEmbedded({ directory });
  let connected = connect(owner);
  const close = async (): Promise<void> => {
    await connected.storage.close();
    connected.cut();
    await owner.close();
  };
  return {
    storage: connected.storage,
    reopen: async () => {
      await close();
      owner = await openEmbedded({ directory });
      connected = connect(owner);
      return connected.storage;
    },
    dispose: async () => {
      await close();
      await rm(directory, { recursive: true });
    },
  };
});

describe('two processes connected to the owner', () => {
  let directory: string;
  let owner: Storage;
  let first: Connected;
  let second: Connected;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'remote-'));
    owner = await openEmbedded({ directory });
    first = connect(owner);
    second = connect(owner);
  });
  afterEach(async () => {
    for (const { cut } of [first, second]) cut();
    await owner.close();
    await rm(directory, { recursive: true });
  });

  test('share the store, and declare that capability', async () => {
    expect([owner, first.storage].map(({ capabilities }) => capabilities.shared)).toEqual([false, true]);
    const revision = await commitOne(first.storage, put('a', '1', 'absent'));
    expect(await second.storage.currentRevision()).toBe(revision);
    expect(await failureOf(second.storage.commit([put('a', '2', 'absent')]))).toMatchObject({
      code: 'exists',
      current: { revision },
    });
    await commitOne(second.storage, put('a', '2', revision));
    expect(await stateOf(first.storage)).toEqual(['a=2']);
  });

  test('see the writes of each other in their watches', async () => {
    const watch = second.storage.watch(ALL);
    const events = readWatch(watch).until(await commitOne(first.storage, put('a')));
    expect((await events).map(({ key }) => key)).toEqual(['a']);
    watch.cancel();
  });

  test('report an unknown outcome for a commit in flight when the owner dies, and refuse later calls', async () => {
    const watch = readWatch(first.storage.watch(ALL));
    const waiting = watch.next();
    const inFlight = failureOf(first.storage.commit([put('a')]));
    first.cut();
    expect(await inFlight).toMatchObject({ code: 'unavailable', outcome: 'unknown' });
    expect((await failureOf(waiting)).code).toBe('unavailable');
    expect(await failureOf(first.storage.commit([put('b')]))).toMatchObject({
      code: 'unavailable',
      outcome: 'none',
    });
    expect(await second.storage.currentRevision()).toBeGreaterThan(0);
  });

  test('return the newest revision from the file at once, until the owner has ended', async () => {
    let closed = 0;
    const revisions = { newest: () => 77, close: () => Promise.resolve(void (closed += 1)) };
    const reading = connect(owner, revisions);
    expect(reading.storage.revisionNow?.()).toBe(77);
    expect(first.storage.revisionNow).toBeUndefined();
    await reading.storage.close();
    expect(closed).toBe(1);
    expect(() => reading.storage.revisionNow?.()).toThrow('storage unavailable');
    reading.cut();
  });

  test('buffer a bounded number of batches when one stops reading', async () => {
    let asked = 0;
    const counting: Storage = {
      ...owner,
      watch: (range, options) => {
        const watch = owner.watch(range, options);
        const inner = watch[Symbol.asyncIterator]();
        const next = (): ReturnType<typeof inner.next> => {
          asked += 1;
          return inner.next();
        };
        return {
          cancel: () => watch.cancel(),
          [Symbol.asyncIterator]: () => ({ ...inner, next }),
        };
      },
    };
    const stalled = connect(counting);
    const watch = stalled.storage.watch(ALL);
    for (let one = 0; one < 20; one += 1) await commitOne(stalled.storage, put(`k${one}`));
    expect(asked).toBe(4);
    expect(await readWatch(watch).take(20)).toHaveLength(20);
    watch.cancel();
    stalled.cut();
  });
});
