/** The link from an entry that `use` writes to the login that it was made with. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type Context, readConfig } from '../files/config.js';
import { Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The choice of the flags. */
interface Choice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Of a server, its authority and the user of a login. */
function pinOf({ server, ca }: Pick<Connection, 'server' | 'ca'>, user: string | undefined): string {
  const text = JSON.stringify([server.href, ca?.trim() ?? '', user ?? '']);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Rejects with a Failure where the login is another one by now. */
export function checkPin(pin: string, connection: Connection, user: string | undefined): Connection {
  if (pinOf(connection, user) === pin) return connection;
  throw new Failure(
    'unauthenticated',
    'the login that this entry of the kubeconfig was made with is another one by now; run "platform use space NAME" or "platform use vcluster NAME" again',
  );
}

/** The flags with which a later command uses the login of this one, and no other. */
export async function pinArguments(
  choice: Choice,
  env: Environment,
  connection: Connection,
): Promise<string[]> {
  if (choice.kubeconfig !== undefined) {
    const { currentContextOf } = await import('./readkubeconfig.js');
    const context = choice.context ?? currentContextOf(choice.kubeconfig);
    const file = ['--kubeconfig', resolve(choice.kubeconfig), '--context', context];
    return [...file, '--pin', pinOf(connection, undefined)];
  }
  const [name, context] = await contextOf(choice, env);
  if (name === undefined) return ['--pin', pinOf(connection, undefined)];
  return ['--context', name, '--pin', pinOf(connection, context?.user)];
}

/** The login that is in use where environment and kubeconfigs choose no other. */
async function contextOf(choice: Choice, env: Environment): Promise<[string?, Context?]> {
  if (env.PLATFORM_URL) return [];
  const { current, contexts } = await readConfig(env);
  const name = choice.context ?? current;
  return name !== undefined && contexts[name] !== undefined ? [name, contexts[name]] : [];
}
