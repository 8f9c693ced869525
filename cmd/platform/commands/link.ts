import type { Verb } from '../cli.js';
import { usage } from '../failure.js';

const EXAMPLES = `
Examples:
  platform link user ada --subject 248289761001
  platform link user ada --remove

The subject is the claim "sub" of the identity provider, and means nothing at another one. The page of a login that was refused shows it.
With another subject, and with --remove, the sessions and keys that the user has by logins end. Keys that the user made otherwise stay.
`;

interface LinkOptions {
  readonly subject?: string;
  readonly remove?: boolean;
}

/** `platform link user`: which login of the identity provider a user is. */
export const link: Verb = (program, cli) => {
  program
    .command('link')
    .description('Connect a login of the identity provider to a user.')
    .command('user <name>')
    .description('Set the subject by which the identity provider knows a user.')
    .option('--subject <subject>', 'Subject of the login.')
    .option('--remove', 'Disconnect the login: the next one may be another.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { subject, remove = false }: LinkOptions) => {
      if ((subject === undefined) === !remove) throw usage('give --subject or --remove');
      const client = await cli.connect();
      await client.merge({ resource: 'users', name }, { spec: { subject: subject ?? null } });
      cli.terminal.tell(
        remove
          ? `User "${name}" has no login of the identity provider any more. Its sessions end.`
          : `The login "${subject}" is user "${name}" from now on.`,
      );
    });
};
