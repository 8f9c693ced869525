/** For each page of lists and objects, the commands that show the same. */
import { options } from './actioncommands.js';
import { command } from './command.js';

/** By the resource that a page lists. */
export const LIST_COMMANDS = {
  secrets: [
    'platform list secrets --all-namespaces',
    'kubectl get sharedsecrets,projectsecrets.management.svc.example --all-namespaces',
  ],
  ownedaccesskeys: ['kubectl get ownedaccesskeys', 'platform list accesskey'],
  projects: ['kubectl get projects', 'platform list project'],
  clusters: ['kubectl get clusters.management.svc.example', 'platform list cluster'],
  spaceinstances: ['kubectl get spaceinstances --all-namespaces', 'platform list space --all-namespaces'],
  virtualclusterinstances: [
    'kubectl get virtualclusterinstances --all-namespaces',
    'platform list vcluster --all-namespaces',
  ],
  users: ['kubectl get users.management.svc.example'],
  teams: ['kubectl get teams.management.svc.example'],
  grouprules: ['platform list grouprules'],
} as const;

/** `namespace` empty: the object is in none. */
export const getCommand = (resource: string, name: string, namespace = ''): string =>
  command('kubectl', 'get', resource, name, ...options({ namespace }), '--output', 'yaml');

export const editCommand = (kind: string, name: string, namespace: string): string =>
  command('kubectl', 'edit', kind, name, ...options({ namespace }));

/** One object of the API; `group` is empty for the core group. */
interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export const whoCanCommand = ({ group, resource, namespace, name }: Asked, verb: string): string =>
  command('platform', 'who-can', verb, `${resource}.${group}`, name, ...options({ namespace }));

/** `server`: its URL. */
export const loginCommand = (server: string): string => command('platform', 'login', server);
