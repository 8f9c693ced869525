export const ISSUER_CONFIGURATION = '/.well-known/openid-configuration';
export const ISSUER_KEYS = '/openid/v1/jwks';
/** What connected clusters read, who have no credentials here. */
export const ISSUER_PATHS: readonly string[] = [ISSUER_CONFIGURATION, ISSUER_KEYS];
