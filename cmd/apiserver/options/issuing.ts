import { DEFAULT_AUDIENCE } from '../../../pkg/authentication/serviceaccount/token.js';
import type { Options } from './options.js';

/** The properties of tokens that the server signs. */
export interface IssuingConfig {
  /** Undefined: the URL of the server. */
  readonly issuer: string | undefined;
  /** The audiences of tokens for this API; the first is the default. */
  readonly audiences: readonly string[];
  readonly keyLifeMs: number;
}

export function issuingOf(options: Options): IssuingConfig {
  const { serviceAccountIssuer: issuer, signingKeyRotation } = options;
  const audiences = issuer === undefined ? [DEFAULT_AUDIENCE] : [issuer, DEFAULT_AUDIENCE];
  return {
    issuer,
    audiences,
    keyLifeMs: signingKeyRotation,
  };
}
