export const ISSUER_CONFIGURATION = '/.well-known/openid-configuration';
export const ISSUER_KEYS = '/openid/v1/jwks';
/** The paths that connected clusters read, without credentials. */
export const ISSUER_PATHS: readonly string[] = [ISSUER_CONFIGURATION, ISSUER_KEYS];
