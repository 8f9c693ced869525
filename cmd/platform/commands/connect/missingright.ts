/** Says of a right that somebody lacks at which server that is and who has it. */
import { Failure } from '../../failure.js';

/** As API servers write it. */
const LACKED =
  /User "([^"]*)" cannot (\S+) resource "([^"/]+)(\/[^"]+)?" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/;
const OURS = 'management.svc.example';

/** `error`, or a clearer one where the management API at `server` forbids a request. */
export function withMissingRight(error: unknown, server: string): unknown {
  if (!(error instanceof Failure) || error.reason !== 'forbidden') return error;
  const lacked = LACKED.exec(error.said);
  if (lacked === null)
    return new Failure('forbidden', `${server} does not let you connect a cluster: ${error.said}`, {
      advice: 'ask an administrator of that server to run this command',
      cause: error,
    });
  const [, user = '', verb = '', plural = '', subresource = '', group = '', namespace] = lacked;
  const resource = `${plural}${group === OURS ? '' : `.${group}`}${subresource}`;
  const [within, flag] =
    namespace === undefined ? ['', ''] : [` in the namespace ${namespace}`, ` --namespace ${namespace}`];
  return new Failure(
    'forbidden',
    `user "${user}" may not ${verb} ${plural}${subresource}${within} at ${server}`,
    {
      advice: `"platform who-can ${verb} ${resource}${flag}" says who may: ask one of them, or an administrator, to run this command or to give you the right`,
      cause: error,
    },
  );
}
