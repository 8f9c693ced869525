import { useState } from 'react';
import type { AccessKeyView } from '../../client/accesskeys.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import type { Props as CardProps } from './keycard.js';
import { KeyCard } from './keycard.js';

export interface Props {
  readonly title: string;
  readonly keys: readonly AccessKeyView[];
  /** What a card needs besides its key. */
  readonly cardOf: (key: AccessKeyView) => Omit<CardProps, 'shown'>;
}

/** So many are there at once; each asks what the person may do with it. */
const STEP = 24;

/** The first of the keys, and more when they are asked for. */
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
