import { expect, test } from '@jest/globals';
import { failure } from '../../../apimachinery/errors.js';
import { Gate } from './gate.js';
import { AnswerTooLarge } from './interface.js';

const noAnswer = (): Error => failure('Timeout', 'it did not answer in time', {});

/** A cluster whose answers a test gives one by one. */
class Cluster {
  readonly pending: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  asked = 0;
  readonly ask = (): Promise<string> => {
    this.asked += 1;
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('sends one request until the cluster has answered, and then all', async () => {
  const [gate, cluster] = [new Gate(), new Cluster()];
  const all = [1, 2, 3].map(() => gate.pass(cluster.ask));
  expect(cluster.asked).toBe(1);
  cluster.pending[0]?.resolve('a');
  await turn();
  expect(cluster.asked).toBe(3);
  for (const { resolve } of cluster.pending) resolve('b');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'b']);
});

test('asks a cluster that does not answer by one request at a time, with back-off', async () => {
  let now = 0;
  const [gate, cluster] = [new Gate(() => now), new Cluster()];
  const all = [1, 2, 3, 4].map(() => gate.pass(cluster.ask).catch((error: Error) => error.message));
  // The second one is sent at once, and the others wait for it.
  for (const expected of [1, 2]) {
    expect(cluster.asked).toBe(expected);
    cluster.pending[expected - 1]?.reject(noAnswer());
    await turn();
  }
  expect(await Promise.all(all)).toEqual(Array(4).fill('it did not answer in time'));
  await expect(gate.pass(cluster.ask)).rejects.toThrow('it did not answer in time');
  expect(cluster.asked).toBe(2);
  now += 500;
  const next = gate.pass(cluster.ask);
  expect(cluster.asked).toBe(3);
  cluster.pending[2]?.resolve('again');
  expect(await next).toBe('again');
});

test('counts requests that were sent together and failed as one failure, and refusals as answers', async () => {
  const [gate, cluster] = [new Gate(() => 0), new Cluster()];
  const first = gate.pass(cluster.ask);
  cluster.pending[0]?.resolve('');
  await first;
  const refused = gate.pass(() => Promise.reject(new AnswerTooLarge(failure('Timeout', '', {}).status)));
  await expect(refused).rejects.toBeInstanceOf(AnswerTooLarge);
  const both = [1, 2].map(() => gate.pass(cluster.ask));
  expect(cluster.asked).toBe(3);
  for (const { reject } of cluster.pending.slice(1)) reject(noAnswer());
  await Promise.allSettled(both);
  void gate.pass(cluster.ask);
  expect(cluster.asked).toBe(4);
});
