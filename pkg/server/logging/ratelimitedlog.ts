/** A repeated problem is logged again after this time. */
import { messageOf } from '../../apimachinery/caught.js';
const AGAIN_MS = 30_000;

type Report = (problem: string, error: unknown) => void;

/** Passes on to `report`, unless the same problem and error text was reported in the last half minute. */
export function reportSparingly(report: Report, now: () => number = () => performance.now()): Report {
  let last = { text: '', at: -Infinity };
  return (problem, error) => {
    const text = `${problem}: ${messageOf(error)}`;
    if (text === last.text && now() - last.at < AGAIN_MS) return;
    last = { text, at: now() };
    report(problem, error);
  };
}
