/** The file of `--tracing-config-file`: `TracingConfiguration` of `k8s.io/apiserver/pkg/apis/apiserver`. */
import { isObject, unknownMember } from '../apimachinery/encoding/members.js';
import { MAX_SAMPLED, TRACING_CONFIG, TRACING_VERSIONS } from './configschema.js';

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
