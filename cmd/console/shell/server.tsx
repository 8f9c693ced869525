import { useRouterState } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { onSession, serverName, sessionState } from '../session/session.js';
import { useTexts } from '../texts/texts.js';

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
      <span>{serverName()}</span> <span>{shell.version(version)}</span>{' '}
      {docs && (
        <a href={`/docs/${DOCS[first] ?? ''}`} target="_blank" rel="noreferrer">
          {shell.docs}
        </a>
      )}
    </p>
  );
}
