/** Paths of the agent: the prefix, and the normalized path for the API server. */
import { badRequest, unknownResource } from '../apimachinery/errors.js';
import { dns1123Subdomain } from '../apimachinery/validation/names.js';
import type { Destination } from './interface.js';

export interface AgentPath {
  readonly destination: Destination;
  /** `/kubernetes/cluster`, without a trailing slash. */
  readonly prefix: string;
  /**
   * The path for the API server, with unique escaping of each segment. `/` if the path ends with the prefix.
   */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
}

const ROOT = 'kubernetes';
/** The maximum length of a path with its query, in characters. */
const LONGEST = 64 * 1024;
/** Characters that some parsers take for a slash or for the end of the text. */
const AMBIGUOUS = /[/\\\u0000-\u001f\u007f]/;
/** Escapes of `encodeURIComponent` that a segment does not need (RFC 3986, 3.3: pchar). */
const UNESCAPED = /%(3A|40|24|26|2B|2C|3B|3D)/g;

/**
 * Reads the URL of a request. An API server decodes a path once and then splits it. This does the same, and
 * refuses paths that other parsers might read differently: empty segments, dot segments, and slashes and
 * control characters in a segment, escaped or not. Throws StatusError 400 for these, 404 for other paths.
 */
export function readAgentPath(url: string): AgentPath {
  if (url.length > LONGEST) throw badRequest(`the path is too long: at most ${LONGEST} characters are read`);
  if (!url.startsWith('/') || url.includes('#'))
    throw badRequest('the request target must be a path that begins with "/"');
  const mark = url.indexOf('?');
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const steps = (mark < 0 ? url : url.slice(0, mark)).slice(1).split('/').map(decodeStep);
  if (steps.slice(0, -1).includes('')) throw badRequest('the path must not have an empty segment ("//")');
  const { destination, length } = destinationOf(steps);
  const rest = steps.slice(length);
  if (rest[0] === ROOT || isProxyVerb(rest)) throw unknownResource();
  const prefix = `/${steps.slice(0, length).map(encodeStep).join('/')}`;
  return { destination, prefix, path: `/${rest.map(encodeStep).join('/')}`, query };
}

function decodeStep(step: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    throw badRequest('the path has an invalid percent-encoding (not UTF-8)');
  }
  if (decoded === '.' || decoded === '..')
    throw badRequest('the path must not have "." or ".." as a segment');
  if (AMBIGUOUS.test(decoded))
    throw badRequest('a path segment must not have a slash, a backslash or a control character');
  return decoded;
}

const encodeStep = (step: string): string =>
  encodeURIComponent(step).replace(UNESCAPED, (escape) => decodeURIComponent(escape));

/** `length`: of the prefix, in segments. */
function destinationOf(steps: readonly string[]): { destination: Destination; length: number } {
  const [root, first, project = '', kind, name = ''] = steps;
  if (root !== ROOT) throw unknownResource();
  if (first === 'cluster') return { destination: { kind: 'cluster' }, length: 2 };
  if (first !== 'project' || (kind !== 'space' && kind !== 'virtualcluster')) throw unknownResource();
  for (const each of [project, name]) {
    const [problem] = dns1123Subdomain(each);
    if (problem !== undefined) throw badRequest(`the path names no project or ${kind}: ${problem}`);
  }
  return { destination: { kind, project, name }, length: 5 };
}

/** `/api/v1/proxy/…`, an obsolete form that no API server serves and that it parses differently. */
const isProxyVerb = (steps: readonly string[]): boolean =>
  (steps[0] === 'api' && steps[2] === 'proxy') || (steps[0] === 'apis' && steps[3] === 'proxy');
