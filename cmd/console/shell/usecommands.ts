import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ACCESS_KEYS } from '../client/accesskeys.js';
import { CLUSTERS } from '../client/clusters.js';
import { USERS } from '../client/people.js';
import { PROJECTS } from '../client/projects.js';
import { useMay } from '../client/reviews.js';
import { useSecretPlaces } from '../pages/secrets/usesecretplaces.js';
import { logOut } from '../session/session.js';
import { useTexts } from '../texts/texts.js';
import type { Action } from './actiondialog.js';
import { usePages } from './usepages.js';

export interface Command {
  readonly id: string;
  readonly text: string;
  /** Shown beside it; absent: nothing. */
  readonly hint?: string;
  readonly run: () => unknown;
}

/** The actions that the user may do, with their labels. */
export function useActions(): readonly (readonly [text: string, action: Action])[] {
  const { secrets, keys, projects: ofProjects, users, clusters } = useTexts();
  const { shared, projects } = useSecretPlaces();
  const mayCreateSecret = shared || projects.length > 0;
  const mayCreateKey = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
  const mayCreateProject = useMay({ verb: 'create', resource: PROJECTS, namespace: '', name: '' });
  const mayCreateUser = useMay({ verb: 'create', resource: USERS, namespace: '', name: '' });
  const mayConnect = useMay({ verb: 'create', resource: CLUSTERS, namespace: '', name: '' });
  return useMemo(
    () => [
      ...(mayCreateSecret ? [[secrets.create, { is: 'createSecret' }] as const] : []),
      ...(mayCreateKey ? [[keys.create, { is: 'createAccessKey' }] as const] : []),
      ...(mayCreateProject ? [[ofProjects.list.create, { is: 'createProject' }] as const] : []),
      ...(mayCreateUser ? [[users.create, { is: 'createUser' }] as const] : []),
      ...(mayConnect ? [[clusters.create, { is: 'connectCluster' }] as const] : []),
    ],
    [
      secrets,
      keys,
      ofProjects,
      users,
      clusters,
      mayCreateSecret,
      mayCreateKey,
      mayCreateProject,
      mayCreateUser,
      mayConnect,
    ],
  );
}

/** The pages and the actions. */
export function useCommands(onAction: (action: Action) => void): readonly Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const pages = usePages();
  const actions = useActions();
  return useMemo<readonly Command[]>(
    () => [
      ...pages.map(([to, name]) => ({ id: to, text: texts.nav[name], run: () => navigate({ to }) })),
      ...actions.map(([text, action]) => ({ id: action.is, text, run: () => onAction(action) })),
      { id: 'logout', text: texts.shell.logOut, run: logOut },
    ],
    [texts, navigate, pages, actions, onAction],
  );
}
