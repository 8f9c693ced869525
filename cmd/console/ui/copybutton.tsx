import { useEffect, useState } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button, type Props as ButtonProps } from './button.js';

export interface Props {
  /** Returns the copied text. Called when the button is pressed, so that the value is not kept. */
  readonly text: () => string | Promise<string>;
  readonly label?: string;
  readonly look?: ButtonProps['look'];
  readonly onError?: (error: unknown) => void;
}

const SHOWN_MS = 2000;

/** Copies a text without showing it. */
export function CopyButton({ text, label, look = 'plain', onError }: Props) {
  const texts = useTexts();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(await text());
    setCopied(true);
  };
  return (
    <Button
      look={look}
      aria-label={copied && label !== undefined ? `${texts.actions.copied}: ${label}` : label}
      onPress={() => void copy().catch((error: unknown) => onError?.(error))}
    >
      <span aria-live="polite">{copied ? texts.actions.copied : texts.actions.copy}</span>
    </Button>
  );
}
