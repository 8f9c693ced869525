import { useSyncExternalStore } from 'react';
import { onSession, serverName, sessionState } from '../session/session.js';
import { useTexts } from '../texts/texts.js';

/** Degrees on the wheel of colours: servers of different names look different, one server always the same. */
function hueOf(server: string): number {
  let hash = 0;
  for (const character of server) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hash;
}

/** The sign of the console, in the colour of this server. */
export function ServerSign() {
  const name = useSyncExternalStore(onSession, serverName);
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="mark">
      <rect width="32" height="32" rx="8" fill={`hsl(${hueOf(name)} 55% 38%)`} />
      <path d="M10 12.5 16 9l6 3.5v7L16 23l-6-3.5z" />
    </svg>
  );
}

/** The sign, the name and the version of the server, above what somebody does before they are logged in. */
export function ServerHead() {
  const { shell } = useTexts();
  const { version } = useSyncExternalStore(onSession, sessionState);
  return (
    <p className="server-head">
      <ServerSign />
      <span>
        <b>{serverName()}</b> <span className="hint">{shell.version(version)}</span>
      </span>
    </p>
  );
}
