import { useTexts } from '../../texts/texts.js';
import { Details } from '../../ui/facts.js';

/** What the person may not read of rights, so that there may be more. */
export function Unread({ names }: { readonly names: readonly string[] }) {
  const { whoCan: texts } = useTexts();
  if (names.length === 0) return null;
  return (
    <div className="hint">
      {texts.unread}
      <Details>
        <p>{texts.unreadNames(names.join(', '))}</p>
      </Details>
    </div>
  );
}
