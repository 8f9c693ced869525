import { DEFAULT_AUDIENCE } from '../../../pkg/authentication/serviceaccount/token.js';
import type { Options } from '../options/options.js';
import { StartError } from '../starterror.js';

/** The properties of tokens that the server signs. */
export interface IssuingConfig {
  /** Undefined: the URL of the server. */
  readonly issuer: string | undefined;
  /** The audiences of tokens for this API; the first is the default. */
  readonly audiences: readonly string[];
  readonly directEndpointAudience: string;
  readonly keyLifeMs: number;
  /** The maximum for tokens of service accounts. */
  readonly maxTokenSeconds: number;
  /** The maximum for client certificates of virtual clusters. */
  readonly maxCertificateSeconds: number;
}

/** Throws StartError. */
export function issuingOf(options: Options): IssuingConfig {
  const { serviceAccountIssuer: issuer, directEndpointAudience, signingKeyRotation } = options;
  const audiences = issuer === undefined ? [DEFAULT_AUDIENCE] : [issuer, DEFAULT_AUDIENCE];
  if (audiences.includes(directEndpointAudience))
    throw new StartError(`--direct-endpoint-audience ${directEndpointAudience} is the audience of this API`);
  return {
    ...{ issuer, audiences, directEndpointAudience },
    keyLifeMs: signingKeyRotation,
    maxTokenSeconds: Math.floor(options.serviceAccountMaxTokenExpiration / 1000),
    maxCertificateSeconds: Math.floor(options.virtualClusterMaxCertificateTtl / 1000),
  };
}
