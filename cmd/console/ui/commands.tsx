import { useTexts } from '../texts/texts.js';
import { CopyButton } from './copybutton.js';

/** The commands that do the same. */
export function Commands({ lines }: { readonly lines: readonly string[] }) {
  const texts = useTexts();
  return (
    <details className="commands">
      <summary>{texts.actions.commands}</summary>
      {lines.map((line) => (
        <div className="command" key={line}>
          <code tabIndex={0}>{line}</code>
          <CopyButton text={() => line} look="quiet" label={`${texts.actions.copy}: ${line}`} />
        </div>
      ))}
    </details>
  );
}
