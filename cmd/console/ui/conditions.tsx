import type { Condition } from '../../../api/meta/v1/condition.js';
import { useTexts } from '../texts/texts.js';
import { Details } from './facts.js';
import { When } from './when.js';

/** What is not as it should be, in the words of the server; all conditions with their names are in a fold. */
export function Conditions({ conditions }: { readonly conditions: readonly Condition[] }) {
  const texts = useTexts();
  if (conditions.length === 0) return null;
  const unmet = conditions.filter(({ status }) => status === 'False');
  return (
    <section aria-labelledby="conditions">
      <h2 id="conditions">{texts.projects.conditions}</h2>
      {unmet.length === 0 && <p>{texts.projects.allMet}</p>}
      {unmet.map(({ type, message }) => (
        <p key={type} className="notice bad">
          {message || type}
        </p>
      ))}
      <Details>
        <ul className="plain conditions">
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <li key={type} className="condition">
              <span>
                <span className={`badge ${status === 'True' ? 'enabled' : 'disabled'}`}>
                  {type}: {status}
                </span>{' '}
                {reason !== '' && <code className="tag">{reason}</code>} {message}
              </span>
              <span className="hint">
                <When at={Date.parse(lastTransitionTime ?? '')} />
              </span>
            </li>
          ))}
        </ul>
      </Details>
    </section>
  );
}
