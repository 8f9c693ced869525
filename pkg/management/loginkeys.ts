/** The prefix of names of keys that people got at a login. Clients cannot create keys with such names. */
export const LOGIN_KEYS = 'login-';
