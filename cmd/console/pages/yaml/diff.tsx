import type { DiffLine } from '../../client/edits/linediff.js';
import { useTexts } from '../../texts/texts.js';

const CLASSES = { ' ': 'same', '-': 'gone', '+': 'come' } as const;
/** The number of lines of context around a change. */
const AROUND = 3;

/** The changes of a text. Signs, and not only colors, mark removed and added lines. */
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
