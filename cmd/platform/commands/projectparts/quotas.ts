/** Quotas of a project: as they are shown, and `platform set quota`. */
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { ProjectUsage } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { JsonValue } from '../../../../api/resource.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';

const GROUP = 'management.svc.example';

/** What a quota of this name counts, by the names that people guess, in lower case. A plural has an `s` more. */
const ALIASES: Readonly<Record<string, string>> = {
  instance: 'instances',
  byte: 'secretBytes',
  secretbyte: 'secretBytes',
  secret: `projectsecrets.${GROUP}`,
  projectsecret: `projectsecrets.${GROUP}`,
  sharedsecret: `sharedsecrets.${GROUP}`,
  space: `spaceinstances.${GROUP}`,
  spaceinstance: `spaceinstances.${GROUP}`,
  vcluster: `virtualclusterinstances.${GROUP}`,
  virtualcluster: `virtualclusterinstances.${GROUP}`,
  virtualclusterinstance: `virtualclusterinstances.${GROUP}`,
  configmap: 'configmaps',
  event: 'events',
  serviceaccount: 'serviceaccounts',
};

/** What `platform set quota` is given most. */
const WORDS = ['instances', 'spaces', 'vclusters', 'secrets', 'sharedsecrets', 'secretBytes'];

/** For completion. */
export const QUOTA_WORDS = WORDS.map((word) => `${word}=`);

/** The name that the server counts by. A dot at its end stands for the core group: `secrets.` */
export function quotaName(text: string): string {
  const word = text.toLowerCase().replace(/s$/, '');
  return Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? text) : text.replace(/\.$/, '');
}

/** The word by which people set the quota of a name. The Secrets of Kubernetes have a dot there. */
export function quotaWord(name: string): string {
  const word = WORDS.find((one) => quotaName(one) === name);
  return word ?? (WORDS.includes(name) ? `${name}.` : name);
}

interface QuotaEntry {
  readonly name: string;
  /** Undefined where the caller may not know. */
  readonly used?: number;
  readonly limit: number;
  readonly [member: string]: unknown;
}

/** The quotas of a project, each with its use. */
export async function quotaEntries(
  { quotas = {} }: NonNullable<Project['spec']>,
  client: Client,
  project: string,
): Promise<QuotaEntry[]> {
  const { objects = {}, ...others } = quotas;
  const limits = Object.entries({ ...others, ...objects });
  const used = limits.length === 0 ? [] : await usageOf(client, project);
  return limits.map(([name, limit]) => {
    const { used: count } = used.find((one) => one.name === name) ?? {};
    return { name, ...(count !== undefined && { used: count }), limit };
  });
}

async function usageOf(client: Client, name: string): Promise<NonNullable<ProjectUsage['usage']>> {
  try {
    const place = { resource: 'projects', name, subresource: 'usage' };
    return (await client.get<Pick<ProjectUsage, 'usage'>>(place)).usage ?? [];
  } catch (error) {
    // An older server has no usage, and a project that is being deleted none any more.
    if (error instanceof Failure && ['forbidden', 'notFound'].includes(error.reason)) return [];
    throw error;
  }
}

type Limit = readonly [asked: string, limit: number | null];

/** `instances=3`; `=` alone removes the limit. Throws Failure, usage. */
export function limitOf(text: string): Limit {
  const [, asked = '', number = ''] = /^([a-zA-Z0-9.-]+)=(\d*)$/.exec(text) ?? [];
  if (asked === '')
    throw usage(`"${text}": write a quota as instances=3, secretBytes=1000000 or configmaps=10`);
  return [asked, number === '' ? null : Number(number)];
}

/** `platform set quota NAME=NUMBER… --project NAME`. */
export async function setQuotas(cli: Cli, texts: readonly string[], project: string): Promise<void> {
  const limits = texts.map(limitOf);
  const client = await cli.connect();
  tellCounted(cli, limits);
  const place = { resource: 'projects', name: project };
  const { spec = {} } = await client.merge<Project>(place, { spec: { quotas: quotasOf(limits) } });
  cli.terminal.tell(`The quotas of project "${project}" are set.`);
  const set = limits.map(([asked]) => quotaName(asked));
  for (const { name, used, limit } of await quotaEntries(spec, client, project))
    if (set.includes(name) && used !== undefined)
      cli.terminal.tell(
        `${quotaWord(name)}: ${used} of ${limit} used${used < limit ? '' : ', no more can be added'}.`,
      );
}

/** Says what is counted where it may be another than the one that was meant. */
export function tellCounted({ terminal }: Cli, limits: readonly Limit[]): void {
  for (const [asked] of limits) {
    const word = quotaWord(quotaName(asked));
    if (asked === 'secrets')
      terminal.tell('"secrets" are those of the project; "secrets." are the Secrets of Kubernetes.');
    else if (word !== asked) terminal.tell(`"${asked}" is counted as ${word}.`);
  }
}

/** A merge patch; null removes a limit. */
export function quotasOf(limits: readonly Limit[]): JsonValue {
  const named = limits.map(([asked, limit]) => [quotaName(asked), limit] as const);
  const isField = ([name]: readonly [string, unknown]): boolean =>
    name === 'instances' || name === 'secretBytes';
  const objects = named.filter((one) => !isField(one));
  return {
    ...Object.fromEntries(named.filter(isField)),
    ...(objects.length > 0 && { objects: Object.fromEntries(objects) }),
  };
}
