/** Login of a workload: its token, which its platform signed, is exchanged for a short access key (RFC 8693). */
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { readNamed } from '../files/atomicfile.js';
import { Failure, usage } from '../failure.js';
import { ask, type Trace } from './request.js';
import type { Connection } from './serverconnection.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface WorkloadOptions {
  /** A file, or `-` for standard input. */
  readonly workloadTokenFile?: string;
  /** Of the token that is requested of GitHub. */
  readonly githubAudience?: string;
}

interface Exchanged {
  readonly access_token?: unknown;
  readonly error_description?: unknown;
}

/** The key that the server gives for the token. Rejects with a Failure. */
export async function keyByWorkload(connection: Connection, token: string, trace: Trace): Promise<string> {
  const body = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: token,
  };
  const { code, text } = await ask(connection, { method: 'POST', path: '/auth/workload/token', body }, trace);
  const { access_token: key, error_description: why } = parsed(text);
  if (code === 200 && typeof key === 'string') return key;
  if (typeof why === 'string') throw new Failure('unauthenticated', `the token was not exchanged: ${why}`);
  throw new Failure('unauthenticated', `the server exchanges no tokens of workloads: it answers ${code}`);
}

/** Undefined where nothing says that a workload logs in. Rejects with a Failure. */
export async function workloadToken(
  { workloadTokenFile: file, githubAudience: audience }: WorkloadOptions,
  env: Environment,
): Promise<string | undefined> {
  if (file !== undefined && audience !== undefined)
    throw usage('give --workload-token-file or --github-audience');
  if (file !== undefined) return (await readNamed(file)).toString().trim();
  return audience === undefined ? undefined : githubToken(audience, env);
}

/** A token that a job of GitHub Actions with `permissions: id-token: write` may request. */
async function githubToken(audience: string, env: Environment): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env;
  if (!URL.canParse(url) || token === undefined)
    throw usage('this is no job of GitHub Actions with "permissions: id-token: write"');
  const asked = new URL(url);
  asked.searchParams.set('audience', audience);
  const answer = await fetch(asked, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
  const { value } = membersOf(parsed(answer === undefined ? '' : await answer.text()));
  if (typeof value === 'string') return value;
  throw new Failure(
    'failed',
    `GitHub gives no token: ${answer === undefined ? 'it cannot be reached' : `it answers ${answer.status}`}`,
  );
}

function parsed(text: string): Exchanged {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
