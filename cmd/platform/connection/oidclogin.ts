/** Login with the identity provider of a server: in a browser of this machine, or by a code on another. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { listeningPort } from '../../../pkg/apimachinery/listeningport.js';
import { Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { type Request, type Trace, ask } from './request.js';
import type { Terminal } from '../output/terminal.js';

const LOGIN_TIMEOUT_MS = 5 * 60_000;
const CLOSE = 'You are logged in to the command line. You may close this window.\n';

interface Tokens {
  readonly access_token?: string;
  readonly error?: string;
  readonly error_description?: string;
}

/** Without codes if the server has no login by codes. */
interface DeviceCodes extends Tokens {
  readonly device_code?: string;
  readonly user_code?: string;
  readonly verification_uri?: string;
  /** Seconds between two questions. */
  readonly interval?: number;
  /** Seconds. */
  readonly expires_in?: number;
}

/** Whether the server has logins with an identity provider. */
export async function hasProvider(connection: Connection, trace: Trace): Promise<boolean> {
  const { code } = await ask(connection, { method: 'GET', path: '/auth/login', accept: '*/*' }, trace);
  return code >= 300 && code < 400;
}

/** An access key, once the person has logged in in a browser (RFC 8252: loopback address, PKCE). */
export async function keyByBrowser(
  connection: Connection,
  terminal: Terminal,
  trace: Trace,
  open: (url: string) => Promise<unknown>,
): Promise<string> {
  const [verifier, state] = [random(), random()];
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const port = listeningPort(server);
    const query = new URLSearchParams({
      redirect_uri: `http://127.0.0.1:${port}/`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      state,
      client_name: `platform on ${hostname()}`,
    });
    const url = `${connection.server.origin}/auth/login?${query}`;
    terminal.tell(`Log in in your browser:\n  ${url}`);
    open(url).catch(() => undefined); // the person has the URL
    const code = await codeSent(server, state);
    return keyIn(await post(connection, trace, '/auth/token', { code, code_verifier: verifier }));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** An access key, once the person has confirmed the code that is shown (RFC 8628). */
export async function keyByDevice(connection: Connection, terminal: Terminal, trace: Trace): Promise<string> {
  const codes: DeviceCodes = await post(connection, trace, '/auth/device', {
    client_name: `platform on ${hostname()}`,
  });
  const { device_code, user_code, verification_uri, interval = 5, expires_in = 300 } = codes;
  if (device_code === undefined)
    throw new Failure('failed', `the server logs nobody in by a code: ${reasonOf(codes)}`);
  terminal.tell(
    `Open ${verification_uri} on any device, and allow the login if the page shows the code ${user_code}`,
  );
  const end = performance.now() + expires_in * 1000;
  for (let wait = interval; performance.now() < end;) {
    await sleep(wait * 1000);
    const answer = await post(connection, trace, '/auth/device/token', { device_code });
    if (answer.error === 'slow_down') wait += interval;
    else if (answer.error !== 'authorization_pending') return keyIn(answer);
  }
  throw new Failure('unauthenticated', 'the code was not confirmed in time; log in again');
}

const random = (): string => randomBytes(32).toString('base64url');

/** The code that the browser brings back. Requests without the state are ignored. */
function codeSent(server: Server, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Failure('unauthenticated', 'nobody logged in within five minutes; log in again'));
    }, LOGIN_TIMEOUT_MS);
    server.on('request', (request, response) => {
      const url = `http://127.0.0.1${request.url ?? '/'}`;
      // Whoever is on this machine may ask for anything.
      const sent = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
      if (sent.get('state') !== state) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end(CLOSE);
      clearTimeout(timer);
      const code = sent.get('code');
      if (code !== null) return resolve(code);
      const why = sent.get('error_description') ?? sent.get('error') ?? 'no code came back';
      reject(new Failure('unauthenticated', `the login failed: ${why}`));
    });
  });
}

async function post(connection: Connection, trace: Trace, path: string, body: object): Promise<Tokens> {
  const request: Request = { method: 'POST', path, body };
  const { code, text } = await ask(connection, request, trace);
  try {
    return JSON.parse(text);
  } catch {
    return { error: `the server answers ${code}` };
  }
}

function keyIn(answer: Tokens): string {
  if (answer.access_token !== undefined) return answer.access_token;
  throw new Failure('unauthenticated', `the login failed: ${reasonOf(answer)}`);
}

const reasonOf = ({ error_description, error }: Tokens): string =>
  error_description ?? error ?? 'no reason given';
