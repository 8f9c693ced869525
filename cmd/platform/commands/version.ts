import { SERVER_VERSION } from '../../../pkg/server/version.js';
import type { Verb } from '../cli.js';
import { Failure } from '../failure.js';

/** `platform version`: this program's version, and what the server says at `/version`. */
export const version: Verb = (program, { connect, write }) => {
  program
    .command('version')
    .description('Show the versions of this program and of the server.')
    .action(async () => {
      write(`Client Version: v${SERVER_VERSION}\n`);
      const { gitVersion } = (await (await connect()).read('/version')) as { gitVersion?: unknown };
      if (typeof gitVersion !== 'string') throw new Failure('failed', 'the server does not say its version');
      write(`Server Version: ${gitVersion}\n`);
    });
};
