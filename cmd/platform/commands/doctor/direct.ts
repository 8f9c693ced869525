/** Checks of `platform doctor --space` and `--virtual-cluster` on the ways to an instance: its agent, and the management API. */
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import type { Connection } from '../../connection/serverconnection.js';
import { fetchBriefly, connectionTo, missingRights } from '../../direct/reach.js';
import {
  ENDPOINT,
  centralEndpoint,
  directTarget,
  statusMessage,
  type DirectTarget,
  type Instance,
} from '../../direct/target.js';
import { cachedToken } from '../../files/tokencache.js';
import { type Check, type Finding, ok, skipped, wrong } from '../../output/finding.js';
import type { Answer } from '../../connection/request.js';
import { agentAddress, agentCertificate, agentClock, agentPort } from './agentway.js';

/** Findings of earlier checks. */
interface Known {
  target?: DirectTarget;
  token?: string | undefined;
  agent?: Connection;
  agentWorks?: boolean;
}

const NO_TARGET = 'it is not known where it is';
const SERVER = ['server', 'apiservice', 'credentials'];
const AGENT_WAY = ['agent address', 'agent port', 'agent certificate'];

/** In order; each uses what those before it found. */
export function directChecks(cli: Cli, instance: Instance): readonly Check[] {
  const known: Known = {};
  const { kind, project, name } = instance;
  const again = `platform use ${kind} ${name} --project ${project} --direct`;
  const atAgent =
    (run: (agent: Connection) => Promise<Finding> | Finding): Check['run'] =>
    async () =>
      known.agent === undefined
        ? skipped(`the cluster names no address of an agent (annotation ${ENDPOINT})`)
        : run(known.agent);
  const needs = [...SERVER, 'instance'];
  return [
    {
      check: 'instance',
      needs: SERVER,
      run: (client) => findInstance(client, instance, known, cli),
    },
    { check: 'token', needs, run: (client) => getToken(client, known, cli) },
    { check: 'agent address', needs, run: atAgent(agentAddress) },
    { check: 'agent port', needs: [...needs, 'agent address'], run: atAgent(agentPort) },
    {
      check: 'agent certificate',
      needs: [...needs, ...AGENT_WAY.slice(0, 2)],
      run: atAgent(agentCertificate),
    },
    { check: 'agent clock', needs: [...needs, ...AGENT_WAY], run: atAgent(agentClock) },
    {
      check: 'agent token',
      needs: [...needs, 'token', ...AGENT_WAY],
      run: atAgent((agent) => askAgent(agent, known, cli, again)),
    },
    {
      check: 'agent scope',
      needs: [...needs, 'token', ...AGENT_WAY, 'agent token'],
      run: atAgent((agent) => askBesideScope(agent, known, cli)),
    },
    {
      check: 'management API',
      needs: [...needs, 'token'],
      run: (client) => askServer(client, known, cli, again),
    },
    {
      check: 'rights in the space',
      needs: [...needs, 'token', 'management API'],
      run: (client) => askRights(client, known, cli),
    },
  ];
}

async function findInstance(client: Client, instance: Instance, known: Known, cli: Cli): Promise<Finding> {
  const target = await directTarget(client, instance);
  known.target = target;
  const { endpoint, what, cluster } = target;
  if (endpoint !== undefined) known.agent = await connectionTo(endpoint, undefined, cli.env);
  return ok(`${what} is in cluster "${cluster}"`);
}

async function getToken(client: Client, known: Known, cli: Cli): Promise<Finding> {
  if (known.target === undefined) return skipped(NO_TARGET);
  const { cluster, scope } = known.target;
  const status = await cachedToken(cli.env, client, { cluster, scope, ttl: undefined });
  known.token = status.token;
  return ok(`for ${JSON.stringify(scope)}, until ${status.expirationTimestamp ?? 'an unknown time'}`);
}

async function askAgent(agent: Connection, known: Known, cli: Cli, again: string): Promise<Finding> {
  const { target, token } = known;
  if (target === undefined) return skipped(NO_TARGET);
  const answer = await fetchBriefly({ ...agent, token }, `${target.path}/version`, cli.trace);
  known.agentWorks = answer.code === 200;
  return known.agentWorks ? ok('accepted') : wrong(toldBy(answer), adviceOfAgent(answer.code, again));
}

function adviceOfAgent(code: number, again: string): string {
  if (code === 401)
    return `get a new token with "${again}"; if it is rejected too, compare --cluster of the agent with the name of the Cluster`;
  if (code === 403) return 'look whether the scope of your login covers it ("platform whoami")';
  if (code === 404)
    return `look whether ${ENDPOINT} is the address of the agent, and whether the agent may list instances`;
  return 'look at the log of the agent';
}

/** The token is for the instance alone, so the cluster as a whole must be closed to it. */
async function askBesideScope(agent: Connection, { token }: Known, cli: Cli): Promise<Finding> {
  const { code } = await fetchBriefly({ ...agent, token }, '/kubernetes/cluster/version', cli.trace);
  if (code === 403) return ok('enforced');
  return wrong(
    `a token for the instance alone gets ${code}, not 403, outside of it`,
    `look whether ${ENDPOINT} is the address of an agent of this release`,
  );
}

async function askServer(client: Client, known: Known, cli: Cli, again: string): Promise<Finding> {
  const { target, token, agentWorks } = known;
  if (target === undefined) return skipped(NO_TARGET);
  const central = await connectionTo(centralEndpoint(client), token, cli.env);
  const answer = await fetchBriefly(central, `${target.path}/version`, cli.trace);
  if (answer.code === 200) return ok('reaches it');
  // A cluster whose agent is reached needs no other way.
  if (answer.code === 503 && agentWorks === true) return skipped(toldBy(answer));
  return wrong(toldBy(answer), adviceOfServer(answer.code, again));
}

async function askRights(client: Client, { target, token }: Known, cli: Cli): Promise<Finding> {
  if (target?.namespace === undefined) return skipped('it is no space');
  const central = await connectionTo(centralEndpoint(client), token, cli.env);
  const why = await missingRights(central, target, cli.trace);
  return why === undefined
    ? ok('the cluster gives you some')
    : wrong(why, 'the condition MembersBound of the space says why it gives members none');
}

function adviceOfServer(code: number, again: string): string {
  if (code === 404)
    return 'log in at the address of the management API: kube-apiserver does not forward this';
  if (code === 401) return `get a new token with "${again}"`;
  if (code === 403) return adviceOfAgent(code, again);
  return 'the condition KubeconfigAccepted of the Cluster, or the log of its agent, has the cause; the agent needs --tunnel';
}

const toldBy = ({ code, text }: Answer): string => `${code}: ${statusMessage(text)}`;
