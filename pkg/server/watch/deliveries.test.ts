import { expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { onEndOfTurn } from '../ticks.js';
import { deliverSoon } from './deliveries.js';

const busy = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

async function until(done: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !done() && performance.now() < end;) await turn();
}

test('sends answers of a turn before its deliveries, whatever their order', async () => {
  const order: string[] = [];
  deliverSoon({ connection: 1, deliver: () => void order.push('event') });
  onEndOfTurn({ atEndOfTurn: () => void order.push('answer') });
  await until(() => order.length === 2);
  expect(order).toEqual(['answer', 'event']);
});

test('leaves time for other work between many deliveries, and makes each once', async () => {
  const made: number[] = [];
  let between = 0;
  for (let one = 0; one < 40; one++)
    deliverSoon({
      connection: 1,
      deliver() {
        busy(0.5);
        made.push(one);
      },
    });
  while (made.length < 40) {
    await turn();
    if (made.length > 0 && made.length < 40) between += 1;
  }
  expect(made).toEqual(Array.from({ length: 40 }, (_, at) => at));
  expect(between).toBeGreaterThan(2);
});

test('serves requests from within a delivery in the next round', async () => {
  let made = 0;
  const again = {
    connection: 1,
    deliver() {
      made += 1;
      if (made < 3) deliverSoon(again);
    },
  };
  deliverSoon(again);
  await until(() => made === 3);
  expect(made).toBe(3);
});

test('groups deliveries by connection, in the order of the requests', async () => {
  const made: string[] = [];
  for (let one = 0; one < 40; one++) {
    const connection = one % 4;
    deliverSoon({ connection, deliver: () => void made.push(`${connection}:${one}`) });
  }
  await until(() => made.length === 40);
  const wanted = [0, 1, 2, 3].flatMap((of) => Array.from({ length: 10 }, (_, at) => `${of}:${of + 4 * at}`));
  expect(made).toEqual(wanted);
});

test('sends an answer before most of the waiting deliveries', async () => {
  let made = 0;
  const deliver = (): void => {
    busy(0.5);
    made += 1;
  };
  for (let one = 0; one < 200; one++) deliverSoon({ connection: 1, deliver });
  await until(() => made > 0);
  let madeAtAnswer: number | undefined;
  onEndOfTurn({ atEndOfTurn: () => void (madeAtAnswer = made) });
  await until(() => made === 200);
  expect(madeAtAnswer).toBeLessThan(100);
});
