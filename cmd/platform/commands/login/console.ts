import { textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import type { Cli, Verb } from '../../cli.js';
import { Failure } from '../../failure.js';
import { askJson } from '../../connection/request.js';

const EXAMPLES = `
Examples:
  platform console
  platform console --no-browser    print a link for a browser of this machine or of another
`;

const LINK = '/console/session/link';

/** `platform console`: the console in a browser, logged in as this login is. */
export const console: Verb = (program, cli) => {
  program
    .command('console')
    .description('Open the web console in a browser, logged in.')
    .option('--no-browser', 'Print the link that logs in, and open no browser. It works once, for a minute.')
    .addHelpText('after', EXAMPLES)
    .action(async ({ browser }: { readonly browser: boolean }) => {
      const { origin, link } = await linkOf(cli);
      if (!browser) return cli.write(`${origin}${link}\n`);
      await (await import('open')).default(`${origin}${link}`);
      cli.terminal.tell(`The console of ${origin} opens in your browser.`);
    });
};

async function linkOf({ connect, trace, terminal }: Cli): Promise<{ origin: string; link: string }> {
  const { connection } = await connect();
  const asked = { method: 'POST', path: LINK } as const;
  const answer = await askJson(connection, asked, trace, terminal.tell);
  const link = textIn(answer, 'path') ?? '';
  if (!/^\/console\/#login=[\w-]+$/.test(link))
    throw new Failure('failed', `${connection.server.href} does not answer ${LINK} with a link`);
  return { origin: connection.server.origin, link };
}
