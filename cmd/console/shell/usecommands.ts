import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ACCESS_KEYS } from '../client/accesskeys.js';
import { CLUSTERS } from '../client/clusters.js';
import { tableRows, type Row } from '../client/forms.js';
import { pathOf } from '../client/paths.js';
import { useMay } from '../client/reviews.js';
import { SECRETS } from '../client/secrets.js';
import { useLive } from '../live/uselive.js';
import { useSecretNamespace } from '../pages/secrets/usesecretnamespace.js';
import { logOut } from '../session/session.js';
import { useTexts } from '../texts/texts.js';
import type { Action } from './actiondialog.js';
import { usePages } from './usepages.js';

export interface Command {
  readonly id: string;
  readonly text: string;
  readonly run: () => unknown;
}

/** The actions that the user may do, with their labels. */
export function useActions(): readonly (readonly [text: string, action: Action])[] {
  const { secrets, keys, clusters } = useTexts();
  const namespace = useSecretNamespace();
  const mayCreateKey = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
  const mayConnect = useMay({ verb: 'create', resource: CLUSTERS, namespace: '', name: '' });
  return useMemo(
    () => [
      ...(namespace === undefined ? [] : [[secrets.create, { is: 'createSecret', namespace }] as const]),
      ...(mayCreateKey ? [[keys.create, { is: 'createAccessKey' }] as const] : []),
      ...(mayConnect ? [[clusters.create, { is: 'connectCluster' }] as const] : []),
    ],
    [secrets, keys, clusters, namespace, mayCreateKey, mayConnect],
  );
}

/** The pages, the actions, and the secrets that the user can see. */
export function useCommands(onAction: (action: Action) => void): readonly Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const pages = usePages();
  const actions = useActions();
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  return useMemo<readonly Command[]>(
    () => [
      ...pages.map(([to, name]) => ({ id: to, text: texts.nav[name], run: () => navigate({ to }) })),
      ...actions.map(([text, action]) => ({ id: action.is, text, run: () => onAction(action) })),
      { id: 'logout', text: texts.shell.logOut, run: logOut },
      ...secrets.items.map(({ metadata: { namespace = '', name = '' } }) => ({
        id: `secret/${namespace}/${name}`,
        text: `${texts.secrets.one}: ${namespace}/${name}`,
        run: () => navigate({ to: '/secrets/$namespace/$name', params: { namespace, name } }),
      })),
    ],
    [texts, navigate, pages, actions, secrets.items, onAction],
  );
}
