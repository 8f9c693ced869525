import { useSyncExternalStore } from 'react';
import { stateOf, type AccessKeyView } from '../../client/accesskeys.js';
import { onSession, sessionState } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';

export interface Props {
  readonly shown: AccessKeyView;
  /** In ms since 1970. */
  readonly now: number;
}

/** Whether a key is enabled, disabled or expired, and whether it is that of this browser's session. */
export function KeyState({ shown, now }: Props) {
  const { keys: texts } = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const state = stateOf(shown, now);
  return (
    <>
      <span className={`badge ${state}`}>{texts[state]}</span>
      {shown.metadata.name === session?.accessKey && <span className="badge">{texts.thisBrowser}</span>}
    </>
  );
}
