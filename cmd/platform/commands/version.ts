import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import type { Verb } from '../cli.js';
import { Failure } from '../failure.js';

/** `platform version`: this program's version, and what the server says at `/version`. */
export const version: Verb = (program, { connect, write }) => {
  program
    .command('version')
    .description('Show the versions of the client and of the server.')
    .action(async () => {
      write(`Client Version: v${SERVER_VERSION}\n`);
      const gitVersion = textIn(await (await connect()).read('/version'), 'gitVersion');
      if (gitVersion === undefined) throw new Failure('failed', 'the server does not say its version');
      write(`Server Version: ${gitVersion}\n`);
    });
};
