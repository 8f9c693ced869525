/** Every build that is broken on purpose is found, and by the judge of what it breaks (`make robustness-controls`). */
import { expect, test } from '@jest/globals';
import { brokenBuild } from './controls/control.js';
import { CONTROLS } from './controls/controls.js';
import { folderOf } from './report.js';
import { run } from './run.js';
import { SYSTEMS } from './systems/systems.js';

const SECONDS = 15;
const ATTEMPTS = 4;
const NONE = /^$/;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));

test.each(CONTROLS.map((control) => [control.name, control] as const))(
  'a server that %s is found',
  async (name, control) => {
    const began = performance.now();
    const folder = folderOf(`control ${name}`, seed);
    const dist = brokenBuild(control, folder);
    const judges = new Set<string>();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const system = await SYSTEMS[control.engine]({ dist });
      const options = { seconds: SECONDS, seed: seed + attempt, folder, only: control.faults ?? NONE };
      const result = await run(system, options).finally(() => system.remove());
      for (const { judge } of result.violations) judges.add(judge);
      if (control.found.some((judge) => judges.has(judge))) break;
    }
    const took = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`  ${name}: ${[...judges].join(', ')}, after ${took} s\n`);
    expect([...judges]).toEqual(expect.arrayContaining([expect.stringMatching(control.found.join('|'))]));
  },
  ATTEMPTS * (SECONDS + 90) * 1_000,
);
