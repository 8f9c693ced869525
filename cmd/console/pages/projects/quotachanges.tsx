import { keyOf, type QuotaChange } from '../../client/projectedits/quotas.js';
import { usedOf } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { nameOf, useLimitName } from './uselimitname.js';

export interface Props {
  readonly changes: readonly QuotaChange[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Each limit before and after the change, and the current use. */
export function QuotaChanges({ changes, counts }: Props) {
  const { limits: texts } = useTexts();
  const shownName = useLimitName();
  return (
    <>
      <h3>{texts.result}</h3>
      {changes.length === 0 && <p className="hint">{texts.nothing}</p>}
      <ul className="grants">
        {changes.map(({ limited, before, after }) => {
          const used = usedOf(nameOf(limited), counts);
          const isOver = used !== undefined && after !== '' && used > Number(after);
          return (
            <li key={keyOf(limited)} className="grant">
              <span className="who">{shownName(nameOf(limited))}</span>
              <span>
                {before || texts.unlimited} → <strong>{after || texts.unlimited}</strong>
              </span>
              {isOver && <span className="hint">{texts.over(used)}</span>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
