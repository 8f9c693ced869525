/** The server and the credentials of a command. */
import { type Context, readConfig } from '../files/config.js';
import { Failure, usage } from '../failure.js';
import { keptSecret } from '../files/keychain.js';
import { checkPin } from './pin.js';
import { proxyFor } from './proxy.js';
import { type Authority, readAuthority } from './authority.js';
import type { Connection } from './serverconnection.js';

/** The choice of the flags. */
export interface ConnectionChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Of {@link pinArguments}: the login must be that one, whatever else the environment chooses. */
  readonly pin?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * In this order: `--kubeconfig`; `PLATFORM_URL` with `PLATFORM_ACCESS_KEY` and `PLATFORM_CA_FILE`; the context of a
 * login; `$KUBECONFIG`. Throws Failure, `unauthenticated` without any of them.
 */
export async function chooseConnection(choice: ConnectionChoice, env: Environment): Promise<Connection> {
  const { pin } = choice;
  if (choice.kubeconfig !== undefined) {
    const connection = await fromKubeconfig(choice, env);
    return pin === undefined ? connection : checkPin(pin, connection, undefined);
  }
  if (pin !== undefined) return pinned(pin, choice, env);
  if (env.PLATFORM_URL) return fromEnvironment(env.PLATFORM_URL, env);
  const { current, contexts } = await readConfig(env);
  const name = choice.context ?? current;
  const context = name === undefined ? undefined : contexts[name];
  if (name !== undefined && context !== undefined) return fromContext(name, context, env);
  if (env.KUBECONFIG) return fromKubeconfig(choice, env);
  if (choice.context === undefined)
    throw new Failure('unauthenticated', 'not logged in', {
      advice: 'run "platform login URL", or set PLATFORM_URL',
    });
  throw new Failure(
    'notFound',
    `no context "${choice.context}"; "platform context list" shows those there are`,
  );
}

/** A context that is named is used although the environment names a server. */
async function pinned(pin: string, choice: ConnectionChoice, env: Environment): Promise<Connection> {
  if (choice.context === undefined) {
    const { pin: _pin, ...rest } = choice;
    return checkPin(pin, await chooseConnection(rest, env), undefined);
  }
  const context = (await readConfig(env)).contexts[choice.context];
  if (context === undefined)
    throw new Failure(
      'unauthenticated',
      `the login "${choice.context}" that this entry of the kubeconfig was made with is gone; log in again`,
    );
  return checkPin(pin, await fromContext(choice.context, context, env), context.user);
}

const EXAMPLE = 'https://management.example.com';
/** An address without its scheme. */
const HOST = /^([\w-]+(\.[\w-]+)+(:\d+)?|[\w-]+:\d+)\/?$/;
/** Fragments of the console's links that log somebody in: they hold secrets. */
const LINK = /^#(login|invitation)=/;

/** A server without pinned names or certificates. Rejects with a Failure unless it is an https URL. */
export async function bareConnection(
  url: string,
  authority: Authority | undefined,
  token: string | undefined,
  env: Environment,
): Promise<Connection> {
  const server = URL.canParse(url) ? new URL(url) : undefined;
  if (server?.protocol !== 'https:')
    throw usage(`the server must be an https URL, as in ${HOST.test(url) ? `https://${url}` : EXAMPLE}`);
  if (LINK.test(server.hash))
    throw usage(
      `this is a link for a browser: open it there, or log in with "platform login ${server.origin}"`,
    );
  return {
    server,
    token,
    ca: authority?.pem,
    caFrom: authority?.from,
    cert: undefined,
    key: undefined,
    auth: undefined,
    servername: undefined,
    rejectUnauthorized: true,
    proxy: await proxyFor(server, env),
  };
}

/** The reader is loaded only for a kubeconfig. */
async function fromKubeconfig(choice: ConnectionChoice, env: Environment): Promise<Connection> {
  const { readConnection } = await import('./readkubeconfig.js');
  return readConnection(choice, env);
}

async function fromEnvironment(url: string, env: Environment): Promise<Connection> {
  const file = env.PLATFORM_CA_FILE;
  const authority = file ? await readAuthority(file, `PLATFORM_CA_FILE=${file}`) : undefined;
  if (!env.PLATFORM_ACCESS_KEY)
    throw new Failure('unauthenticated', 'PLATFORM_URL is set, so PLATFORM_ACCESS_KEY must be set too');
  return bareConnection(url, authority, env.PLATFORM_ACCESS_KEY, env);
}

async function fromContext(
  name: string,
  { server, ca, accessKey }: Context,
  env: Environment,
): Promise<Connection> {
  const token = accessKey ?? (await keptSecret(env, name));
  if (token === undefined)
    throw new Failure(
      'unauthenticated',
      `the keychain does not give the credentials of context "${name}": unlock it, or run "platform login ${server}"`,
    );
  const authority = ca === undefined ? undefined : { pem: ca, from: `the login "${name}"` };
  return bareConnection(server, authority, token, env);
}
