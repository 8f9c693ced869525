import { ConnectCluster } from '../pages/clusters/connectcluster.js';
import { CreateAccessKey } from '../pages/accesskeys/createaccesskey.js';
import { CreateUser } from '../pages/people/createuser.js';
import { CreateProject } from '../pages/projects/createproject.js';
import { CreateSecret } from '../pages/secrets/createsecret.js';

/** An action that the command palette starts on any page. */
export interface Action {
  readonly is: 'createSecret' | 'createAccessKey' | 'createProject' | 'createUser' | 'connectCluster';
}

export interface Props {
  readonly action: Action;
  readonly onClose: () => void;
}

export function ActionDialog({ action, onClose }: Props) {
  switch (action.is) {
    case 'createSecret':
      return <CreateSecret onClose={onClose} />;
    case 'createAccessKey':
      return <CreateAccessKey onClose={onClose} />;
    case 'createProject':
      return <CreateProject onClose={onClose} />;
    case 'createUser':
      return <CreateUser onClose={onClose} />;
    case 'connectCluster':
      return <ConnectCluster onClose={onClose} />;
  }
}
