import type { Cli, Verb } from '../../cli.js';
import { type Config, changeConfig, readConfig } from '../../files/config.js';
import { Failure, messageOf } from '../../failure.js';
import { forgetSecret } from '../../files/keychain.js';
import { selfOf } from '../../self.js';
import { forgetCredentials } from '../../files/tokencache.js';

/** `platform logout`: forgets a login, and ends its key where logging in made it. */
export const logout: Verb = (program, cli) => {
  program
    .command('logout')
    .description('Delete the saved login, and revoke the access key that the login created.')
    .addHelpText('after', '\nExample:\n  platform logout\n')
    .action(async () => {
      const config = await readConfig(cli.env);
      const name = cli.chosenContext() ?? config.current;
      if (name === undefined || config.contexts[name] === undefined)
        throw new Failure('notFound', name === undefined ? 'not logged in' : `no context "${name}"`);
      const left = await endKey(cli);
      await forgetSecret(cli.env, name);
      await changeConfig(cli.env, (now) => without(now, name));
      cli.terminal.tell(`Logged out of "${name}".`);
      if (left !== undefined) cli.terminal.tell(left);
    });
};

/** The message if the key could not be ended. */
async function endKey({ env, connect }: Cli): Promise<string | undefined> {
  try {
    const client = await connect();
    await forgetCredentials(env, client.connection);
    const { accessKey, accessKeyType } = await selfOf(client);
    if (accessKeyType !== 'Login' || accessKey === undefined) return undefined;
    await client.remove({ resource: 'ownedaccesskeys', name: accessKey });
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.reason === 'unauthenticated') return undefined;
    return `The key of this login could not be ended: ${messageOf(error)}`;
  }
}

function without({ current, contexts }: Config, name: string): Config {
  const rest = Object.fromEntries(Object.entries(contexts).filter(([other]) => other !== name));
  return { contexts: rest, ...(current !== undefined && current !== name && { current }) };
}
