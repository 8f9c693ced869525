/** Metadata for verifying tokens of this server (OpenID Connect Discovery 1.0, sections 3 and 4). */
import type { Express } from 'express';
import { ALGORITHM, type TokenKeys } from '../../authentication/issuedtoken/keys.js';
import { ISSUER_CONFIGURATION, ISSUER_KEYS } from './issuerpaths.js';
import { readable, sendDocument } from './routes.js';

export interface IssuerMetadata {
  /** The issuer of tokens. */
  readonly url: () => string;
  readonly keys: Pick<TokenKeys, 'published'>;
}

/** Less than the time for which a key is published before it signs. */
const CACHED = 'public, max-age=300';

/** Both documents are as kube-apiserver's (`k8s.io/kubernetes/pkg/routes/openidmetadata.go`). */
export function routeIssuerMetadata(app: Express, { url, keys }: IssuerMetadata): void {
  const serve = (path: string, contentType: string, document: () => object): void =>
    readable(app, path, (_request, response) => {
      response.setHeader('Cache-Control', CACHED);
      sendDocument(response, contentType, Buffer.from(JSON.stringify(document())));
    });
  serve(ISSUER_CONFIGURATION, 'application/json', () => ({
    issuer: url(),
    jwks_uri: `${url().replace(/\/$/, '')}${ISSUER_KEYS}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ALGORITHM],
  }));
  serve(ISSUER_KEYS, 'application/jwk-set+json', () => ({ keys: keys.published() }));
}
