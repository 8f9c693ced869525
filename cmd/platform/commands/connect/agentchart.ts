/** The chart of the agent that comes with this program. */
import { copyFile, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { codeOf, messageOf } from '../../../../pkg/apimachinery/caught.js';
import { Failure } from '../../failure.js';
import { readIfThere } from '../../files/atomicfile.js';
import { CHART_ADVICE, CHART_FILE } from './helm.js';

const SHIPPED = fileURLToPath(new URL('../../../../management-agent-chart.tgz', import.meta.url));

/** Where the chart is. Rejects with Failure where this program came without it. */
export async function shippedChart(): Promise<string> {
  if ((await readIfThere(SHIPPED)) !== undefined) return SHIPPED;
  throw new Failure('failed', `this program came without the chart of the agent, ${SHIPPED}`, {
    advice: CHART_ADVICE,
  });
}

/** Puts the chart into the current folder, for somebody else. Answers with its name there. Rejects with Failure. */
export async function copiedChart(): Promise<string> {
  const shipped = await shippedChart();
  const there = await readIfThere(CHART_FILE);
  if (there === undefined) {
    await copyFile(shipped, CHART_FILE).catch((error: unknown) => {
      throw new Failure('failed', `cannot write ${CHART_FILE}: ${codeOf(error) ?? messageOf(error)}`, {
        advice: 'run the command in a folder that you may write to, or name the chart with --chart',
      });
    });
  } else if (!there.equals(await readFile(shipped)))
    throw new Failure('conflict', `${CHART_FILE} of the current folder is not the chart of this program`, {
      advice: 'delete it, or name the chart that you mean with --chart',
    });
  return CHART_FILE;
}
