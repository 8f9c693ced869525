import { expect, test } from '@jest/globals';
import type { KeyPair } from './issue.js';
import { renewServing } from './renewal.js';

const pair = (name: string): KeyPair => ({ certificate: name, key: name });

test('reports each changed certificate once, and survives failures', async () => {
  const loads: (KeyPair | Error)[] = [pair('a'), new Error('gone'), pair('b'), pair('b'), pair('c')];
  const used: string[] = [];
  const failures: unknown[] = [];
  await new Promise<void>((resolve) => {
    const renewal = renewServing(
      pair('a'),
      () => {
        const next = loads.shift();
        if (next instanceof Error) throw next;
        if (next !== undefined) return next;
        renewal.stop();
        resolve();
        return pair('c');
      },
      ({ certificate }) => used.push(certificate),
      (error) => failures.push(error),
      1,
    );
  });
  expect(used).toEqual(['b', 'c']);
  expect(failures).toHaveLength(1);
});
