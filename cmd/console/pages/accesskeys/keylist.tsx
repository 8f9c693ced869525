import { useState } from 'react';
import type { AccessKeyView } from '../../client/accesskeys.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { KeyCard, type Props as CardProps } from './keycard.js';

export interface Props {
  readonly title: string;
  readonly keys: readonly AccessKeyView[];
  /** The properties of a card besides its key. */
  readonly cardOf: (key: AccessKeyView) => Omit<CardProps, 'shown'>;
}

/** The number of cards that are added at once; each card sends access reviews. */
const STEP = 24;

/** The first of the keys, with a button that shows more. */
export function KeyList({ title, keys, cardOf }: Props) {
  const { keys: texts } = useTexts();
  const [most, setMost] = useState(STEP);
  if (keys.length === 0) return null;
  const more = Math.min(STEP, keys.length - most);
  return (
    <>
      <h2>{title}</h2>
      <ul className="keys">
        {keys.slice(0, most).map((key) => (
          <KeyCard key={key.metadata.uid} shown={key} {...cardOf(key)} />
        ))}
      </ul>
      {more > 0 && <Button onPress={() => setMost(most + STEP)}>{texts.more(more)}</Button>}
    </>
  );
}
