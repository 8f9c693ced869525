/** What the labels and annotations of a Secret ask for. */
import { KEYS, PROJECT_SECRET_NAME, SOURCE_NAME, SOURCE_NAMESPACE, type SecretMetadata } from './labels.js';

/** A SharedSecret or a ProjectSecret. */
export interface SourceName {
  readonly plural: 'sharedsecrets' | 'projectsecrets';
  readonly namespace: string;
  readonly name: string;
}

/** The keys of the Secret with those of its source; undefined: all, as they are. */
export type KeyMapping = ReadonlyMap<string, string> | undefined;

export type SecretRequest =
  | { readonly asks: 'nothing' }
  | { readonly asks: 'invalid'; readonly why: string }
  | { readonly asks: 'source'; readonly source: SourceName; readonly keys: KeyMapping };

const KEY = /^[-._A-Za-z0-9]{1,253}$/;
const MAX_KEYS = 100;

/** `project`: the namespace of the space or virtual cluster, in which ProjectSecrets are. */
export function secretRequestOf({ labels, annotations }: SecretMetadata, project: string): SecretRequest {
  const { [SOURCE_NAME]: shared, [SOURCE_NAMESPACE]: of, [PROJECT_SECRET_NAME]: own } = labels;
  if (shared === undefined && own === undefined) return { asks: 'nothing' };
  const invalid = (why: string): SecretRequest => ({ asks: 'invalid', why });
  if (shared !== undefined && own !== undefined)
    return invalid(`only one of the labels ${SOURCE_NAME} and ${PROJECT_SECRET_NAME} may be set`);
  if (shared !== undefined && (of ?? '') === '')
    return invalid(`the label ${SOURCE_NAMESPACE} must be set with ${SOURCE_NAME}`);
  if ((shared ?? own) === '') return invalid('the label that names the secret is empty');
  const keys = keysOf(annotations[KEYS]);
  if (typeof keys === 'string') return invalid(keys);
  const source: SourceName =
    shared === undefined
      ? { plural: 'projectsecrets', namespace: project, name: own ?? '' }
      : { plural: 'sharedsecrets', namespace: of ?? '', name: shared };
  return { asks: 'source', source, keys };
}

/** A text: why the annotation is not valid. */
export function keysOf(annotation: string | undefined): KeyMapping | string {
  if (annotation === undefined) return undefined;
  const pairs = annotation.split(',', MAX_KEYS + 1).map((pair) => pair.trim().split('='));
  if (pairs.length > MAX_KEYS) return `the annotation ${KEYS} has more than ${MAX_KEYS} keys`;
  const keys = new Map<string, string>();
  for (const [to = '', from = '', ...rest] of pairs) {
    if (!KEY.test(to) || !KEY.test(from) || rest.length > 0)
      return `the annotation ${KEYS} must be key=key-of-the-source, separated by commas`;
    if (keys.has(to)) return `the annotation ${KEYS} has a key twice`;
    keys.set(to, from);
  }
  return keys;
}

export const sourceKey = ({ plural, namespace, name }: SourceName): string =>
  `${plural}/${namespace}/${name}`;

export const describeSource = ({ plural, namespace, name }: SourceName): string =>
  `${plural === 'sharedsecrets' ? 'SharedSecret' : 'ProjectSecret'} ${namespace}/${name}`;
