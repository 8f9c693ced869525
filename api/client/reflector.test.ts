import { expect, test } from '@jest/globals';
import { ApiError } from './apierror.js';
import { Reflector, type ReflectorOptions } from './reflector.js';

type Sent = readonly [type: string, object: object];
/** The events of a watch, and what it ends with. */
type Turn = readonly (Sent | Error)[];

const at = (resourceVersion: string): object => ({ metadata: { resourceVersion } });

/** What is asked, told and waited until all turns are over. */
async function follow(
  turns: readonly Turn[],
  options: Partial<ReflectorOptions<object>> = {},
): Promise<{ asked: string[]; told: unknown[]; pauses: number[]; changes: object[] }> {
  const stop = new AbortController();
  const seen = {
    asked: [] as string[],
    told: [] as unknown[],
    pauses: [] as number[],
    changes: [] as object[],
  };
  const left = [...turns];
  await new Reflector<object>({
    signal: stop.signal,
    list() {
      seen.asked.push('list');
      return Promise.resolve('5');
    },
    async watch(version, take) {
      seen.asked.push(version);
      const turn = left.shift();
      if (turn === undefined) return stop.abort();
      for (const one of turn) {
        if (one instanceof Error) throw one;
        await take(...one);
      }
    },
    changed: (_type, object) => void seen.changes.push(object),
    failed: (error) => void seen.told.push(error),
    wait: (ms) => Promise.resolve(seen.pauses.push(ms)),
    ...options,
  }).run();
  return seen;
}

const away = new Error('away');
const refused = new ApiError(403, {});

test('lists again after an ERROR, and tells all of them but 410', async () => {
  const { asked, told } = await follow([
    [
      ['ADDED', at('6')],
      ['ERROR', { code: 410, message: 'old' }],
    ],
    [['ERROR', { code: 500, message: 'broken' }]],
    [['ERROR', { code: 'x', message: { toString: 1, valueOf: 1 }, reason: 1, details: { causes: 'x' } }]],
    [refused],
    [new ApiError(410, {})],
  ]);
  expect(asked).toEqual(['list', '5', 'list', '5', 'list', '5', 'list', '5', '5', 'list', '5']);
  expect(told).toMatchObject([{ code: 500, message: 'broken' }, { code: 500 }, { code: 403 }]);
});

test('lists again where the server does not have the version yet', async () => {
  const early = new ApiError(504, {
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  });
  const { asked, told } = await follow([[['ADDED', at('6')]], [early]]);
  expect([asked, told]).toEqual([['list', '5', '6', 'list', '5'], [early]]);
});

test('knows the ERROR of a watch that reports it as another error', async () => {
  let take: (type: string, object: object) => void | Promise<void> = () => undefined;
  let watches = 0;
  const stop = new AbortController();
  const { told } = await follow([], {
    signal: stop.signal,
    async watch(_version, taken) {
      take = taken;
      watches += 1;
      if (watches > 1) return stop.abort();
      try {
        await take('ERROR', { code: 410 });
      } catch {
        throw new Error('the connection broke off');
      }
    },
  });
  expect(told).toEqual([]);
});

test('resumes from rows and bookmarks of tables, and from nothing that was not taken', async () => {
  const row = { rows: [{ object: at('7') }], ...at('') };
  const { asked, told, changes } = await follow(
    [
      [['MODIFIED', row], away],
      [
        ['BOOKMARK', { rows: [], ...at('9') }],
        ['OTHER', at('10')],
      ],
      [['ADDED', at('11')]],
    ],
    {
      changed(_type, object) {
        if (JSON.stringify(object).includes('11')) throw new Error('cannot be read');
      },
    },
  );
  expect(asked).toEqual(['list', '5', '7', '10', '10']);
  expect(told).toEqual([away, new Error('cannot be read')]);
  expect(changes).toEqual([]);
});

test('waits for longer each time, until an event comes', async () => {
  const gone = Array.from({ length: 4 }, (): Turn => [away]);
  const { pauses } = await follow([...gone, [['ADDED', at('6')], away], [away]], {
    backoff: { first: 10, most: 40 },
  });
  const least = [10, 20, 40, 40, 10, 20];
  expect(pauses).toHaveLength(least.length);
  pauses.forEach((ms, turn) => {
    expect(ms).toBeGreaterThanOrEqual(least[turn] ?? 0);
    expect(ms).toBeLessThan(2 * (least[turn] ?? 0));
  });
});
