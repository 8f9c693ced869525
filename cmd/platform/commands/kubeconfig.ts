import type { Verb } from '../cli.js';
import { replaceFile } from '../files/atomicfile.js';
import { virtualClusterConfig } from '../files/vclusterconfig.js';

const EXAMPLES = `
Examples:
  platform kubeconfig vcluster dev --project web > dev.yaml
  platform kubeconfig vcluster dev --project web --file dev.yaml
`;

/** `platform kubeconfig vcluster NAME`. */
export const kubeconfig: Verb = (program, cli) => {
  program
    .command('kubeconfig')
    .description('Print a kubeconfig.')
    .command('vcluster <name>')
    .description('Print a kubeconfig for a virtual cluster, with a client certificate.')
    .option('--project <project>', 'Project that it is in (default: the one that has it).')
    .option('--file <file>', 'Write it to this file, which only you may read.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { project, file }: { project?: string; file?: string }) => {
      const { text } = await virtualClusterConfig(await cli.connect(), project, name);
      if (file === undefined) return cli.writeExactly(text);
      await replaceFile(file, text);
      cli.terminal.tell(`Wrote ${file}.`);
    });
};
