/** The file of `--tracing-config-file`: `TracingConfiguration` of `k8s.io/apiserver/pkg/apis/apiserver`. */
import { isObject, unknownMember } from '../apimachinery/encoding/members.js';
import type { JsonSchema } from '../apimachinery/schema/jsonschema.js';

/** The members of the file of `--tracing-config-file`, for its parser and for the reference of the docs. */
const TRACING_VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'] as const;
const MAX_SAMPLED = 1_000_000;
/** The port of OTLP over HTTP; kube-apiserver uses OTLP over gRPC. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

export const TRACING_CONFIG = {
  type: 'object',
  required: ['apiVersion', 'kind'],
  properties: {
    apiVersion: { type: 'string', enum: TRACING_VERSIONS, description: 'Version of the format.' },
    kind: { type: 'string', enum: ['TracingConfiguration'], description: 'Kind of the file.' },
    endpoint: {
      type: 'string',
      default: DEFAULT_ENDPOINT,
      description:
        'The collector: a URL without user, query and fragment, or host:port. Spans are sent as OTLP over HTTP, to /v1/traces if the URL has no path.',
    },
    samplingRatePerMillion: {
      type: 'integer',
      default: 0,
      description: `Requests of a million that are traced, 0 to ${MAX_SAMPLED}.`,
    },
  },
} as const satisfies JsonSchema;

export interface TracingConfig {
  /** The URL of the collector. */
  readonly url: string;
  /** Share of requests that are sampled, 0 to 1. */
  readonly ratio: number;
}

const VERSIONS: readonly unknown[] = TRACING_VERSIONS;
const { endpoint: ENDPOINT, samplingRatePerMillion: RATE } = TRACING_CONFIG.properties;
const TRACES = '/v1/traces';

/** Throws an Error that names the invalid member. */
export function parseTracingConfig(document: unknown): TracingConfig {
  if (!isObject(document)) throw new Error('it is no TracingConfiguration');
  const { apiVersion, kind, endpoint = ENDPOINT.default } = document;
  const { samplingRatePerMillion: rate = RATE.default } = document;
  if (!VERSIONS.includes(apiVersion) || kind !== 'TracingConfiguration')
    throw new Error('it must have apiVersion: apiserver.config.k8s.io/v1 and kind: TracingConfiguration');
  const unknown = unknownMember(document, TRACING_CONFIG);
  if (unknown !== undefined) throw new Error(`unknown field "${unknown}"`);
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < 0 || rate > MAX_SAMPLED)
    throw new Error('samplingRatePerMillion must be a whole number from 0 to 1000000');
  return { url: urlOf(endpoint), ratio: rate / MAX_SAMPLED };
}

/** `endpoint` is a URL, or a host and a port as for kube-apiserver. */
function urlOf(endpoint: unknown): string {
  const wrong = new Error(
    'endpoint must be a URL such as http://collector:4318, without user, query and fragment',
  );
  if (typeof endpoint !== 'string') throw wrong;
  const whole = endpoint.includes('://') ? endpoint : `http://${endpoint}`;
  if (!URL.canParse(whole)) throw wrong;
  const url = new URL(whole);
  const { protocol, username, password, search, hash } = url;
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong;
  if ([username, password, search, hash].some((part) => part !== '')) throw wrong;
  if (url.pathname === '/') url.pathname = TRACES;
  return url.href;
}
