import { useRouterState } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { onSession, sessionState } from '../session/session.js';
import { useTexts } from '../texts/texts.js';

/** Degrees on the wheel of colours: servers of different names look different, one server always the same. */
function hueOf(host: string): number {
  let hash = 0;
  for (const character of host) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hash;
}

/** The sign of the console, in the colour of this server. */
export const ServerSign = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="mark">
    <rect width="32" height="32" rx="8" fill={`hsl(${hueOf(window.location.host)} 55% 38%)`} />
    <path d="M10 12.5 16 9l6 3.5v7L16 23l-6-3.5z" />
  </svg>
);

/** The page of the documentation about a page of the console, by the first step of its path. */
const DOCS: Readonly<Record<string, string>> = {
  '': 'quickstart',
  secrets: 'tutorials/share-a-secret',
  projectsecrets: 'kinds',
  accesskeys: 'tutorials/pipeline-key',
  projects: 'tutorials/project-for-a-team',
  spaces: 'clusters',
  virtualclusters: 'clusters',
  clusters: 'clusters',
  users: 'tutorials/invite-a-colleague',
  teams: 'concepts/sharing',
  grouprules: 'single-sign-on',
  audit: 'audit',
  yaml: 'kinds',
  whocan: 'concepts/sharing',
};

/** The name and the version of the server, and a link to what its documentation says about this page. */
export function ServerIdentity() {
  const { shell } = useTexts();
  const { version, docs } = useSyncExternalStore(onSession, sessionState);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [, first = ''] = path.split('/');
  return (
    <p className="server hint">
      <span>{window.location.host}</span> <span>{shell.version(version)}</span>{' '}
      {docs && (
        <a href={`/docs/${DOCS[first] ?? ''}`} target="_blank" rel="noreferrer">
          {shell.docs}
        </a>
      )}
    </p>
  );
}
