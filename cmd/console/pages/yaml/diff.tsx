import type { DiffLine } from '../../client/edits/linediff.js';
import { useTexts } from '../../texts/texts.js';

const CLASSES = { ' ': 'same', '-': 'gone', '+': 'come' } as const;
/** So many lines are shown around what is changed. */
const AROUND = 3;

/** What would be changed: signs as well as colours say which lines go and which come. */
export function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  const { yaml: texts } = useTexts();
  const near = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== ' ');
  return (
    <>
      <h2 id="diff">{texts.changes}</h2>
      <pre className="diff" tabIndex={0} aria-labelledby="diff" role="region">
        {lines.map(
          ({ sign, text }, at) =>
            near(at) && (
              <span key={at} className={CLASSES[sign]}>
                {`${sign} ${text}\n`}
              </span>
            ),
        )}
      </pre>
    </>
  );
}
