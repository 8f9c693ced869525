/** The judges must find every build with a deliberate bug (`make robustness-controls`). */
import { expect, test } from '@jest/globals';
import { changedBuild } from '../fixtures/servers/changedbuild.js';
import { CONTROLS } from './controls/controls.js';
import type { JudgeName, Violation } from './history/history.js';
import { folderOf } from './report.js';
import { run } from './run.js';
import { SYSTEMS } from './systems/systems.js';

const SECONDS = 15;
const ATTEMPTS = 4;
const NONE = /^$/;
/** The length of the printed finding, which shows whether the finding is about the bug of the control. */
const MAX_FINDING_CHARACTERS = 300;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));

test.each(CONTROLS.map((control) => [control.name, control] as const))(
  'a server that %s is found',
  async (name, control) => {
    const began = performance.now();
    const folder = folderOf(`control ${name}`, seed);
    const dist = changedBuild(control, folder);
    const judges = new Set<JudgeName>();
    let finding: Violation | undefined;
    let attempt = 0;
    while (finding === undefined && attempt < ATTEMPTS) {
      const system = await SYSTEMS[control.engine]({ dist });
      const options = { seconds: SECONDS, seed: seed + attempt, folder, only: control.faults ?? NONE };
      const { violations } = await run(system, options).finally(() => system.remove());
      for (const { judge } of violations) judges.add(judge);
      finding = violations.find(({ judge }) => control.found.includes(judge));
      attempt += 1;
    }
    const took = Math.round((performance.now() - began) / 1_000);
    const what =
      finding === undefined
        ? 'NOT FOUND'
        : `${finding.judge}: ${finding.text.slice(0, MAX_FINDING_CHARACTERS)}`;
    process.stdout.write(
      `  ${name}: ${[...judges].join(', ')}, in run ${attempt}, after ${took} s; ${what}\n`,
    );
    expect([...judges]).toEqual(expect.arrayContaining([expect.stringMatching(control.found.join('|'))]));
  },
);
