/** What goes wrong again and again is said again after so long. */
const AGAIN_MS = 30_000;

type Report = (problem: string, error: unknown) => void;

/** `report`, except for what it was told of less than half a minute ago: problem and text of the error being the same. */
export function reportSparingly(report: Report, now: () => number = () => performance.now()): Report {
  let last = { text: '', at: -Infinity };
  return (problem, error) => {
    const text = `${problem}: ${error instanceof Error ? error.message : String(error)}`;
    if (text === last.text && now() - last.at < AGAIN_MS) return;
    last = { text, at: now() };
    report(problem, error);
  };
}
