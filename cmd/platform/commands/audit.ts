import { Option } from 'commander';
import type { AuditSearch } from '../../../api/management.svc.example/v1/auditsearch.js';
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { type Cli, type Verb } from '../cli.js';
import type { Client } from '../connection/client.js';
import { secondsOf } from '../duration.js';
import { Failure, usage } from '../failure.js';
import { managementObject } from '../objects.js';
import { chosenFormat, printColumns, printObject } from '../output/output.js';

const EXAMPLES = `
Examples:
  platform audit --user anna --since 24h
  platform audit --resource sharedsecrets --namespace default --name database
  platform audit --about SecretReads --user anna    which secrets she read
  platform audit --about Refused --limit 20         what was forbidden, or not authenticated
  platform audit --verb delete --after 2026-11-01T00:00:00Z -o json

Each server keeps its own audit log: this searches that of the server that answers.
`;

interface AuditOptions {
  readonly about?: string;
  readonly user?: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly code?: string;
  readonly sourceIp?: string;
  readonly auditId?: string;
  readonly since?: string;
  readonly after?: string;
  readonly before?: string;
  readonly limit: string;
  readonly output?: string;
}

type Spec = NonNullable<AuditSearch['spec']>;
type Status = NonNullable<AuditSearch['status']>;
type Event = NonNullable<Status['events']>[number];

const ABOUT: readonly NonNullable<Spec['about']>[] = ['Changes', 'SecretReads', 'Refused'];

/** Of one request. */
const MAX_EVENTS = 500;
const MAX_LIMIT = 100_000;

/** `platform audit`: who did what, as the server has it on record. */
export const audit: Verb = (program, cli) => {
  program
    .command('audit')
    .description('Search the audit log of the server, newest first.')
    .addOption(new Option('--about <what>', 'What the events are about.').choices(ABOUT))
    .option('--user <name>', 'Who made the request, or as whom it was made.')
    .option('--verb <verb>', 'get, list, create, update, patch, delete, …')
    .option('--resource <plural>', 'sharedsecrets, projects/members, …')
    .option('-n, --namespace <namespace>', 'Namespace of the object.')
    .option('--name <name>', 'Name of the object.')
    .option('--code <code>', 'Status code of the response: 403, or 4xx.')
    .option('--source-ip <address>', 'Address that the request came from.')
    .option('--audit-id <id>', 'Audit-Id of the response.')
    .option('--since <duration>', 'Only events of so long ago or later: 90s, 15m, 24h, 7d.')
    .option('--after <time>', 'Only events of this time or later: 2026-11-01T00:00:00Z.')
    .option('--before <time>', 'Only events before this time.')
    .option('--limit <count>', 'Most events.', '100')
    .option('-o, --output <format>', 'wide, json or yaml.')
    .addHelpText('after', EXAMPLES)
    .action((options: AuditOptions) => printAudit(cli, options));
};

async function printAudit({ connect, terminal, write }: Cli, options: AuditOptions): Promise<void> {
  const format = chosenFormat(options.output, ['wide', 'json', 'yaml']);
  const [spec, limit] = [specOf(options), limitOf(options.limit)];
  const found = await searchAll(await connect(), spec, limit);
  const { log, server = '', events = [], unreadable = 0 } = found;
  if (log !== 'File') throw new Failure('failed', whyNone(found));
  if (unreadable > 0) terminal.tell(`${unreadable} lines of the audit log could not be read.`);
  if (found.continue !== undefined) terminal.tell(`There may be older events: raise --limit.`);
  if (format === 'json' || format === 'yaml') {
    const { continue: _more, searchedTo: _to, ...status } = found;
    return printObject(format, managementObject('AuditSearch', {}, { spec, status }), write);
  }
  if (events.length === 0) return terminal.tell(`Nothing found in the audit log of ${server}.`);
  const wide = format === 'wide';
  const rows = events.map((event) => rowOf(event, wide));
  await printColumns(
    ['Time', 'User', 'Verb', 'Object', 'Code', ...(wide ? ['From', 'Audit ID'] : [])],
    rows,
    write,
  );
}

/** Searches on until there are enough events, or no more. */
async function searchAll(client: Client, spec: Spec, limit: number): Promise<Status> {
  const events: Event[] = [];
  let unreadable = 0;
  for (let from: Pick<Spec, 'continue'> = {}; ;) {
    const asked = { ...spec, ...from, limit: Math.min(limit - events.length, MAX_EVENTS) };
    const body = managementObject('AuditSearch', {}, { spec: asked });
    const { status = {} } = await client.create<AuditSearch>({ resource: 'auditsearches' }, body);
    events.push(...(status.events ?? []));
    unreadable += status.unreadable ?? 0;
    if (status.continue === undefined || events.length >= limit) return { ...status, events, unreadable };
    from = { continue: status.continue };
  }
}

function specOf(options: AuditOptions): Spec {
  const { about, user, verb, resource, namespace, name, code, sourceIp, auditId, since, after, before } =
    options;
  if (since !== undefined && after !== undefined) throw usage('use one of --since and --after');
  const from = since === undefined ? after : new Date(Date.now() - secondsOf('--since', since) * 1000);
  const given = {
    about,
    user,
    verb,
    resource,
    namespace,
    name,
    code,
    sourceIP: sourceIp,
    auditID: auditId,
    after: from instanceof Date ? from.toISOString() : from,
    before,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function limitOf(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw usage(`--limit ${text}: write a number from 1 to ${MAX_LIMIT}`);
  return limit;
}

const whyNone = ({ log, server = '' }: Status): string =>
  log === 'StandardOutput'
    ? `The server ${server} writes its audit log to standard output and keeps none: search it where that output is collected.`
    : `The server ${server} has no audit log (--audit-log-path=none).`;

function rowOf(event: Event, wide: boolean): unknown[] {
  const { stageTimestamp, user, impersonatedUser, verb, responseStatus, sourceIPs, auditID } = event;
  const [name, as] = [membersOf(user).username, membersOf(impersonatedUser).username];
  const who = as === undefined ? name : `${String(name)} as ${String(as)}`;
  const more = [Array.isArray(sourceIPs) ? sourceIPs.join(',') : '', auditID];
  const row = [stageTimestamp, who, verb, objectOf(event), membersOf(responseStatus).code];
  return wide ? [...row, ...more] : row;
}

/** `sharedsecrets/database -n default`, or the path of a non-resource request. */
function objectOf({ objectRef, requestURI }: Event): string {
  if (objectRef === undefined) return String(requestURI ?? '').replace(/\?.*/s, '');
  const member = (name: string): string => String(membersOf(objectRef)[name] ?? '');
  const path = [member('resource'), member('name'), member('subresource')]
    .filter((step) => step !== '')
    .join('/');
  return member('namespace') === '' ? path : `${path} -n ${member('namespace')}`;
}
