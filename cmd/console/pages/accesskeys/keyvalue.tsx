import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copybutton.js';

/** A new access key, hidden until somebody reveals it. */
export function KeyValue({ value }: { readonly value: string }) {
  const texts = useTexts();
  const [shown, setShown] = useState(false);
  return (
    <div className="command">
      <code tabIndex={0} aria-label={texts.keys.theKey}>
        {shown ? value : '•'.repeat(24)}
      </code>
      <Button aria-expanded={shown} onPress={() => setShown(!shown)}>
        {shown ? texts.actions.hide : texts.actions.reveal}
      </Button>
      <CopyButton look="main" text={() => value} label={texts.secrets.copyOf(texts.keys.theKey)} />
    </div>
  );
}
