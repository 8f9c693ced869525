import { useTexts } from '../texts/texts.js';
import { CopyButton } from './copybutton.js';

/** The commands that do the same as the page. */
export function Commands({ lines }: { readonly lines: readonly string[] }) {
  const texts = useTexts();
  return (
    <details className="commands">
      <summary>{texts.actions.commands}</summary>
      {lines.map((line) => (
        <CommandLine key={line} line={line} />
      ))}
    </details>
  );
}

/** A command, with a button that copies it. */
export function CommandLine({ line }: { readonly line: string }) {
  const { actions } = useTexts();
  return (
    <div className="command">
      <code tabIndex={0}>{line}</code>
      <CopyButton text={() => line} look="quiet" label={`${actions.copy}: ${line}`} />
    </div>
  );
}
