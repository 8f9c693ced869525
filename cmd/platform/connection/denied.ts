/** What a caller may not do, in the words of the commands. */
import { NOUNS, PROJECT_PREFIX } from '../nouns.js';

/** As kube-apiserver and this server word it, with the name of an object before, and why behind. */
const DENIED =
  /^\S+(?: "(?<name>[^"]*)")? is forbidden: User "(?<user>[^"]*)" cannot (?<verb>\S+) resource "(?<path>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)"| at the cluster scope)(?:: (?<why>.+))?$/s;

interface MissingRight {
  readonly said: string;
  readonly advice: string | undefined;
}

/** Undefined for an error of another kind. */
export function missingRight(message: string): MissingRight | undefined {
  const found = DENIED.exec(message)?.groups;
  if (found === undefined) return undefined;
  const { name = '', user = '', verb = '', path = '', group = '', namespace, why } = found;
  const [resource = '', subresource] = path.split('/');
  const words = wordsOf(group, resource, namespace);
  const below = subresource === undefined ? '' : `/${subresource}`;
  const one = `${words.word}${below} "${name}"`;
  const said = `"${user}" may not ${verb} ${name === '' ? words.word + plural(words.word) + below : one}${words.where}`;
  if (why !== undefined) return { said: `${said}: ${why}`, advice: undefined };
  const command = ['platform', 'who-can', verb, words.asked + below, name, ...words.flags].filter(
    (word) => word !== '',
  );
  return { said, advice: `ask an administrator, or whoever "${command.join(' ')}" shows` };
}

interface Words {
  readonly word: string;
  /** As `platform who-can` takes it. */
  readonly asked: string;
  /** With a space before it. */
  readonly where: string;
  readonly flags: readonly string[];
}

function wordsOf(group: string, resource: string, namespace: string | undefined): Words {
  const ours = group === 'management.svc.example';
  const noun = ours ? NOUNS.find((one) => one.plural === resource) : undefined;
  const ofProjects = ours && (resource === 'projectsecrets' || noun?.within === 'project');
  const word = resource === 'projectsecrets' ? 'secret' : (noun?.word ?? resource);
  const asked = noun?.word ?? (ours ? resource : `${resource}.${group}`);
  if (namespace === undefined) return { word, asked, where: everywhere(ofProjects, noun?.within), flags: [] };
  if (ofProjects && namespace.startsWith(PROJECT_PREFIX)) {
    const project = namespace.slice(PROJECT_PREFIX.length);
    return { word, asked: word, where: ` of project "${project}"`, flags: ['--project', project] };
  }
  return { word, asked, where: ` in namespace "${namespace}"`, flags: ['--namespace', namespace] };
}

const everywhere = (ofProjects: boolean, within: string | undefined): string =>
  ofProjects ? ' of all projects' : within === 'namespace' ? ' in all namespaces' : '';

const plural = (word: string): string => (word.endsWith('s') ? '' : 's');
