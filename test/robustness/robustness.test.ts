/**
 * Random clients and watchers of servers that are killed, paused and partitioned. Judges check the responses (`make
 * robustness`). The environment variables DURATION (such as 90s or 2m), SEED, ENGINES and FAULTS (a regular expression
 * for kinds of faults) configure a run.
 */
import { expect, test as once } from '@jest/globals';
import { describeSideBySide } from '../fixtures/host/sidebyside.js';
import { NotDone, strikeAtRandom } from './faults/fault.js';
import { History } from './history/history.js';
import { CONDITION_MS } from '../fixtures/wait.js';
import { changedSource } from '../fixtures/servers/changedbuild.js';
import { CONTROLS } from './controls/controls.js';
import { JUDGES } from './judges/judge.js';
import { doneOf, findingsOf, folderOf, keep, tableOf } from './report.js';
import { run, type RunResult } from './run.js';
import { secondsOf } from './duration.js';
import { SYSTEMS } from './systems/systems.js';

const duration = process.env.DURATION ?? '2m';
const { FAULTS = '', ENGINES = 'embedded,etcd,members' } = process.env;
const only = FAULTS === '' ? undefined : new RegExp(FAULTS);
const seconds = secondsOf(duration);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
/** The minimum on a busy machine. */
const LEAST_REQUESTS_A_SECOND = 5;
/** For the start of a system before the run, for its watchers and the judges after it. */
const AROUND_MS = 3 * CONDITION_MS;
const systems = Object.entries(SYSTEMS).filter(([name]) => ENGINES.split(',').includes(name));

describeSideBySide(systems, 'robustness: %s', ({ beforeAll, test }, name, start) => {
  let result: RunResult | undefined;
  const folder = folderOf(name, seed);

  beforeAll(
    async () => {
      const system = await start({});
      result = await run(system, { seconds, seed, folder, only }).finally(() => system.remove());
      const chosen = FAULTS === '' ? '' : ` FAULTS='${FAULTS}'`;
      const repeat = `make robustness DURATION=${duration} SEED=${seed} ENGINES=${ENGINES}${chosen}`;
      process.stdout.write(
        `\n${tableOf(`${name}, ${duration}, seed ${seed}`, result, system.leftOut, repeat)}`,
      );
      if (result.violations.length === 0) return;
      keep(result, folder);
      process.stdout.write(`  ${'kept'.padEnd(16)}${folder}\n`);
    },
    AROUND_MS + seconds * 1_000,
  );

  test.each(Object.entries(JUDGES))('%s: %s', (judge) => {
    expect(findingsOf(result?.violations ?? [], judge)).toEqual([]);
  });

  test('enough operations succeeded to judge by', () => {
    const outcomes = new Set(result?.history.requests.map(({ outcome }) => outcome));
    expect([...outcomes]).toEqual(expect.arrayContaining(['ok', 'exists', 'absent', 'conflict']));
    expect(result?.history.requests.length).toBeGreaterThan(seconds * LEAST_REQUESTS_A_SECOND);
    expect(result && doneOf(result).length).toBeGreaterThan(seconds / 20);
  });
});

once('a fault that could not be made is told, and does not count', async () => {
  const history = new History();
  const strike = (): Promise<string> => Promise.reject(new NotDone('no leader'));
  await strikeAtRandom({
    faults: [{ kind: 'change leader', lane: 'etcd', strike }],
    history,
    random: () => () => 0,
    isOver: () => history.faults.length > 0 || (history.answered += 100) < 0,
  });
  expect(history.faults).toMatchObject([{ kind: 'change leader', detail: 'no leader', done: false }]);
  expect(doneOf({ history })).toEqual([]);
});

once('every control finds the text that it replaces', () => {
  for (const control of CONTROLS) expect(changedSource(control)).toContain(control.replacement);
});
