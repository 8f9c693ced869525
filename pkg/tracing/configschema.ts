/** The members of the file of `--tracing-config-file`, for its parser and for the reference of the docs. */
import type { JsonSchema } from '../apimachinery/schema/jsonschema.js';

export const TRACING_VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'] as const;
export const MAX_SAMPLED = 1_000_000;
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
