import type { Condition } from '../../../api/meta/v1/condition.js';
import { useTexts } from '../texts/texts.js';
import { When } from './when.js';

/** The conditions of an object, one line for each type. */
export function Conditions({ conditions }: { readonly conditions: readonly Condition[] }) {
  const texts = useTexts();
  if (conditions.length === 0) return null;
  return (
    <section aria-labelledby="conditions">
      <h2 id="conditions">{texts.projects.conditions}</h2>
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
    </section>
  );
}
