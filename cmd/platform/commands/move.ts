import type { Verb } from '../cli.js';
import { managementObject } from '../objects.js';
import { projectNamespace } from '../project.js';

/** `platform move space NAME`. */
export const move: Verb = (program, cli) => {
  program
    .command('move')
    .description('Move an object to another project.')
    .command('space <name>')
    .description('Move a space to another project. Its workloads keep running.')
    .requiredOption('--project <project>', 'Project that it is in.')
    .requiredOption('--to <project>', 'Project that it is to be in.')
    .addHelpText('after', '\nExample:\n  platform move space staging --project web --to shop\n')
    .action(async (name: string, { project, to }: { project: string; to: string }) => {
      const client = await cli.connect();
      const place = { resource: 'projects', name: to, subresource: 'migratespaceinstance' };
      const sourceSpaceInstance = { name, namespace: await projectNamespace(client, project) };
      await client
        .during(`Moving space "${name}"`)
        .create(place, managementObject('ProjectMigrateSpaceInstance', {}, { sourceSpaceInstance }));
      cli.terminal.tell(`Moved space "${name}" from project "${project}" to "${to}".`);
    });
};
